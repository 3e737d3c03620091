"""Laws of the Claude Code importer, for settings of any shape."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from remit.facts import Unit
from remit.importers import Conversion, ConversionError, convert_report
from remit.importers.claude_reading import Effect
from remit.importers.claude_rules import read_rule
from remit.importers.writing import comment, escape_glob, like_target, target
from remit.match_shell import match_narrowly
from remit_dsl.formatter import format_source
from remit_dsl.globs import glob_matches, parse_glob
from remit_dsl.parser import parse
from remit_dsl.patterns import PatternError, ShellPattern, parse_host_pattern, parse_path_pattern, parse_shell_pattern
from remit_dsl.plans import shell_plan
from remit_dsl.source import Source
from remit_dsl.tree import Content, Default, Rule

TOOLS = [
    "Bash",
    "PowerShell",
    "Read",
    "Write",
    "Glob",
    "WebFetch",
    "Agent",
    "Skill",
    "mcp__a__b",
    "mcp__a",
    "Frob",
    "a b",
]
CONTENTS = st.text(st.sampled_from(" \t\n*/\\\"'()[]{}@$`~!?#:;&|<>=,.-ablike\u2028\x00\ud800ä"), max_size=20)
RULES = st.one_of(
    st.builds("{}({})".format, st.sampled_from(TOOLS), CONTENTS),
    st.builds("WebFetch(domain:{})".format, CONTENTS),
    st.builds("{}(model:{})".format, st.sampled_from(TOOLS), CONTENTS),
    st.sampled_from([*TOOLS, "*", "mcp__*", "B*"]),
    st.text(max_size=12),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=5,
)
LISTS = st.lists(RULES | JSON, max_size=4)
PERMISSIONS = st.fixed_dictionaries(
    {},
    optional={
        "deny": LISTS,
        "ask": LISTS,
        "allow": LISTS,
        "additionalDirectories": LISTS,
        "defaultMode": JSON,
        "disableBypassPermissionsMode": JSON,
        "other": JSON,
    },
)
SETTINGS = st.fixed_dictionaries({"permissions": PERMISSIONS}, optional={"sandbox": JSON, "disableAutoMode": JSON})


def _convert(settings: object) -> Conversion:
    return convert_report("claude-code", json.dumps(settings))


def _rules(conversion: Conversion) -> list[Rule]:
    file, diagnostics = parse(Source("s", conversion.source))
    assert file is not None
    assert not diagnostics
    return [node for node in file.statements if isinstance(node, Rule)]


@given(JSON | st.fixed_dictionaries({}, optional={"permissions": JSON | PERMISSIONS}))
def test_any_json_is_converted_or_refused(value: object) -> None:
    try:
        conversion = _convert(value)
    except ConversionError:
        return
    _rules(conversion)


@given(st.text() | st.text(st.sampled_from('{}[]":,\\ \n\ufeff1eE-+.truefalsnN')))
def test_any_text_is_converted_or_refused(text: str) -> None:
    try:
        conversion = convert_report("claude-code", text)
    except ConversionError:
        return
    _rules(conversion)


@given(SETTINGS)
def test_nothing_is_dropped(settings: dict[str, Any]) -> None:
    """Every entry of a list has its rule or its note."""
    conversion = _convert(settings)
    labels = {rule.label.text.removesuffix("-ask") for rule in _rules(conversion) if rule.label}
    places = {note.place for note in conversion.notes}
    for key, label in (("deny", "deny"), ("ask", "ask"), ("allow", "allow"), ("additionalDirectories", "directory")):
        for index in range(1, len(settings["permissions"].get(key, ())) + 1):
            assert f"{label}-{index}" in labels or f"permissions.{key}[{index}]" in places


@given(SETTINGS)
def test_only_an_allow_allows(settings: dict[str, Any]) -> None:
    """Rules that allow come from entries that allow; rules that deny from entries that deny; no default is set."""
    conversion = _convert(settings)
    for rule in _rules(conversion):
        assert rule.label is not None
        origin = rule.label.text.split("-")[0]
        assert (rule.effect, origin) in {
            ("allow", "allow"),
            ("allow", "directory"),
            ("ask", "ask"),
            ("ask", "deny"),
            ("deny", "deny"),
        }
    file, _ = parse(Source("s", conversion.source))
    assert file is not None
    assert not any(isinstance(node, Default) for node in file.statements)


@given(SETTINGS)
def test_a_deny_or_ask_that_names_a_tool_restricts(settings: dict[str, Any]) -> None:
    """Whatever stands in its parentheses, a deny or ask becomes some rule that denies or asks."""
    conversion = _convert(settings)
    labels = {rule.label.text for rule in _rules(conversion) if rule.label}
    for effect in ("deny", "ask"):
        for index, entry in enumerate(settings["permissions"].get(effect, ()), 1):
            if isinstance(entry, str) and re.match(r"\s*[^\s(]", entry) and not re.match(r"\s*Cd\s*(\(|$)", entry):
                assert f"{effect}-{index}" in labels


@given(SETTINGS, st.booleans())
def test_the_text_is_canonical(settings: dict[str, Any], with_defaults: bool) -> None:
    source = convert_report("claude-code", json.dumps(settings), with_defaults=with_defaults).source
    assert format_source(Source("s", source)) == (source, ())


@given(SETTINGS)
def test_every_note_is_a_comment_too(settings: dict[str, Any]) -> None:
    conversion = _convert(settings)
    assert conversion.source.count("\n# not carried over: ") == len(conversion.notes)
    for note in conversion.notes:
        assert comment(f"not carried over: {note.why}; {note.instead}") in conversion.source.splitlines()


@given(SETTINGS, LISTS)
def test_lists_do_not_touch_each_other(settings: dict[str, Any], more: list[Any]) -> None:
    """What a list becomes does not depend on the others."""
    before = [line for line in _convert(settings).source.splitlines() if "deny-" in line]
    settings["permissions"]["allow"] = more
    assert [line for line in _convert(settings).source.splitlines() if "deny-" in line] == before


@given(SETTINGS)
def test_every_pattern_is_one(settings: dict[str, Any]) -> None:
    """What stands in a target's parentheses is a pattern of its kind, so that no rule is refused later."""
    parsers: dict[str, Callable[[str], object]] = {"Bash": parse_shell_pattern, "PowerShell": parse_shell_pattern}
    parsers |= {"WebFetch": parse_host_pattern, "net.connect": parse_host_pattern}
    parsers |= dict.fromkeys(("fs.read", "fs.write", "fs.delete"), parse_path_pattern)
    for rule in _rules(_convert(settings)):
        for node in rule.targets:
            if node.content and node.content.form != "like" and node.name in parsers:
                assert not isinstance(parsers[node.name](node.content.text), PatternError)


# --- writing ---------------------------------------------------------------------------------------------------

TEXTS = CONTENTS | st.text(max_size=20)


def _content(written: str) -> Content:
    file, diagnostics = parse(Source("s", f"deny x: {written}"))
    assert file is not None
    assert not diagnostics
    (rule,) = file.statements
    assert isinstance(rule, Rule)
    (only,) = rule.targets
    assert only.content is not None
    return only.content


@given(TEXTS)
@example("like")
@example('like "x"')
@example('"x"')
@example("\\")
@example("((((((((x))))))))")
@example("a)b(c")
@example("#x, y { }")
def test_a_target_reads_back(text: str) -> None:
    assume(text and not re.search("[\ud800-\udfff]", text))
    content = _content(target("Tool", text))
    assert content.form in ("raw", "quoted")
    assert content.text == text


@given(TEXTS)
def test_a_like_target_reads_back(text: str) -> None:
    assume(not re.search("[\ud800-\udfff]", text))
    content = _content(like_target("Tool", text))
    assert (content.form, content.text) == ("like", text)


@given(TEXTS)
def test_a_comment_is_one_line_that_can_be_read(text: str) -> None:
    line = comment(text)
    file, diagnostics = parse(Source("s", line))
    assert file is not None
    assert not diagnostics
    assert not file.statements
    assert len(file.comments) == 1


@given(TEXTS, st.booleans(), st.booleans())
def test_an_escaped_glob_matches_itself_alone(text: str, question: bool, classes: bool) -> None:
    glob = parse_glob(escape_glob(text), question=question, classes=classes)
    assert glob == text
    assert glob_matches(glob, text)


def _seconds(rule: str) -> float:
    text = json.dumps({"permissions": {"deny": [rule], "allow": [rule]}})

    def run() -> float:
        began = time.process_time()
        convert_report("claude-code", text)
        return time.process_time() - began

    return min(run() for _ in range(3))


LINEAR = [
    ("Bash(", unit) for unit in ("a 2>&1 ", "a ", "'", "\\", "$x", "'a\\\n", "X=1 ", "@a ", "* ", "a;", "a~ ", "~/ ")
]
LINEAR += [("Read(", unit) for unit in ("**/", "[", "[a", "../", "\\")]
LINEAR += [
    ("WebFetch(domain:", "a."),
    ("WebFetch(domain:", "é"),
    ("Skill(", "a *"),
    ("x:", "* "),
    ("mcp__", "a__"),
    ("(", "("),
]


@pytest.mark.parametrize(("start", "unit"), LINEAR)
def test_reading_is_linear(start: str, unit: str) -> None:
    """Sixteen times the text takes at most some sixty times as long, whatever it repeats; quadratic would be 256."""
    short, long = (start + unit * (size // len(unit)) + ")" for size in (1_000, 16_000))
    assert _seconds(long) < 60 * max(_seconds(short), 0.000_2)


# --- commands --------------------------------------------------------------------------------------------------

WORDS = st.sampled_from(["a", "b", "ab", "axb", "-x"])
COMMANDS = st.lists(WORDS, min_size=1, max_size=4)
BASH_RULES = st.builds(
    lambda words, end: " ".join(words) + end,
    st.lists(WORDS | st.sampled_from(["*", "a*", "*b", "a*b", "**"]), min_size=1, max_size=4),
    st.sampled_from(["", ":*", "*"]),
)


def _matches_there(content: str, command: str, *, loosely: bool = False) -> bool:
    """Claude Code's comparison; loosely: stars that are words may stand for nothing, as they may here."""
    words = re.sub(r"\*+", "*", re.sub(r":\*$", " *", content)).split(" ")
    if loosely:
        words = [word for word, after in zip(words, [*words[1:], ""], strict=True) if (word, after) != ("*", "*")]
    pattern = ".*".join(map(re.escape, " ".join(words).split("*")))
    if loosely:
        pattern = re.sub(r"(?<=\\ )\.\*\\ ", r"(?:.*\\ )?", pattern)
    return re.fullmatch(re.sub(r"\\ \.\*$", r"(?:\\ .*)?", pattern), command) is not None


def _matches_here(targets: tuple[str, ...], words: list[str]) -> bool:
    unit = Unit("command", " ".join(words), tuple(words), words[0])
    for written in targets:
        if written == "Bash":
            return True
        content = _content(written)
        pattern = parse_shell_pattern(content.text)
        if content.form == "like":
            matched = glob_matches(parse_glob(content.text, question=False, classes=False), unit.text)
        else:
            assert isinstance(pattern, ShellPattern)
            matched = match_narrowly(shell_plan(pattern), unit, {}, ())
        if matched:
            return True
    return False


@given(BASH_RULES, COMMANDS)
def test_a_restriction_is_never_narrower(content: str, words: list[str]) -> None:
    """What Claude Code's deny or ask is about, the targets are about; an ask in place of a deny counts."""
    assume(_matches_there(content, " ".join(words)))
    effects: tuple[Effect, ...] = ("deny", "ask")
    for effect in effects:
        reading = read_rule(f"Bash({content})", effect)
        assert _matches_here((*reading.targets, *reading.asks), words)


@given(BASH_RULES, COMMANDS)
@example("a* b", ["a", "x", "b"])
@example("a * b", ["a", "b"])
def test_a_permission_is_never_wider(content: str, words: list[str]) -> None:
    if _matches_here(read_rule(f"Bash({content})", "allow").targets, words):
        assert _matches_there(content, " ".join(words), loosely=True)
