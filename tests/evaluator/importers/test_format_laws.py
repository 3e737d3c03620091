"""Laws of the importers of Codex, Gemini, AgentScope, OpenCode and AstroResearch, for settings of any shape."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.importers import FORMATS, Conversion, ConversionError, convert_report
from remit.importers.writing import comment
from remit_dsl.compiler import compile_policies
from remit_dsl.formatter import format_source
from remit_dsl.parser import parse
from remit_dsl.program import Program
from remit_dsl.source import Source
from remit_dsl.tree import Rule

OTHERS = sorted(set(FORMATS) - {"claude-code"})
TEXTS = st.text(st.sampled_from(" \n*/\\\"'()[]{}@$~!?#:;&|<>=,.-gitrm\u2028\x00ä"), max_size=12)
CONTENTS = TEXTS | st.sampled_from(
    ["git push:*", "rm -rf", "npm run *", "/etc/*", "*.env", "*", "", "a?b", "src/*x*/*", "**"]
)
NAMES = st.sampled_from(["Bash", "Read", "Write", "Grep", "run_bash", "read_file", "mcp__a__b", "we ird", "*", ""])


def _agentscope(draw: st.DrawFn) -> str:
    rule = st.fixed_dictionaries({"tool_name": NAMES, "rule_content": st.none() | CONTENTS})
    rules = st.dictionaries(NAMES, st.lists(rule, max_size=2), max_size=3)
    lists = {f"{effect}_rules": rules for effect in ("deny", "ask", "allow")}
    optional = {**lists, "working_directories": st.dictionaries(CONTENTS, st.just({}), max_size=2), "mode": TEXTS}
    return json.dumps(draw(st.fixed_dictionaries({}, optional=optional)))


def _opencode(draw: st.DrawFn) -> str:
    action = st.sampled_from(["allow", "ask", "deny"])
    keys = st.sampled_from(
        ["*", "bash", "edit", "read", "webfetch", "external_directory", "doom_loop", "srv_tool", "a-*", "task"]
    )
    permission = action | st.dictionaries(keys, action | st.dictionaries(CONTENTS, action, max_size=4), max_size=5)
    agent = st.dictionaries(TEXTS, st.fixed_dictionaries({"permission": permission}), max_size=2)
    tools = st.dictionaries(keys, st.booleans(), max_size=2)
    return json.dumps(
        draw(st.fixed_dictionaries({}, optional={"permission": permission, "agent": agent, "tools": tools}))
    )


def _gemini(draw: st.DrawFn) -> str:
    tools = st.sampled_from(["run_shell_command", "read_file", "write_file", "*", "mcp_a_*", "we ird"])
    shapes: list[st.SearchStrategy[dict[str, Any]]] = [
        st.fixed_dictionaries({"toolName": tools | st.lists(tools, min_size=1, max_size=2)}),
        st.fixed_dictionaries({"toolName": tools, "argsPattern": CONTENTS}),
        st.fixed_dictionaries({"toolName": st.just("run_shell_command"), "commandPrefix": CONTENTS.filter(bool)}),
        st.fixed_dictionaries({"toolName": st.just("run_shell_command"), "commandRegex": CONTENTS}),
    ]
    decided = st.fixed_dictionaries(
        {"decision": st.sampled_from(["allow", "deny", "ask_user"]), "priority": st.integers(0, 999)},
        optional={
            "modes": st.just(["plan", "yolo"]),
            "interactive": st.booleans(),
            "subagent": st.just("x"),
            "denyMessage": TEXTS,
        },
    )
    rules = [draw(st.one_of(shapes)) | draw(decided) for _ in range(draw(st.integers(0, 4)))]
    return "\n".join(
        "[[rule]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in rule.items()) for rule in rules
    )


def _codex(draw: st.DrawFn) -> str:
    word = CONTENTS | st.lists(CONTENTS, min_size=1, max_size=3)
    decision = st.sampled_from(["allow", "prompt", "forbidden"])
    rule = st.tuples(st.lists(word, min_size=1, max_size=3), decision)
    rules = draw(st.lists(rule, max_size=4))
    return "\n".join(f"prefix_rule(pattern={pattern!r}, decision={decided!r})" for pattern, decided in rules)


def _astroresearch(draw: st.DrawFn) -> str:
    names = [
        "AGENT_PERMISSIONS_DENY",
        "AGENT_PERMISSIONS_ASK",
        "AGENT_PERMISSIONS_ALLOW",
        "AGENT_ADDITIONAL_DIRS",
        "AGENT_DENIAL_MAX_TOTAL",
    ]
    rule = st.builds("{}({})".format, NAMES, CONTENTS) | NAMES | CONTENTS
    lines = draw(st.lists(st.tuples(st.sampled_from(names), st.lists(rule, max_size=3)), max_size=4))
    return "\n".join(f"{name}={','.join(rules)}".replace("\n", " ") for name, rules in lines)


SETTINGS = {
    "agentscope": _agentscope,
    "opencode": _opencode,
    "gemini": _gemini,
    "codex": _codex,
    "astroresearch": _astroresearch,
}


@st.composite
def conversions(draw: st.DrawFn) -> Conversion:
    """What comes of settings of one of the formats, if anything does."""
    name = draw(st.sampled_from(OTHERS))
    text = SETTINGS[name](draw)
    try:
        return convert_report(name, text, with_defaults=draw(st.booleans()))
    except ConversionError:
        return Conversion("", ())


def test_every_format_has_settings_here() -> None:
    assert sorted(SETTINGS) == OTHERS


@pytest.mark.parametrize("name", OTHERS)
@given(text=st.text() | st.text(st.sampled_from('{}[]":,\\ \n\ufeff()=#abAGENT_')))
def test_any_text_is_converted_or_refused(name: str, text: str) -> None:
    try:
        conversion = convert_report(name, text)
    except ConversionError:
        return
    assert isinstance(compile_policies([Source("s", conversion.source)]), Program)


@given(conversions())
def test_a_conversion_is_a_policy(conversion: Conversion) -> None:
    assert isinstance(compile_policies([Source("s", conversion.source)]), Program)


@given(conversions())
def test_the_text_is_canonical(conversion: Conversion) -> None:
    assert format_source(Source("s", conversion.source)) == (conversion.source, ())


@given(conversions())
def test_every_note_is_a_comment_too(conversion: Conversion) -> None:
    for note in conversion.notes:
        assert comment(f"not carried over: {note.why}; {note.instead}") in conversion.source.splitlines()


@given(conversions())
def test_a_rule_has_the_effect_of_its_entry(conversion: Conversion) -> None:
    """A rule that allows stands below an entry that allows, and one that denies below one that denies."""
    file, _ = parse(Source("s", conversion.source))
    assert file is not None
    for rule in (node for node in file.statements if isinstance(node, Rule)):
        label = rule.label.text if rule.label else ""
        if label.startswith(("allow-", "ask-", "deny-")):
            assert rule.effect == label.split("-")[0]
