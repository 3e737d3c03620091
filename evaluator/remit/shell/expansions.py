"""`$…` and backticks: bash(1) "EXPANSION". Each function steps over one expansion and gives the hole that it leaves.

Commands inside are collected on the way, through `lists`; the text that an expansion produces is never guessed.
"""

from __future__ import annotations

import re

from remit.shell import constructs
from remit.shell.commands import Setting
from remit.shell.lists import command_list, script
from remit.shell.quotes import ansi_quoted, single_quoted
from remit.shell.reader import Reader
from remit.shell.words import Hole, Partial

Part = str | Hole

_PARAMETER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]")
_DOUBLE_RUN = re.compile(r'[^"\\`$]+')
_SIMPLE_BRACES = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
_BRACES_RUN = re.compile(r"[^}$`\\'\"<>\n]+")
_HARMLESS = re.compile(r"(?:[^$`}\"\\{]|\\[a-z])*+")
_BACKTICK = re.compile(r"`((?:[^\\`]|\\.)*+)`", re.DOTALL)
_PLAIN_PARAMETER = r"(?:[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])"
# What POSIX has, which zsh reads alike. Compiled on need: most text is for bash.
_PORTABLE_BRACES = rf"\$\{{(?:#?{_PLAIN_PARAMETER}\}}|{_PLAIN_PARAMETER}(?::?[-=+?]|##?|%%?))"
_EVALUATING_BRACES = re.compile(r"\$\{!|\$\{#?[A-Za-z0-9_@*]+(?:\[|:(?![-=+?]))")
_ALL_ELEMENTS = re.compile(r"\$\{[#!]?[A-Za-z0-9_]+\[[@*]\][^\[:]*\}\Z")
_BRACES_NAME = re.compile(r"\A\$\{[#!]?[A-Za-z0-9_@*]+")
_INDIRECT = re.compile(r"\$\{!([A-Za-z_][A-Za-z0-9_]*)\}\Z")
_ASSIGNING_BRACES = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?:\[[^\]]*\])?:?=")
_PROMPT = re.compile(r"@P\s*\}\Z")
_CLOSE_SUBSTITUTION = frozenset(")")


def dollar(reader: Reader, quoted: bool) -> Part:
    """What starts with `$`: an expansion, or a plain dollar. `quoted`: inside double quotes or a heredoc."""
    text, start = reader.text, reader.pos
    following = text[start + 1 : start + 2]
    if following == "(":
        return _parenthesis(reader, quoted)
    if following == "{":
        return _braces(reader, quoted)
    if following == "[":
        from remit.shell.arithmetic import old_arithmetic

        reader.only_bash()
        old_arithmetic(reader)
        return Hole("arith", text[start : reader.pos], "", not quoted)
    if following == "\\" and text.startswith("\n", start + 2):
        reader.decline(constructs.LINE_CONTINUATION)
    found = _PARAMETER.match(text, start + 1)
    if not found:
        reader.pos = start + 1
        _check_plain_dollar(reader, following)
        return "$"
    reader.pos = found.end()
    _check_parameter(reader, found[0])
    name = found[0] if found[0][0].isalpha() or found[0][0] == "_" else ""
    return Hole("param", text[start : reader.pos], name, found[0] == "@" or not quoted)


def _check_plain_dollar(reader: Reader, following: str) -> None:
    # `$+x`, `$^x`, `$~x`, `$=x` expand in zsh.
    if reader.work.dialect == "zsh" and following and following in "+^~=:":
        reader.decline(constructs.DIALECT)


def _check_parameter(reader: Reader, name: str) -> None:
    """What follows a parameter and makes it another one somewhere: a continued name, `$10`, `$x[1]`, `$x:h`."""
    rest = reader.text[reader.pos : reader.pos + 2]
    if rest == "\\\n":
        reader.decline(constructs.LINE_CONTINUATION)
    if reader.work.dialect == "sh" and name.isdigit() and rest[:1].isdigit():
        reader.decline(constructs.DIALECT)
    if reader.work.dialect == "zsh" and (
        rest[:1] == "[" or (rest[:1] == ":" and (rest[1:].isalpha() or rest[1:] == "&"))
    ):
        reader.decline(constructs.DIALECT)


def _parenthesis(reader: Reader, quoted: bool) -> Hole:
    """bash(1) "Command Substitution", "Arithmetic Expansion": `$((` is arithmetic if a matching `))` closes it."""
    text, start = reader.text, reader.pos
    if text.startswith("$((", start):
        from remit.shell.arithmetic import arithmetic, arithmetic_end  # rare, and it contains expansions

        end = arithmetic_end(reader, start + 3)
        if end >= 0:
            reader.pos = start + 3
            arithmetic(reader, end)
            reader.pos = end + 2
            return Hole("arith", text[start : reader.pos], "", not quoted)
    elif text.startswith("$(\\\n", start):
        reader.decline(constructs.LINE_CONTINUATION)
    reader.pos = start + 2
    substitution(reader, "substitution")
    return Hole("command", text[start : reader.pos], "", not quoted)


def substitution(reader: Reader, kind: str) -> None:
    """The list behind `$(`, `<(` or `>(`, and its `)`. Its heredocs end inside it; no line of it is an outer heredoc's."""
    outer, reader.heredocs = reader.heredocs, []
    start, saved = reader.pos, reader.enter(kind)
    command_list(reader, _CLOSE_SUBSTITUTION)
    if not reader.at(")"):
        reader.decline(constructs.SYNTAX)
    if reader.heredocs or (outer and "\n" in reader.text[start : reader.pos]):
        reader.decline(constructs.HEREDOC_IN_SUBSTITUTION)
    reader.pos += 1
    reader.heredocs = outer
    reader.leave(saved)


def backtick(reader: Reader, in_quotes: bool) -> Hole:
    """bash(1) "Command Substitution", the old form: backslashes before `$`, backtick, backslash (in quotes: `"`) go first."""
    start = reader.pos
    found = _BACKTICK.match(reader.text, start)
    if not found:
        reader.decline(constructs.UNTERMINATED_QUOTE)
    inner = found[1]
    if "\\\n" in inner and "'" in inner:
        # bash joins the lines even where single quotes inside would keep them.
        reader.decline(constructs.LINE_CONTINUATION)
    exact = "\\" not in inner
    if not exact:
        inner = re.sub(r'\\([$`\\"])' if in_quotes else r"\\([$`\\])", r"\1", inner)
    saved = reader.enter("substitution")
    script(reader.nested(inner, reader.place(start + 1), exact and reader.exact))
    reader.leave(saved)
    reader.pos = found.end()
    return Hole("command", found[0], "", not in_quotes)


def _braces(reader: Reader, quoted: bool) -> Hole:
    """bash(1) "Parameter Expansion": `${…}`."""
    text, start = reader.text, reader.pos
    plain = _SIMPLE_BRACES.match(text, start + 1)
    if plain:
        reader.pos = plain.end()
        return Hole("param", text[start : reader.pos], plain[1], not quoted)
    _check_braces(reader)
    reader.deepen()
    reader.pos = start + 2
    while not reader.at("}"):
        _braces_piece(reader, quoted)
    reader.pos += 1
    reader.depth -= 1
    source = text[start : reader.pos]
    _note_braces(reader, source)
    if _PROMPT.search(source):
        reader.decline(constructs.PROMPT_EXPANSION)
    return Hole("param", source, "", "@" in source or not quoted)


def _check_braces(reader: Reader) -> None:
    text, start = reader.text, reader.pos
    following = text[start + 2 : start + 3]
    if following in ("", " ", "\t", "\n", "|", "}"):
        reader.decline(constructs.FUNCTION_SUBSTITUTION)
    if reader.work.dialect != "bash" and not re.compile(_PORTABLE_BRACES).match(text, start):
        reader.decline(constructs.DIALECT)
    if _EVALUATING_BRACES.match(text, start):
        reader.work.evaluates = True


def _note_braces(reader: Reader, source: str) -> None:
    """Remember what `${!x}`, `${x[…]}` and `${x:…}` evaluate, and that `${x:=…}` sets a variable."""
    if _EVALUATING_BRACES.match(source) and not _ALL_ELEMENTS.match(source):
        named = _INDIRECT.match(source)
        reader.work.evaluated.append(named[1] if named else _BRACES_NAME.sub("", source))
    assigned = _ASSIGNING_BRACES.match(source)
    if assigned:
        reader.work.sets.append(Setting(assigned[1], Partial((Hole("unknown", source, "", True),), source), -1))


def _braces_piece(reader: Reader, quoted: bool) -> None:
    """One piece of what stands inside `${…}`."""
    run = _BRACES_RUN.match(reader.text, reader.pos)
    if run:
        reader.pos = run.end()
        return
    if reader.pos >= reader.size:
        reader.decline(constructs.SYNTAX)
    char = reader.text[reader.pos]
    if char == "$":
        _dollar_in_braces(reader, quoted)
    elif char == "`":
        backtick(reader, quoted)
    elif char == "\\":
        _escape_in_braces(reader)
    elif char == "'":
        _quote_in_braces(reader, quoted)
    elif char == '"':
        reader.pos += 1
        double_quoted(reader, [])
    elif char in "<>" and reader.text.startswith("(", reader.pos + 1) and not quoted:
        reader.pos += 2
        substitution(reader, "process")
    else:
        reader.pos += 1


def _dollar_in_braces(reader: Reader, quoted: bool) -> None:
    if reader.at("$'") and not quoted:
        reader.pos += 2
        _check_literal(reader, ansi_quoted(reader))
    else:
        dollar(reader, True)


def _escape_in_braces(reader: Reader) -> None:
    # `\$(…)` stays text here, but a subscript or an offset is evaluated, and then it is not.
    following = reader.text[reader.pos + 1 : reader.pos + 3]
    if following[:1] in ("", "\n", "`") or following == "$(":
        reader.decline(constructs.QUOTE_IN_EXPANSION)
    reader.pos += 2


def _quote_in_braces(reader: Reader, quoted: bool) -> None:
    """A `'`: inside double quotes it quotes behind `#`, `%`, `/` but not behind `-`, `=`, `+`, `?`.

    So there it is stepped over only if both readings agree on what follows.
    """
    reader.pos += 1
    start = reader.pos
    if not quoted:
        _check_literal(reader, single_quoted(reader))
        return
    end = reader.text.find("'", start)
    if end < 0:
        return
    harmless = _HARMLESS.match(reader.text, start, end)
    if not harmless or harmless.end() != end:
        reader.decline(constructs.QUOTE_IN_EXPANSION)
    reader.pos = end + 1


def _check_literal(reader: Reader, text: str) -> None:
    if "$(" in text or "`" in text or "${" in text:
        reader.decline(constructs.QUOTE_IN_EXPANSION)


def double_quoted(reader: Reader, parts: list[Part]) -> None:
    """`"…"`, from behind the opening quote: bash(1) "Double Quotes". Adds at least one part."""
    parts.append("")
    text = reader.text
    while True:
        run = _DOUBLE_RUN.match(text, reader.pos)
        if run:
            parts.append(run[0])
            reader.pos = run.end()
        char = text[reader.pos : reader.pos + 1]
        if char == '"':
            reader.pos += 1
            return
        if not char:
            reader.decline(constructs.UNTERMINATED_QUOTE)
        parts.append(quoted_piece(reader, char, '$`"\\', True))


def quoted_piece(reader: Reader, char: str, escapable: str, in_quotes: bool) -> Part:
    """A backslash or an expansion inside double quotes or a heredoc's body."""
    if char == "$":
        return dollar(reader, True)
    if char == "`":
        # Inside a heredoc the body is not in quotes, but its result is not split either.
        return backtick(reader, in_quotes)._replace(many=False)
    escaped = reader.text[reader.pos + 1 : reader.pos + 2]
    reader.pos += 1 + len(escaped)
    if escaped == "\n":
        return ""
    return escaped if escaped and escaped in escapable else "\\" + escaped
