"""Checked policies -> the decision program: its rows, its order, its revision."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policies import policy_files
from remit_dsl import PolicySource, Program, Source, compile_policies, compile_report
from remit_dsl.checker import Memory
from remit_dsl.program import revision_of

BASELINE = """\
policy acme.baseline for org "What agents may do" owner "security@acme.example"
use std
set secrets = paths { **/.env, ~/.ssh/** }
set viewers = words { cat, less* }
data oncall from "oncall.json"
deny secrets: fs.read(@secrets), exec(@viewers)
ask publishing: Bash(git push *) except Bash(git push origin feature/*)
guard own: fs.write(**/*.remit)
allow Bash(@viewers *), WebFetch(docs.acme.example), Read(./**), Agent(Explore), Bash(like "*x\\\\*y*")
  until 2027-01-31 ticket "SEC-1" owner "data"
shadow deny trial: Bash(docker *) severity high because "trial"
deny prod: mcp__postgres__* in mode bypassPermissions for agent claude-code, codex
  when request.labels.env == "prod" and not (request.user in data.oncall.users) or count(command.words) > 3
default ask
default allow fs.read(./**)
forbid mode yolo
on unparseable deny
lower tiers may deny, ask
"""
DATA = {"oncall.json": '{"users": ["ann"]}'}


def compiled(text: str, **more: Any) -> Program:
    program = compile_policies([PolicySource(Source("p.remit", text), data=DATA, **more)])
    assert isinstance(program, Program), program
    return program


def tables(text: str) -> dict[str, Any]:
    return compiled(text).tables


def own_rules(program: Program) -> list[list[Any]]:
    return [row for row in program.tables["rules"] if not row[13].startswith("std.")]


@pytest.fixture(scope="module")
def baseline() -> Program:
    return compiled(BASELINE)


def test_rules_are_in_the_order_of_the_ladder(baseline: Program) -> None:
    order = [(row[1], row[2], row[0]) for row in own_rules(baseline)]
    assert order == [
        ("deny", False, "secrets"),
        ("deny", False, "prod"),
        ("ask", False, "publishing"),
        ("guard", False, "own"),
        ("allow", False, "acme.baseline:9"),
        ("deny", True, "trial"),
    ]


@pytest.mark.parametrize(
    ("label", "targets"),
    [
        (
            "secrets",
            [
                ["cap", "fs.read", [["/", [2, ".env"]], ["~", [".ssh", 2]]], "fs.read(@secrets)"],
                ["cap", "exec", ["cat", ["less", 0]], "exec(@viewers)"],
            ],
        ),
        ("publishing", [["shell", "Bash", [[["git", "push", 0], True]], "Bash(git push *)"]]),
        ("own", [["cap", "fs.write", [["/", [2, [0, ".remit"]]]], "fs.write(**/*.remit)"]]),
        (
            "acme.baseline:9",
            [
                ["shell", "Bash", [[[["@", "acme.baseline:viewers"], 0], True]], "Bash(@viewers *)"],
                ["host", "WebFetch", [[["docs", "acme", "example"], None]], "WebFetch(docs.acme.example)"],
                ["path", "Read", [[".", [2]]], "Read(./**)"],
                ["text", "Agent", ["Explore"], "Agent(Explore)"],
                ["like", "Bash", [[0, "x*y", 0]], 'Bash(like "*x\\\\*y*")'],
            ],
        ),
        ("trial", [["shell", "Bash", [[["docker", 0], True]], "Bash(docker *)"]]),
        ("prod", [["any", ["mcp__postgres__", 0], [], "mcp__postgres__*"]]),
    ],
)
def test_targets(baseline: Program, label: str, targets: list[Any]) -> None:
    assert [row[3] for row in own_rules(baseline) if row[0] == label] == [targets]


def test_clauses(baseline: Program) -> None:
    rows = {row[0]: row for row in own_rules(baseline)}
    assert rows["publishing"][4] == [
        ["shell", "Bash", [[["git", "push", "origin", ["feature/", 0]], True]], "Bash(git push origin feature/*)"]
    ]
    assert rows["acme.baseline:9"][8:] == [
        "2027-01-31", "", "", "data", "SEC-1", "acme.baseline", "org", "p.remit:9", False,
    ]  # fmt: skip
    assert rows["trial"][9:12] == ["trial", "high", "security@acme.example"]
    assert rows["prod"][7] == ["claude-code", "codex"]


def test_a_mode_is_meant_by_all_its_names(baseline: Program) -> None:
    modes = next(row[6] for row in own_rules(baseline) if row[0] == "prod")
    assert {"bypass", "bypassPermissions"} <= set(modes)
    assert set(modes) == set(baseline.tables["forbidden_modes"])
    assert baseline.mode("bypass") is None
    assert baseline.mode("bypassPermissions") is None
    assert baseline.mode("plan") is not None


def test_conditions(baseline: Program) -> None:
    assert next(row[5] for row in own_rules(baseline) if row[0] == "prod") == [
        "or",
        [
            "and",
            ["==", ["fact", "request", "labels", "env"], ["const", "prod"]],
            ["not", ["in", ["fact", "request", "user"], ["fact", "data", "acme.baseline:oncall", "users"]]],
        ],
        [">", ["count", ["fact", "command", "words"]], ["const", 3]],
    ]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ('request.user in ["a", "b"]', ["in", ["fact", "request", "user"], ["const", ["a", "b"]]]),
        ("request.user not in [1]", ["not", ["in", ["fact", "request", "user"], ["const", [1]]]]),
        ("access.path in @p", ["in", ["fact", "access", "path"], ["set", "paths", [["/", ["a", 2]]]]]),
        ('request.user like "a*"', ["like", ["fact", "request", "user"], ["a", 0]]),
        ('request.user matches "^a"', ["matches", ["fact", "request", "user"], "^a"]),
        ('command.words has "x"', ["has", ["fact", "command", "words"], ["const", "x"]]),
        ("request.agent.interactive", ["fact", "request", "agent", "interactive"]),
        ("input.all == true", ["==", ["fact", "input", "all"], ["const", True]]),
        ('input.x.y != "1"', ["!=", ["fact", "input", "x", "y"], ["const", "1"]]),
    ],
)
def test_condition_forms(condition: str, expected: list[Any]) -> None:
    rows = tables(f"set p = paths {{ /a/** }}\ndeny Bash when {condition}\n")["rules"]
    assert rows[0][5] == expected


def test_what_else_is_said(baseline: Program) -> None:
    found = baseline.tables
    assert [row[:2] for row in found["defaults"]] == [
        ["ask", []],
        ["allow", [["cap", "fs.read", [[".", [2]]], "fs.read(./**)"]]],
    ]
    own = {name: words for name, words in found["sets"].items() if not name.startswith("std.")}
    assert own == {"acme.baseline:viewers": ["cat", ["less", 0]]}
    assert found["data"] == {"acme.baseline:oncall": {"users": ["ann"]}}
    assert found["on_unparseable"] == "deny"
    assert found["lower_may"]["user"] == ["ask", "deny"]
    assert found["lower_may"]["org"] == ["allow", "ask", "deny", "guard"]
    owner, title = "security@acme.example", "What agents may do"
    assert ["acme.baseline", "org", owner, title, "p.remit"] in found["policies"]


def test_a_program_survives_json(baseline: Program) -> None:
    assert json.loads(json.dumps(baseline.tables)) == baseline.tables
    again = Program.from_json(baseline.to_json())
    assert again.tables == baseline.tables
    assert [again.rule(at) for at in range(len(again))] == [baseline.rule(at) for at in range(len(baseline))]


FILES = [
    ("a.remit", "org", "use std\ndeny x: Bash(curl *)\ndefault ask fs.write(**)\n"),
    ("b.remit", "org", "deny x: Bash(wget *)\nset s = words { a, b }\nask Bash(@s *)\nenv A harmless\n"),
    ("c.remit", "team", "tool Deploy { subject target: text }\nallow Deploy(dev)\ndefault allow fs.read(./**)\n"),
    ("d.remit", "user", "allow Bash(ls *)\nprogram mine { readonly }\nforbid mode bypass\n"),
    ("e.remit", "user", "allow Bash(pwd)\nprogram mine { flag -v }\nuse std.reading\n"),
]


def test_the_order_of_files_does_not_matter() -> None:
    sources = [PolicySource(Source(name, text), tier) for name, tier, text in FILES]
    revisions = set()
    for order in itertools.permutations(sources):
        program = compile_policies(order)
        assert isinstance(program, Program)
        revisions.add(program.revision)
    assert len(revisions) == 1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("curl", "curly"), ("deny x: Bash(curl *)", "ask x: Bash(curl *)"), ("deny x", "deny y"),
        ("default ask fs.write(**)", "default deny fs.write(**)"), ("use std\n", ""),
    ],
)  # fmt: skip
def test_one_changed_word_changes_the_revision(before: str, after: str) -> None:
    text = FILES[0][2]
    assert before in text
    assert compiled(text).revision != compiled(text.replace(before, after)).revision


def test_what_has_no_effect_is_left_out_and_noted() -> None:
    program = compiled("use std\nallow Bash(ls *)\ndeny Bash(curl *)\ndefault allow\nuse std.reading\n", trusted=False)
    assert [row[1] for row in own_rules(program)] == ["deny"]
    assert program.tables["defaults"] == []
    assert [note.split()[:2] for note in program.tables["notes"]] == [
        ["warning[W601]", f"p.remit:{place}:"] for place in ("2:1", "4:1", "5:5")
    ]


@pytest.mark.parametrize(
    ("text", "rules", "silent"),
    [
        ("deny A\n", False, False),
        ("use std\n", True, True),
        ("use std.guards\n", True, True),
        ("use std.tools\n", False, True),
    ],
)
def test_what_the_standard_library_brings(text: str, rules: bool, silent: bool) -> None:
    found = tables(text)
    assert any(row[13] == "std.guards" for row in found["rules"]) is rules
    assert ("Bash" in found["tools"] and "plan" in found["modes"]) is silent
    assert found["defaults"] == []


def test_reading_belongs_to_the_tier_that_uses_it() -> None:
    org = PolicySource(Source("o.remit", "policy o for org\ndefault ask fs.read(./secret/**)\n"))
    user = PolicySource(Source("u.remit", "policy u for user\nuse std.reading\n"))
    program = compile_policies([user, org])
    assert isinstance(program, Program)
    assert program.tables["defaults"][0][2] == "o"
    assert {row[3] for row in program.tables["defaults"]} == {"org", "user"}


def test_definitions_extend_by_tier() -> None:
    org = "policy o for org\nuse std\nprogram my { flag -a }\ntool Bash { subject script: shell }\n"
    one = PolicySource(Source("o.remit", org))
    two = PolicySource(Source("p.remit", "policy p for org\nprogram my { flag -b }\n"))
    three = PolicySource(Source("u.remit", "policy u\nprogram my { flag -c }\nprogram other { flag -d }\n"))
    program = compile_policies([three, two, one])
    assert isinstance(program, Program)
    spec = program.spec("my")
    assert spec is not None
    assert set(spec["options"]) == {"-a", "-b"}
    assert program.spec("other") is not None
    bash, alias = program.tool("Bash"), program.tool("run_shell_command")
    assert bash is not None
    assert alias is not None
    assert [param.names for param in bash.params] == [("script",)]
    assert alias.name == "Bash"


def test_aliases_take_what_they_do_not_say() -> None:
    program = compiled(
        'tool Look { subject path: path does fs.read tree default "."  also limit: text  readonly }\n'
        "tool look = Look { subject dir }\ntool peek = look {}\ntool see = Look { subject file: path }\n"
    )
    look, peek, see = program.tool("look"), program.tool("peek"), program.tool("see")
    assert look is not None
    assert look == peek
    assert look.name == "Look"
    assert look.params == ((True, ("dir",), "path", ("fs.read",), True, "."),)
    assert see is not None
    assert see.params == ((True, ("file",), "path", (), False, None),)


def test_errors_come_instead_of_a_program() -> None:
    answer = compile_policies([Source("p.remit", "deny fs.raed(x)\n")])
    assert isinstance(answer, tuple)
    assert [item.code for item in answer] == ["E213"]


def test_memory_does_not_change_the_program() -> None:
    memory = Memory()
    sources = [PolicySource(Source(name, text), tier) for name, tier, text in FILES]
    fresh = compile_report(sources).program
    assert fresh is not None
    compile_report(sources[:3], memory)
    for _ in range(2):
        kept = compile_report(sources, memory).program
        assert kept is not None
        assert kept.tables == fresh.tables


@settings(max_examples=50)
@given(policy_files(), st.booleans())
def test_any_policy_compiles_or_says_why(text: str, trusted: bool) -> None:
    """Total: whatever parses gives a program in plain JSON values, or at least one error."""
    answer = compile_policies([PolicySource(Source("p.remit", text), trusted=trusted)])
    if isinstance(answer, Program):
        assert json.loads(json.dumps(answer.tables)) == answer.tables
        assert answer.revision == revision_of(answer.tables)
        assert trusted or not any(row[1] == "allow" and not row[2] for row in own_rules(answer))
    else:
        assert any(item.severity == "error" for item in answer)
