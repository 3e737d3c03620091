"""What to say when the text does not follow the grammar. Knows the terminals of `grammar.lark` by name, not lark."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from remit_dsl.diagnostics import Diagnostic
from remit_dsl.records import NamedTuple
from remit_dsl.source import Source
from remit_dsl.suggest import did_you_mean, nearest

# terminal -> the keywords that it stands for, in alphabetical order; none for signs, names and the like
Accepts = Mapping[str, tuple[str, ...]]


class Stop(NamedTuple):
    """Where reading stopped: the offset of the first text that fits nowhere, the terminals that would have fitted, each
    with the keywords that it stands for, the token read before it (its terminal, start and end), and the offset of the
    innermost open `{`, if any."""

    offset: int
    accepts: Accepts
    last_terminal: str
    last_start: int
    last_end: int
    open_brace: int | None


STATEMENTS: Final = {
    "POLICY": "policy",
    "USE": "use",
    "SET": "set",
    "DATA": "data",
    "SHADOW": "shadow",
    "EFFECT": "deny ask guard allow",
    "DEFAULT": "default",
    "MODE": "mode",
    "TOOL": "tool",
    "PROGRAM": "program",
    "ENV": "env",
    "FORBID": "forbid",
    "LOWER": "lower",
    "ON": "on",
    "TEST": "test",
}
_STATEMENT_WORDS: Final = tuple(" ".join(STATEMENTS.values()).split())
_CLAUSE_WORDS: Final = frozenset(
    {"except", "because", "severity", "owner", "ticket", "until", "in", "for", "when", "approvable"}
)
# Groups are named as one when all their terminals would fit: (what is said, the terminals).
_GROUPS: Final = (
    ("a statement", frozenset(STATEMENTS)),
    (
        "a clause",
        frozenset({"BECAUSE", "SEVERITY", "OWNER", "TICKET", "UNTIL", "IN_MODE", "FOR_AGENT", "WHEN", "APPROVABLE"}),
    ),
    ("a comparison", frozenset({"EQ", "LESS", "IN", "NOT_IN", "LIKE", "MATCHES", "HAS"})),
    ("a role", frozenset({"ROLE", "ACTS", "CODE"})),
    ("a modifier", frozenset({"MODIFIER", "UNTIL", "MATCHING"})),
    ("an option", frozenset({"GLOBAL", "FLAG", "OPTION", "OPTIONAL"})),
    ("a trait", frozenset({"READONLY", "ACTS", "INERT", "OTHER", "STYLE"})),
    ("a setting", frozenset({"TIER_SETTING", "TEXT_SETTING", "INTERACTIVE", "LABEL_SETTING", "LINK", "MODE"})),
    ("a value", frozenset({"FACT", "STRING", "INTEGER", "BOOL", "COUNT", "LSQB", "_LPAR"})),
    ("a constant", frozenset({"STRING", "INTEGER", "BOOL"})),
)
# Terminals that are not named by the keywords that they stand for.
_WORDS: Final = {
    "$END": "the end of the file",
    "DATE": "a date such as `2027-01-31`",
    "EQ": "`==` or `!=`",
    "EQUALS": "`=`",
    "FACT": "a fact",
    "FOR_AGENT": "`for agent`",
    "IN_MODE": "`in mode`",
    "INTEGER": "a number",
    "LABEL": "a label",
    "LABEL_NAME": "a label",
    "LESS": "`<`, `<=`, `>` or `>=`",
    "LSQB": "`[`",
    "MODIFIER": "a modifier such as `tree`",
    "NAME": "a name",
    "NOT_IN": "`not in`",
    "RBRACE": "`}`",
    "ROLE": "a role such as `read`",
    "RPAR": "`)`",
    "RSQB": "`]`",
    "SELECTOR": "positions such as `[0]` or `[1..]`",
    "STRING": "a string",
    "STYLE_WORD": "a style such as `single-dash`",
    "TARGET": "a target",
    "TOOL_NAME": "the name of a tool",
    "WORD": "a word",
    "_COLON": "`:`",
    "_COMMA": "`,`",
    "_EQUALS": "`=`",
    "_LBRACE": "`{`",
    "_LPAR": "`(`",
    "_RPAR": "`)`",
}
# Signs and values come before the keywords that could go on instead; the end of the file is never news.
_FIRST: Final = (
    "_COMMA",
    "_COLON",
    "_EQUALS",
    "EQUALS",
    "_LBRACE",
    "RBRACE",
    "_RPAR",
    "RPAR",
    "RSQB",
    "TARGET",
    "LABEL",
)
_MAX_NAMED = 8  # a longer list helps nobody
_MAX_SHOWN = 40  # characters of the text that was found

_FOUND = re.compile(r'"(?:[^"\\\r\n]++|\\[^\r\n])*+"|[A-Za-z0-9_@][A-Za-z0-9_.*-]*+|[=!<>]=|\.\.|\S')
_CALL = re.compile(r"[A-Za-z_*][A-Za-z0-9_.*-]*+\(")
_PARENS = re.compile(r"\\[^\r\n]|[()]")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*+")
# Words of other policy languages -> the keyword for it here.
_OTHER_WORDS: Final = {
    **dict.fromkeys(("if", "where", "provided"), "when"),
    **dict.fromkeys(("unless", "but"), "except"),
    **dict.fromkeys(("reason", "message", "description", "why"), "because"),
    **dict.fromkeys(("organisation", "organization", "company"), "org"),
    **dict.fromkeys(("permit", "accept", "grant"), "allow"),
    **dict.fromkeys(("block", "reject", "refuse", "prohibit", "never"), "deny"),
    **dict.fromkeys(("prompt", "confirm", "approve"), "ask"),
    **dict.fromkeys(("import", "include", "require"), "use"),
    **dict.fromkeys(("var", "let", "const", "list"), "set"),
    **dict.fromkeys(("expires", "expiry", "before"), "until"),
}
_CURLY = "“”„‟«»‘’‚‛"
_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">=", "in", "like", "matches", "has"})


def explain(source: Source, stop: Stop) -> Diagnostic:
    """The error for the place where reading stopped, as specific as can be told."""
    text = source.text
    taken = _taken_for_name(source, stop)
    if taken is not None:
        return taken
    end = len(text) if stop.offset >= len(text) else stop.offset + 1
    found = _FOUND.match(text, stop.offset)
    word = found.group() if found else ""
    if found:
        end = found.end()
    if text.startswith("//", stop.offset):
        return Diagnostic(
            "E101", "unexpected `//`", "comments begin with `#`", source.name, stop.offset, stop.offset + 2
        )
    special = (
        _closed_in_quotes(source, stop)
        or _character(source, stop)
        or _parentheses(source, stop)
        or _unclosed_block(source, stop, word)
    )
    if special is not None:
        return special
    if {"POLICY", "TEST"} <= stop.accepts.keys() and _WORD.fullmatch(word) and "BECAUSE" not in stop.accepts:
        help_text = _keyword_for(word, _STATEMENT_WORDS) or did_you_mean(word, _STATEMENT_WORDS)
        if not help_text:
            help_text = "statements begin with " + ", ".join(f"`{w}`" for w in _STATEMENT_WORDS)
        return Diagnostic("E102", f"unknown statement {_quoted(word)}", help_text, source.name, stop.offset, end)
    message = f"expected {_expected(stop.accepts)}, found {_described(word)}"
    return Diagnostic("E101", message, _hint(text, stop, word), source.name, stop.offset, end)


def _taken_for_name(source: Source, stop: Stop) -> Diagnostic | None:
    """A target or an operand is missing: the keyword behind was read as the name of a tool or a fact, and what follows
    the keyword then fits nowhere."""
    word = source.text[stop.last_start : stop.last_end]
    if stop.last_terminal not in {"TARGET", "FACT"} or word not in _CLAUSE_WORDS | set(_STATEMENT_WORDS):
        return None
    expected = "a value"
    if stop.last_terminal == "TARGET":
        before = source.text[max(0, stop.last_start - 200) : stop.last_start].rstrip()[-1:]
        expected = "a target" if before in {",", ":"} else "a target or a label"
    message = f"expected {expected}, found `{word}`"
    return Diagnostic("E101", message, "", source.name, stop.last_start, stop.last_end)


def _closed_in_quotes(source: Source, stop: Stop) -> Diagnostic | None:
    """Content that ended at a `)` inside quotation marks, which do not count there, so that its rest fits nowhere."""
    target = source.text[stop.last_start : stop.last_end]
    if stop.last_terminal != "TARGET" or "\n" in source.text[stop.last_end : stop.offset]:
        return None
    if not any(target.count(mark) % 2 for mark in "\"'"):
        return None
    help_text = 'quotation marks do not hide a `)`: write `\\)`, or the whole content as `Tool("…")`'
    message = "the content ends at this `)`, within quotation marks"
    return Diagnostic("E101", message, help_text, source.name, stop.last_end - 1, stop.last_end)


def _character(source: Source, stop: Stop) -> Diagnostic | None:
    """Errors that show in the first character: a string that does not end, or a word processor's quotation marks."""
    text, at = source.text, stop.offset
    character = text[at : at + 1]
    if character == '"' and not _FOUND.match(text, at, _line_end(text, at)).group().endswith('"', 1):  # type: ignore[union-attr]
        help_text = "a string ends on the line where it begins; `\\n` in it is a line break"
        return Diagnostic("E103", "unclosed string", help_text, source.name, at, _line_end(text, at))
    if character and character in _CURLY:
        message = f"curly quotation mark {_quoted(character)}"
        return Diagnostic("E113", message, 'strings stand in straight ones: `"`', source.name, at, at + 1)
    return None


def _parentheses(source: Source, stop: Stop) -> Diagnostic | None:
    """Errors in `Tool(…)` that keep it from being a target at all."""
    text, at = source.text, stop.offset
    call = _CALL.match(text, at)
    if call is None or "TARGET" not in stop.accepts:
        return None
    opened, line_end = call.end() - 1, _line_end(text, at)
    depth = 0
    for sign in _PARENS.finditer(text, opened, line_end):
        depth += {"(": 1, ")": -1}.get(sign.group(), 0)
        if depth == 0:
            if text[sign.end() : sign.end() + 1] == "(":
                help_text = "targets are separated by commas"
                return Diagnostic("E101", "expected `,`, found `(`", help_text, source.name, sign.end(), sign.end() + 1)
            help_text = 'put the content in quotation marks: `Tool("…")`'
            return Diagnostic("E105", "content nested too deep", help_text, source.name, opened, sign.end())
    closed_later = ")" in text[line_end : line_end + 1000].split("\n\n")[0]
    help_text = (
        "content stands on one line"
        if closed_later
        else 'a `(` that belongs to the content is written `\\(`, or `Tool("…")`'
    )
    return Diagnostic("E104", "unclosed parenthesis", help_text, source.name, opened, opened + 1)


def _unclosed_block(source: Source, stop: Stop, word: str) -> Diagnostic | None:
    """A `{` without `}`: the file ends, or a statement begins at the left margin."""
    if stop.open_brace is None or "RBRACE" not in stop.accepts:
        return None
    at_margin = source.text[stop.offset - 1 : stop.offset] == "\n" and word in _STATEMENT_WORDS
    if stop.offset < len(source.text) and not at_margin:
        return None
    line, _ = source.position(stop.open_brace)
    what = _described(word)
    end = stop.offset + len(word)
    help_text = f"the block that begins on line {line} has no `}}`"
    return Diagnostic("E110", f"unclosed block, found {what}", help_text, source.name, stop.offset, end)


def _hint(text: str, stop: Stop, word: str) -> str:
    """What was probably meant, for the mistakes that are made often."""
    accepts = stop.accepts
    last = text[stop.last_start : stop.last_end]
    if meant := _keyword_for(word, _keywords(accepts)):
        return meant
    if word == "=" and "EQ" in accepts:
        return "`==` compares"
    if word in _COMPARISONS and "_AND" in accepts and "EQ" not in accepts:
        return "comparisons do not chain: write `a < b and b < c`"
    if word in {"not", "in"} and "_AND" in accepts and "EQ" not in accepts:
        return "comparisons do not chain"
    if word in {"&&", "&", "||", "|"} or word == "!":
        return "conditions are joined by `and`, `or` and `not`"
    if stop.last_terminal == "TARGET" and "_COMMA" in accepts and not _is_keyword_here(word, accepts):
        if "(" not in last and "." not in last and text[stop.offset : stop.offset + 1] not in {"", "{"}:
            return f"a label is followed by a colon (`{last}: …`), and targets are separated by commas"
        return _near_keyword(word, accepts) or "targets are separated by commas"
    if stop.last_terminal == "NOT" and word == "not":
        return "write `not (not …)`, or nothing"
    near = _near_keyword(word, accepts)
    if near:
        return near
    if stop.last_terminal == "WORD" and stop.last_end == stop.offset and word[:1] == '"':
        return "an item with a quotation mark in it stands in quotation marks as a whole"
    if stop.last_terminal in {"WORD", "STRING"} and "_COMMA" in accepts and "RBRACE" in accepts:
        return "items are separated by commas"
    if "STRING" in accepts and "WORD" not in accepts and len(accepts) == 1:
        return 'strings stand in quotation marks: `"…"`'
    return ""


def _is_keyword_here(word: str, accepts: Accepts) -> bool:
    return word in _keywords(accepts)


def _keyword_for(word: str, keywords: Iterable[str]) -> str:
    """A help text for a word that other languages have where this one has another."""
    if word.lower() == "unless" and "except" in keywords:
        return "write `except` with targets, or `when not (…)` with a condition"
    meant = _OTHER_WORDS.get(word.lower(), "")
    return f"write `{meant}`" if meant in keywords else ""


def _near_keyword(word: str, accepts: Accepts) -> str:
    if not _WORD.fullmatch(word):
        return ""
    return did_you_mean(word, _keywords(accepts)) if nearest(word, _keywords(accepts)) != word else ""


def _keywords(accepts: Accepts) -> set[str]:
    """The words that could stand here, as they are written."""
    return {word for words in accepts.values() for word in words}


def _expected(accepts: Accepts) -> str:
    """The terminals in words: signs first, then groups, then single words; long lists are cut."""
    left = set(accepts) - {"$END"} or set(accepts)
    named = [_WORDS[terminal] for terminal in _FIRST if terminal in left]
    left -= set(_FIRST)
    for words, group in _GROUPS:
        if group <= left:
            named.append(words)
            left -= group
    named += [word for terminal in sorted(left) for word in _named(terminal, accepts[terminal])]
    unique = list(dict.fromkeys(named))
    if len(unique) > _MAX_NAMED:
        unique = [*unique[: _MAX_NAMED - 1], "something else"]
    return " or ".join([", ".join(unique[:-1]), unique[-1]]) if len(unique) > 1 else unique[0]


def _named(terminal: str, keywords: tuple[str, ...]) -> list[str]:
    """A terminal as it is named to people; a choice of keywords as each of them."""
    if terminal in _WORDS:
        words = _WORDS[terminal]
        return re.split(", | or ", words) if words.startswith("`") else [words]
    return [f"`{keyword}`" for keyword in keywords]


def _described(word: str) -> str:
    if not word:
        return "the end of the file"
    return "a string" if word[0] == '"' and len(word) > 1 else _quoted(word)


def _quoted(word: str) -> str:
    shown = word if len(word) <= _MAX_SHOWN else word[: _MAX_SHOWN - 1] + "…"
    return f"`{shown}`"


def _line_end(text: str, offset: int) -> int:
    end = text.find("\n", offset)
    end = len(text) if end < 0 else end
    return end - 1 if end > offset and text[end - 1] == "\r" else end
