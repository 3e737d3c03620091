"""Claude Code's settings as policies: whole texts (corpus), and what no policy comes from."""

from __future__ import annotations

import json

import pytest
from cases import CORPUS, Case, Golden, read_cases

from remit.importers import FORMATS, ConversionError, convert, convert_report
from remit_dsl.formatter import format_source
from remit_dsl.parser import parse
from remit_dsl.source import Source
from remit_dsl.tree import ForbidMode, LowerTiers, Rule, Use

CASES = [case for path in sorted((CORPUS / "import").glob("claude-code-*.txt")) for case in read_cases(path)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_settings_become_a_policy(case: Case, golden: Golden) -> None:
    """The corpus says what each text becomes; it parses, and is in canonical form already."""
    policy = convert("claude-code", case.given)
    golden(case, policy)
    assert parse(Source("settings", policy))[1] == ()
    assert format_source(Source("settings", policy)) == (policy, ())


def _statements(settings: object, *, with_defaults: bool = False) -> list[object]:
    file, _ = parse(Source("s", convert("claude-code", json.dumps(settings), with_defaults=with_defaults)))
    assert file is not None
    return list(file.statements)


def test_defaults_come_only_when_asked_for() -> None:
    plain = [node.module.text for node in _statements({}) if isinstance(node, Use)]
    permitting = [node.module.text for node in _statements({}, with_defaults=True) if isinstance(node, Use)]
    assert plain == ["std", "std.guards"]
    assert permitting == ["std", "std.guards", "std.reading"]


def test_switches_and_managed_rules_become_statements() -> None:
    settings = {
        "permissions": {"disableBypassPermissionsMode": "disable"},
        "disableAutoMode": "disable",
        "allowManagedPermissionRulesOnly": True,
    }
    nodes = _statements(settings)
    forbidden = [name.text for node in nodes if isinstance(node, ForbidMode) for name in node.modes]
    allowed = [name.text for node in nodes if isinstance(node, LowerTiers) for name in node.may]
    assert forbidden == ["bypass", "auto"]
    assert allowed == ["deny", "ask"]


def test_every_note_stands_at_its_place() -> None:
    settings = {"permissions": {"deny": ["Bash(ls *)", "Bash(:*)"], "allow": [1], "defaultMode": "plan", "other": 0}}
    source, notes = convert_report("claude-code", json.dumps(settings))
    assert [note.place for note in notes] == [
        "permissions.deny[2]",
        "permissions.allow[1]",
        "permissions.defaultMode",
        "permissions.other",
    ]
    for note in notes:
        assert f"# not carried over: {note.why}; {note.instead}" in source
    assert str(notes[0]) == "permissions.deny[2]: it names no command; asks for Bash"


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    assert convert("claude-code", "\ufeff{}") == convert("claude-code", "{}")


def test_long_and_odd_originals_stay_on_their_comment_line() -> None:
    rule = "Bash(echo " + "x" * 200 + "\u2028\ud800\n deny everything: Bash)"
    (node,) = [node for node in _statements({"permissions": {"ask": [rule]}}) if isinstance(node, Rule)]
    assert node.effect == "ask"
    assert [target.name for target in node.targets] == ["Bash"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", "1:1: not JSON", id="empty"),
        pytest.param('{"a": 1,\n // no\n "b": 2}', "2:2: not JSON: .*JSON has no comments", id="comment"),
        pytest.param('{\n "a": }', "2:7: not JSON", id="place of an error"),
        pytest.param("[]", "not a JSON object", id="list"),
        pytest.param('"x"', "not a JSON object", id="string"),
        pytest.param('{"a": NaN}', "NaN", id="not a number"),
        pytest.param('{"a": -Infinity}', "-Infinity", id="infinity"),
        pytest.param('{"permissions": []}', "`permissions` is not an object", id="permissions are a list"),
        pytest.param('{"permissions": null}', "`permissions` is not an object", id="permissions are null"),
        pytest.param(
            '{"permissions": {"deny": "Bash(rm *)"}}', "`permissions.deny` is not a list", id="deny is a string"
        ),
        pytest.param('{"permissions": {"allow": {}}}', "`permissions.allow` is not a list", id="allow is an object"),
        pytest.param('{"a":\n' + "[" * 100_000, "2:64: nested more than 64", id="deep"),
        pytest.param('{"a": "' + "x" * (1 << 20) + '"}', "the limit is 1048576", id="large"),
    ],
)
def test_what_is_no_settings_is_refused(text: str, message: str) -> None:
    with pytest.raises(ConversionError, match=message):
        convert("claude-code", text)


@pytest.mark.parametrize("text", ['{"a": ' + "9" * 10_000 + "}", '{"a": 1e9999, "b": "[[[[\\"{{"}'])
def test_odd_values_elsewhere_do_not_matter(text: str) -> None:
    assert convert("claude-code", text) == convert("claude-code", "{}")


def test_an_unknown_format_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ConversionError, match="known: " + ", ".join(FORMATS)):
        convert("claude", "{}")


@pytest.mark.parametrize(
    ("key", "noted"),
    [
        ("Permissions", True),
        ("permision", True),
        ("toolPermissionRules", True),
        ("deny", True),
        ("hooks", False),
        ("env", False),
    ],
)
def test_a_key_that_may_be_misspelled_is_noted(key: str, noted: bool) -> None:
    """What it holds would be lost without a word."""
    notes = convert_report("claude-code", json.dumps({key: {"deny": ["Bash(rm *)"]}})).notes
    assert [note.place for note in notes] == ([key] if noted else [])
