"""The baseline is right by every measure of the product, and by two lists of commands: what must pass unasked, and what must not pass."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from remit import Engine, Request, Verdict
from remit.paths import GivenFiles, NoFiles
from remit.policy_tests import Run, run_tests, unreached
from remit_dsl import Compilation, PolicySource, Program, Source, compile_report
from remit_dsl.formatter import format_source
from remit_dsl.lints import lint
from remit_dsl.policy import Declared
from remit_dsl.render import render_text
from remit_dsl.tree import Expectation, Rule

ROOT = Path(__file__).resolve().parents[2]
BASELINE = ROOT / "policies" / "baseline"
FILES = sorted(BASELINE.glob("*.remit"))
HOME = "/home/user"
PROJECT = "/home/user/project"
# Raised as the evaluator learns; what still asks is listed, with the reason, in everyday-asked.txt.
LEAST_SHARE = 0.98


def _commands(name: str) -> list[str]:
    """The commands of a list; in a line with a heredoc `\\n` stands for a line break."""
    lines = (ROOT / "tests" / "corpus" / name).read_text(encoding="utf-8").splitlines()
    commands = [line for line in lines if line.strip() and not line.startswith("#")]
    return [line.replace("\\n", "\n") if "<<" in line else line for line in commands]


EVERYDAY = _commands("everyday.txt")
ASKED = _commands("everyday-asked.txt")
HARMFUL = _commands("harmful.txt")


def _sources() -> dict[str, Source]:
    return {path.name: Source(path.name, path.read_text(encoding="utf-8")) for path in FILES}


@cache
def _compiled() -> Compilation:
    return compile_report([PolicySource(source) for source in _sources().values()])


@cache
def _program() -> Program:
    program = _compiled().program
    assert program is not None, render_text(_compiled().diagnostics, _sources())
    return program


def _own_files() -> list[Declared]:
    return [file for file in _compiled().checked.files if not file.standard]


@cache
def _run() -> Run:
    program = _program()
    return run_tests(lambda tier: program, _own_files())


def _decide(command: str, mode: str = "default") -> Verdict:
    engine = Engine(_program(), files=NoFiles())
    return engine.decide(
        Request("Bash", {"command": command}, cwd=PROJECT, home=HOME, mode=mode, time="2026-12-01T12:00")
    )


# --- the product's own measures ------------------------------------------------------------------------------


def test_check() -> None:
    assert _compiled().diagnostics == (), render_text(_compiled().diagnostics, _sources())


def test_lint() -> None:
    found = lint(_compiled().checked, "2026-12-01")
    assert found == (), render_text(found, _sources())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_format(path: Path) -> None:
    source = _sources()[path.name]
    assert format_source(source) == (source.text, ())


def test_policy_tests() -> None:
    assert [(o.file, o.line, o.call, o.problem) for o in _run().outcomes if not o.passed] == []


def test_every_rule_decides_a_test() -> None:
    assert unreached(_program(), _run(), [file.name for file in _own_files()]) == []


def test_every_restriction_says_what_to_do() -> None:
    """Every rule has a label; every one that restricts has a reason and says how bad it would be."""
    names = {file.name for file in _own_files()}
    rules = [_program().rule(at) for at in range(len(_program()))]
    own = [rule for rule in rules if rule.policy in names]
    assert [rule.id for rule in own if rule.id.startswith(f"{rule.policy}:")] == []
    silent = [rule.id for rule in own if rule.effect != "allow" and not (rule.because and rule.severity)]
    assert silent == []


def _rules_with_tests() -> list[tuple[str, str, list[Expectation]]]:
    """Policy, label, and what the tests named after the rule expect."""
    found = []
    for file in _own_files():
        for statement in file.file.statements:
            if isinstance(statement, Rule) and statement.label is not None:
                label = statement.label.text
                tests = [test for test in file.tests if label in test.name.value.partition(":")[0].split(" and ")]
                found.append((file.name, label, [item for test in tests for item in test.expectations]))
    return found


def test_every_rule_has_a_test_of_both_kinds() -> None:
    """A test `LABEL: …` beside each rule holds what the rule decides, and a near miss that it leaves alone."""
    assert len(_rules_with_tests()) > 50
    missing = []
    for policy, label, expectations in _rules_with_tests():
        decided = [item for item in expectations if item.by is not None and item.by.text == label]
        left_alone = [item for item in expectations if item.by is None or item.by.text != label]
        if not decided or not left_alone:
            missing.append((policy, label))
    assert missing == []


# --- commands ------------------------------------------------------------------------------------------------


def test_everyday_share(record_property: Callable[[str, object], None]) -> None:
    """The share of everyday commands that pass unasked, those that still ask counted in; printed with `-s`."""
    allowed = sum([_decide(command).decision == "allow" for command in (*EVERYDAY, *ASKED)])
    share = allowed / len((*EVERYDAY, *ASKED))
    record_property("everyday_share", share)
    print(f"\neveryday commands that pass unasked: {allowed} of {len(EVERYDAY) + len(ASKED)} ({share:.1%})")
    assert len(EVERYDAY) >= 100
    assert share >= LEAST_SHARE


@pytest.mark.parametrize("command", EVERYDAY)
def test_everyday(command: str) -> None:
    verdict = _decide(command)
    assert verdict.decision == "allow", verdict.reason


@pytest.mark.parametrize("command", ASKED)
def test_everyday_asked(command: str) -> None:
    """What is known to ask still does: a line that passes belongs into everyday.txt."""
    assert _decide(command).decision == "ask"


@pytest.mark.parametrize("mode", ["default", "acceptEdits", "bypassPermissions"])
@pytest.mark.parametrize("command", HARMFUL)
def test_harmful(command: str, mode: str) -> None:
    verdict = _decide(command, mode)
    assert verdict.decision != "allow", verdict.reason


@pytest.mark.parametrize(
    ("home", "project"),
    [
        ("/root", "/root/app"),
        ("/root", "/workspace"),
        ("/root", "/usr/src/app"),
        ("/home/dev", "/srv/shop"),
        ("/home/dev", "/home/dev/code/shop"),
        ("/Users/ada", "/Users/ada/Documents/shop"),
    ],
)
def test_everyday_wherever_the_project_lies(home: str, project: str) -> None:
    engine = Engine(_program(), files=NoFiles())
    requests = [Request("Bash", {"command": command}, cwd=project, home=home) for command in EVERYDAY]
    assert [request.input for request in requests if engine.decide(request).decision != "allow"] == []


def test_a_project_of_many_files() -> None:
    """Calls that go through whole trees: more entries than are looked at, and a secret at the top."""
    modules = [f"{PROJECT}/node_modules/package-{at % 300}/file-{at}.js" for at in range(3000)]
    engine = Engine(_program(), files=GivenFiles([*modules, f"{PROJECT}/.env", f"{PROJECT}/src/app.ts"], {}))

    def decision(tool: str, parameters: dict[str, str]) -> str:
        return engine.decide(Request(tool, parameters, cwd=PROJECT, home=HOME)).decision

    commands = ["find . -name '*.ts'", "ls -R", "du -sh .", "grep -rn TODO src", "git status", "rm -rf node_modules"]
    assert {command: decision("Bash", {"command": command}) for command in commands} == dict.fromkeys(commands, "allow")
    assert decision("Grep", {"pattern": "TODO"}) == "allow"
    assert decision("Glob", {"pattern": "**/*.ts"}) == "allow"
    assert decision("Grep", {"pattern": "KEY", "path": ".env"}) == "deny"
    assert decision("Bash", {"command": "grep -rn KEY ."}) == "ask"
    assert decision("Bash", {"command": "tar czf /tmp/x.tgz ."}) == "ask"


def test_harmful_unattended() -> None:
    """Where nobody can be asked, all of it is refused."""
    engine = Engine(_program(), files=NoFiles())
    requests = [Request("Bash", {"command": command}, cwd=PROJECT, home=HOME, interactive=False) for command in HARMFUL]
    assert [request.input for request in requests if engine.decide(request).decision != "deny"] == []


def test_demo_shows_every_kind() -> None:
    """The calls of `make demo` are decided in every way: by rules, guards, modes, doubt, and by nobody."""
    engine = Engine(_program(), files=NoFiles())
    lines = (ROOT / "policies" / "demo" / "claude-code.jsonl").read_text(encoding="utf-8").splitlines()
    kinds: Counter[tuple[str, str]] = Counter()
    for line in lines:
        call = json.loads(line)
        request = Request(
            call["tool_name"], call["tool_input"], cwd=call["cwd"], home="/home/dev", mode=call["permission_mode"]
        )
        verdict = engine.decide(request)
        kinds[verdict.decision, verdict.reason.code] += 1
    expected = {("allow", "rule"), ("allow", "mode"), ("deny", "rule"), ("deny", "non_interactive")}
    expected |= {("ask", "rule"), ("ask", "guard"), ("ask", "uncertain"), ("ask", "no_rule")}
    assert expected <= kinds.keys(), sorted(kinds)
