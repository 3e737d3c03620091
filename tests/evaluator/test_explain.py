"""Explanations against decisions: every step that is shown must lead to what `decide` says, and its answer must be the same."""

from __future__ import annotations

import json
from functools import cache
from itertools import product

import pytest

from remit.decide import decide
from remit.engine import Engine
from remit.explain import Explanation, UnitLine, explain
from remit.paths import NoFiles
from remit.request import Request
from remit_dsl.compiler import compile_policies
from remit_dsl.policy import PolicySource
from remit_dsl.program import Program
from remit_dsl.source import Source

POLICY = """\
policy org.e for org
use std
use std.reading
set secrets = paths { **/.env, ~/.ssh/** }
deny no-secrets: fs.read(@secrets) because "no"
deny no-push: Bash(git push -f *) except Bash(git push -f mirror) because "no"
deny in-prod: Bash(psql *) because "no" when request.labels.env == "prod"
ask pushing: Bash(git push *) because "?"
ask sudo: Bash(sudo *) because "?" in mode default
allow files: fs.write(./out/**), Bash(npm run *), Bash(find *), Bash(sed *)
allow known: Edit(./src/**), mcp__good__*
default deny net.connect(*.evil.example)
shadow deny trial: Bash(npm *) because "tried"
"""

COMMANDS = [
    "ls", "cat a .env", "cat $F", "cd x && git push -f", "git push -f mirror", "git push origin", "git $X", "psql x", "sudo ls",
    "npm run x > out/log", "npm run x > /etc/x", "find . -delete", "find . -name x", "sed -i s/a/b/ f", "sed -n p src/f",
    "curl https://a.evil.example/x", "curl $U", "echo 'x", "timeout 5 git push -f", "sh -c 'git push' | tee out/x", "true",
    "X=1 make", "unknown-thing rm -rf x", "for f in *; do cat $f; done", 'eval "$X"', "cp a out/b", "cp .env out/b", "",
]  # fmt: skip
REQUESTS = [Request("Bash", {"command": command}) for command in COMMANDS] + [
    Request("Read", {"file_path": ".env"}),
    Request("Read", {}),
    Request("Edit", {"file_path": "src/a"}),
    Request("Write", {"file_path": "out/a"}),
    Request("WebFetch", {"url": "https://b.evil.example/"}),
    Request("mcp__good__x", {}),
    Request("mcp__other__x", {"a": 1}),
]
MODES = ["default", "plan", "acceptEdits", "bypassPermissions", "dontAsk", "auto", "nonsense"]

CASES = [
    pytest.param(request, mode, id=f"{mode}: {request.input.get('command', request.tool)}")
    for request, mode in product(REQUESTS, MODES)
]


@cache
def program() -> Program:
    compiled = compile_policies([PolicySource(Source("e.remit", POLICY), "org")])
    assert isinstance(compiled, Program), compiled
    return compiled


def explained(request: Request) -> Explanation:
    placed = request._replace(cwd="/w", home="/home/u", labels={"env": "prod"}, time="2026-12-01T12:00")
    facts = Engine(program(), files=NoFiles()).observe(placed)
    explanation = explain(program(), facts, "7")
    assert explanation.verdict == decide(program(), facts, "7")
    return explanation


@pytest.mark.parametrize(("request_", "mode"), CASES)
def test_the_steps_shown_lead_to_the_decision(request_: Request, mode: str) -> None:
    explanation = explained(request_._replace(mode=mode))
    for unit, answer in zip(explanation.units, explanation.verdict.units, strict=True):
        assert (unit.decision, unit.reason) == (answer.decision, answer.reason)
        assert followed(unit) == unit.decision, unit


def followed(unit: UnitLine) -> str:
    """The decision that one gets by reading an explanation from top to bottom."""
    rules = [line for line in unit.rules if not line.shadow]
    if any(line.effect == "deny" and line.truth == "yes" for line in rules):
        return "deny"
    if unit.construct:
        return "deny" if unit.mode.name == "plan" else "ask"
    held = any(line.effect in ("deny", "ask", "guard") for line in rules)
    if not unit.sure:
        return "ask" if held else "allow"
    if held:  # it stands, unless what comes later would have denied
        later = unit.mode.word if unit.mode.word and unit.mode.name in ("plan", "bypass") else permission(unit)
        return "deny" if later == "deny" else "ask"
    return unit.mode.word or permission(unit)


def permission(unit: UnitLine) -> str:
    """What allow rules and defaults say."""
    if unit.allow.permitted_by and not unit.allow.permitted_by.startswith("default"):
        return "allow"
    words = [unit.default.split()[1]] if unit.default else []
    if unit.allow.permitted_by:
        return words[0] if words else "allow"
    words += [line.default.split()[1] for line in unit.accesses if line.default and not line.permitted_by]
    return "deny" if "deny" in words else "ask"


def test_the_unit_that_decides_is_named() -> None:
    explanation = explained(Request("Bash", {"command": "ls && git push -f && git push"}))
    assert explanation.units[explanation.strictest].text == "git push -f"


def test_it_is_plain_json() -> None:
    explanation = explained(Request("Bash", {"command": "cat $F | git push -f"})).to_json()
    assert json.loads(json.dumps(explanation))["units"][1]["rules"][0]["rule"] == "no-push"


def test_a_condition_that_does_not_hold_is_shown_with_what_is_not_given() -> None:
    facts = Engine(program(), files=NoFiles()).observe(Request("Bash", {"command": "psql x"}, cwd="/w", home="/home/u"))
    unit = explain(program(), facts).units[0]
    assert [(line.rule, line.truth, line.unknown) for line in unit.rules] == [("in-prod", "no", "request.labels.env")]
