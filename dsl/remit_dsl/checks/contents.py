"""Targets: what stands in their parentheses is read by the kind of what it is matched against, and turned into program rows."""

from __future__ import annotations

import re
from typing import Any

from remit_dsl.checks.findings import Findings
from remit_dsl.globs import parse_glob
from remit_dsl.patterns import PatternError, parse_host_pattern, parse_path_pattern, parse_shell_pattern
from remit_dsl.policy import Row, SetValue, World
from remit_dsl.source import Span
from remit_dsl.suggest import did_you_mean, nearest
from remit_dsl.tree import Content, Target
from remit_dsl.vocabulary import CAPABILITIES, SET_NOTATION, SUBJECT_NOTATION, Notation

_SET_FOR: dict[Notation, str] = {"path": "paths", "host": "hosts", "word": "words"}
_ESCAPED_WIDTH = 2


def tool_glob(name: str) -> Any:
    """The glob over tool names that a target's name writes."""
    return parse_glob(name, question=False, classes=False) if "*" in name else name


def check_target(target: Target, world: World, findings: Findings, used: set[str]) -> Row | None:
    """The program row of a target ([kind, name, patterns, text]), or None when something is wrong with it.

    The keys of the word sets that its pattern refers to are added to `used`.
    """
    text = findings.source.text[target.span.start : target.span.end]
    if target.name in CAPABILITIES:
        return _capability(target, world, findings, text)
    if not _is_tool(target, world, findings):
        return None
    name = tool_glob(target.name)
    if target.content is None:
        return ["any", name, [], text]
    if target.content.form == "like":
        return ["like", name, [text_glob(target.content.text)], text]
    return _content(target, target.content, world, findings, text, used)


def text_glob(text: str) -> Any:
    """The glob over free text that `like` takes: `*` and nothing else is special."""
    return parse_glob(text, question=False, classes=False)


def _capability(target: Target, world: World, findings: Findings, text: str) -> Row | None:
    content = target.content
    if content is None:
        return ["cap", target.name, [], text]
    if content.form == "like":
        help_text = f"write `{target.name}(…)` with a pattern, or `like` on a tool"
        findings.error("E301", content.span, f"`{target.name}` takes no text pattern", help_text)
        return None
    notation = CAPABILITIES[target.name]
    patterns = check_content(notation, content, world, findings)
    return None if patterns is None else ["cap", target.name, patterns, text]


def _is_tool(target: Target, world: World, findings: Findings) -> bool:
    """False for a capability that does not exist. Any other name may be that of a tool which nobody declares."""
    name = target.name
    if "*" in name:
        return True
    if name in world.tools:
        _warn_of_alias(target, world, findings)
        return True
    if "." in name and name.partition(".")[0] in ("fs", "net", "exec"):
        help_text = did_you_mean(name, CAPABILITIES) or f"there are {', '.join(CAPABILITIES)}"
        findings.error("E213", _name_span(target), f"unknown capability `{name}`", help_text)
        return False
    if meant := nearest(name, world.tools):
        help_text = f"did you mean `{meant}`?"
        findings.warning("W604", _name_span(target), f"no tool `{name}` is declared", help_text)
    elif target.content is not None and target.content.form != "like":
        help_text = "declare it with `tool`: nobody knows which of its parameters is meant"
        if not world.tools:
            help_text = "`use std` declares the tools of the known agents"
        findings.warning("W605", target.content.span, f"a pattern on `{name}`, which no `tool` declares", help_text)
    return True


def _warn_of_alias(target: Target, world: World, findings: Findings) -> None:
    """Says when a rule names what one agent calls a tool by: other agents' calls of the same tool pass it by."""
    base = world.aliases.get(target.name)
    if base is not None:
        help_text = f"write `{base}`: it holds under every name of the tool"
        findings.warning(
            "W606", _name_span(target), f"`{target.name}` is only one agent's name for `{base}`", help_text
        )


def _name_span(target: Target) -> Span:
    return Span(target.span.start, target.span.start + len(target.name))


def _content(
    target: Target, content: Content, world: World, findings: Findings, text: str, used: set[str]
) -> Row | None:
    name = tool_glob(target.name)
    subject = world.tools.get(target.name)
    if subject == "":
        help_text = f"write `{target.name}` for every call, or test a parameter: `when input.… == …`"
        findings.error("E304", content.span, f"`{target.name}` has no subject that a pattern could match", help_text)
        return None
    notation = SUBJECT_NOTATION[subject] if subject else "text"
    if notation == "shell":
        pattern = _shell(content, world, findings, used)
        return None if pattern is None else ["shell", name, [pattern], text]
    patterns = check_content(notation, content, world, findings)
    return None if patterns is None else [notation, name, patterns, text]


def check_content(notation: Notation, content: Content, world: World, findings: Findings) -> list[Any] | None:
    """The patterns that a content writes (several for `@set`), or None when it is wrong."""
    if notation != "text" and content.text.startswith("@") and _is_name(content.text.strip()[1:]):
        found = find_set(content.text.strip()[1:], _SET_FOR[notation], content.span, world, findings)
        return None if found is None else list(found.patterns)
    pattern = _not_a_list(content) if notation == "path" else None
    if pattern is None:
        pattern = read_pattern(notation, content.text)
    if isinstance(pattern, PatternError):
        report_pattern(pattern, content, findings)
        return None
    return [pattern]


# A comma that lists: what stands in quotes or is escaped does not.
_LISTING_COMMA = re.compile(r"""(?:[^,\\"']|\\.|"(?:[^"\\]|\\.)*+"|'[^']*+'|,(?!\s)|["'\\])*+(,)""", re.DOTALL)


def _not_a_list(content: Content) -> PatternError | None:
    """What is wrong with raw content that lists patterns: it would be one pattern with a comma in it, which nothing matches."""
    found = _LISTING_COMMA.match(content.text) if content.form == "raw" else None
    if found is None:
        return None
    help_text = 'write `Tool(a), Tool(b)`; where the comma belongs to the pattern, `Tool("a, b")`'
    return PatternError("one pair of parentheses holds one pattern", help_text, found.start(1))


def read_pattern(notation: Notation, text: str) -> Any:
    """The compiled pattern, or a PatternError."""
    if notation == "path":
        return parse_path_pattern(text)
    if notation == "host":
        return parse_host_pattern(text)
    if notation == "word":
        return _word(text)
    return text_glob(text)


def _word(text: str) -> Any:
    bare = text.strip()
    blank = next((at for at, character in enumerate(bare) if character.isspace()), -1)
    if not bare:
        return PatternError("empty pattern", "write `*` for any", 0)
    if blank >= 0:
        help_text = "for a command with its arguments write `Bash(…)`"
        return PatternError("a program is one word", help_text, text.index(bare) + blank)
    return text_glob(bare)


def find_set(name: str, kind: str, span: Span, world: World, findings: Findings) -> SetValue | None:
    """The set called `name`, if it exists and is of the right kind."""
    found = world.sets.get(name)
    if found is None:
        findings.error("E202", span, f"unknown set `@{name}`", did_you_mean(name, world.sets))
    elif found.kind != kind and {found.kind, kind} != {"words", "tools"}:
        message = f"`@{name}` is a set of {found.kind}; {kind} are needed here"
        findings.error("E211", span, message)
    else:
        return found
    return None


def _shell(content: Content, world: World, findings: Findings, used: set[str]) -> Any:
    pattern = _not_a_list(content) or parse_shell_pattern(content.text)
    if isinstance(pattern, PatternError):
        report_pattern(pattern, content, findings)
        return None
    if "@" not in content.text:
        return pattern
    words = []
    for word in pattern.words:
        if isinstance(word, tuple) and word and word[0] == "@":
            found = find_set(word[1], "words", _place_of(content, "@" + word[1], findings), world, findings)
            if found is None:
                return None
            used.add(found.key)
            word = ("@", found.key)
        words.append(word)
    return pattern._replace(words=tuple(words))


def report_pattern(error: PatternError, content: Content, findings: Findings) -> None:
    """Says what is wrong with a pattern, at the very character."""
    start = _offset_in_source(content, error.offset, findings)
    end = min(start + 1, content.span.end) if error.offset < len(content.text) else start
    findings.error("E301", Span(start, max(start, end)), error.message, error.help)


def _place_of(content: Content, piece: str, findings: Findings) -> Span:
    at = content.text.find(piece)
    start = _offset_in_source(content, max(at, 0), findings)
    return Span(start, min(start + len(piece), content.span.end))


def _offset_in_source(content: Content, offset: int, findings: Findings) -> int:
    """Where the character `offset` of the content's text stands in the source; in strings, escapes are longer than what they mean."""
    if content.form == "raw":
        return min(content.span.start + offset, content.span.end)
    text = findings.source.text
    at = text.index('"', content.span.start) + 1
    for _ in range(offset):
        if text.startswith("\\u{", at):
            at = text.index("}", at) + 1
        else:
            at += _ESCAPED_WIDTH if text[at] == "\\" else 1
    return min(at, content.span.end)


def _is_name(text: str) -> bool:
    return bool(text) and all(char.isalnum() or char in "_-" for char in text)


def set_notation(kind: str) -> Notation:
    """The notation of a set's items."""
    return SET_NOTATION[kind]
