"""The tests that policies carry, run through the real engine on a made-up machine: no file, clock or account of this one counts."""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from remit.engine import Engine
from remit.paths import GivenFiles
from remit.phrasing import sentence
from remit.request import Request
from remit.verdict import Reason, Verdict
from remit_dsl.policy import Declared
from remit_dsl.program import Program
from remit_dsl.records import NamedTuple
from remit_dsl.tree import Expectation, Test

HOME = "/home/user"
WORKSPACE = "/home/user/project"
TIME = "2026-12-01T12:00"

# The call that stands for a capability in an expectation.
_TOOL_OF = {"fs.read": "Read", "fs.write": "Write", "net.connect": "WebFetch", "exec": "Bash", "fs.delete": "Bash"}

RuleId = tuple[str, str]  # policy, rule


class Outcome(NamedTuple):
    """What became of one expectation. problem: why the call could not be made, or why it is not what was expected; "" = it is."""

    file: str
    line: int
    test: str
    call: str
    expected: str
    by: str
    verdict: Verdict | None
    problem: str

    @property
    def passed(self) -> bool:
        return not self.problem


class Run(NamedTuple):
    """All outcomes, in the order of the files, and the rules that decided at least one call."""

    outcomes: tuple[Outcome, ...]
    reached: frozenset[RuleId]


def run_tests(
    program_for: Callable[[str], Program], files: Iterable[Declared], chosen: Callable[[str], bool] = lambda name: True
) -> Run:
    """The tests of `files` whose names are chosen. program_for gives the program that a test's `tier` setting asks for: the
    policies of that tier and above ("" = all)."""
    outcomes = []
    for file in files:
        for test in file.tests:
            if chosen(test.name.value):
                outcomes += _run_test(program_for(_setting(test, "tier", "")), file, test)
    reached = [rule for outcome in outcomes if outcome.verdict is not None for rule in _speakers(outcome.verdict)]
    return Run(tuple(outcomes), frozenset(reached))


def unreached(program: Program, run: Run, policies: Iterable[str]) -> list[tuple[RuleId, str]]:
    """Rules of these policies that decided no call of the run, each with its place."""
    names = set(policies)
    found = []
    for row in program.tables["rules"]:
        rule, policy, at = row[0], row[13], row[15]
        if policy in names and (policy, rule) not in run.reached:
            found.append(((policy, rule), at))
    return found


def _speakers(verdict: Verdict) -> Iterable[RuleId]:
    reasons: list[Reason] = [verdict.reason, *verdict.shadow, *[unit.reason for unit in verdict.units]]
    return [(reason.policy, reason.rule) for reason in reasons if reason.rule]


def _run_test(program: Program, file: Declared, test: Test) -> list[Outcome]:
    engine = Engine(program, files=_machine(test), second_opinion="off")
    return [_outcome(engine, file, test, expectation) for expectation in test.expectations]


def _outcome(engine: Engine, file: Declared, test: Test, expectation: Expectation) -> Outcome:
    target = expectation.target
    line, _ = file.source.position(expectation.span.start)
    call = file.source.text[target.span.start : target.span.end]
    by = expectation.by.text if expectation.by is not None else ""
    made = _input(engine.program, expectation)
    if isinstance(made, str):
        return Outcome(file.source.name, line, test.name.value, call, expectation.decision, by, None, made)
    verdict = engine.decide(_request(test, _TOOL_OF.get(target.name, target.name), made))
    problem = _difference(expectation.decision, by, verdict)
    return Outcome(file.source.name, line, test.name.value, call, expectation.decision, by, verdict, problem)


def _difference(expected: str, by: str, verdict: Verdict) -> str:
    if verdict.decision != expected:
        return f"expected {expected}, got {verdict.decision}: {sentence(verdict)}"
    if not by:
        return ""
    deciding = [verdict.reason, *[unit.reason for unit in verdict.units if unit.decision == expected]]
    if by in [reason.rule for reason in deciding]:
        return ""
    return f"expected {expected} by {by}, but it is decided by {sentence(verdict)}"


# --- the call ------------------------------------------------------------------------------------------------


def _input(program: Program, expectation: Expectation) -> dict[str, Any] | str:
    """The parameters of the call that an expectation describes, or why there is no such call."""
    target = expectation.target
    given: dict[str, Any] = {name.text: text.value for name, text in expectation.inputs}
    if target.content is None:
        return given
    name, content = _TOOL_OF.get(target.name, target.name), target.content.text
    tool = program.tool(name)
    subject = next((param for param in tool.params if param.subject), None) if tool is not None else None
    if subject is None:
        return f'`{name}` is not declared with a subject: write the parameters in braces, `{name} {{ name "value" }}`'
    return {subject.names[0]: _content(target.name, content), **given}


def _content(target: str, content: str) -> str:
    if target == "fs.delete":
        return f"rm -r -- {shlex.quote(content)}"
    if target == "net.connect" and "://" not in content:
        return f"https://{content}/"
    return content


def _request(test: Test, tool: str, made: dict[str, Any]) -> Request:
    home = _setting(test, "home", HOME)
    cwd = _setting(test, "cwd", _setting(test, "workspace", WORKSPACE))
    workspaces = [setting.value for setting in test.settings if setting.keyword == "workspace"]
    return Request(
        tool=tool,
        input=made,
        cwd=_absolute(cwd, WORKSPACE, home),
        workspace=tuple([_absolute(path, WORKSPACE, home) for path in workspaces or [WORKSPACE]]),
        home=home,
        mode=_setting(test, "mode", "default"),
        agent=_setting(test, "agent", ""),
        interactive=_setting(test, "interactive", "true") == "true",
        user=_setting(test, "user", ""),
        host=_setting(test, "host", ""),
        labels={setting.key: setting.value for setting in test.settings if setting.keyword == "label"},
        time=_setting(test, "time", TIME),
    )


def _setting(test: Test, keyword: str, missing: str) -> str:
    return next((setting.value for setting in test.settings if setting.keyword == keyword), missing)


def _machine(test: Test) -> GivenFiles:
    """The file system that a test describes; relative paths start at its working directory."""
    home = _setting(test, "home", HOME)
    cwd = _absolute(_setting(test, "cwd", _setting(test, "workspace", WORKSPACE)), WORKSPACE, home)

    def place(path: str) -> str:
        return _absolute(path, cwd, home)

    files = [place(setting.value) for setting in test.settings if setting.keyword == "file"]
    links = {place(setting.key): setting.value for setting in test.settings if setting.keyword == "link"}
    return GivenFiles(files, links)


def _absolute(path: str, base: str, home: str) -> str:
    opened = home + path[1:] if path == "~" or path.startswith("~/") else path
    return posixpath.normpath(posixpath.join(base, opened))


def count(outcomes: Sequence[Outcome]) -> tuple[int, int]:
    """How many passed, how many did not."""
    passed = sum([outcome.passed for outcome in outcomes])
    return passed, len(outcomes) - passed
