"""The tables of patterns in the language reference: each cell is what the engine answers.

A cell that starts with yes, maybe or no is a truth; what follows explains it. Several calls in one cell are separated by ` · `.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from remit import Engine, Request, Verdict
from remit.paths import GivenFiles
from remit_dsl import Program, Source, compile_policies

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "language.md").read_text(encoding="utf-8")
HOME, PROJECT = "/home/user", "/home/user/project"
MACHINE = GivenFiles([f"{PROJECT}/services/a/.env", f"{PROJECT}/src/app.py"], {f"{PROJECT}/src/link": "/etc"})


def _rows(section: str) -> Iterator[list[str]]:
    """The rows of the last table below a heading, up to the next heading."""
    body = re.split(r"^#+ ", TEXT.split(f"### {section}\n")[1], flags=re.MULTILINE)[0]
    table = re.split(r"^\|---.*\n", body, flags=re.MULTILINE)[-1]
    for line in table.splitlines():
        if line.startswith("|"):
            yield [cell.strip() for cell in line.strip("|").split(" |")]


def _codes(cell: str) -> list[str]:
    return re.findall(r"`([^`]*)`", cell)


def _cases(section: str) -> list[tuple[str, str, str, str]]:
    """Pattern, call, truth for restricting rules, truth for permitting ones."""
    found = []
    for pattern, calls, wide, narrow in _rows(section):
        for call in _codes(calls):
            found.append((_codes(pattern)[0], call, _truth(wide), _truth(narrow)))
    assert found
    return found


def _truth(cell: str) -> str:
    return re.split(r"\W", cell)[0]


@cache
def _program(rule: str) -> Program:
    program = compile_policies([Source("table.remit", f"policy table for org\nuse std\n{rule}\n")])
    assert isinstance(program, Program), program
    return program


def _decide(rule: str, tool: str, parameter: str, value: str) -> Verdict:
    engine = Engine(_program(rule), files=MACHINE)
    return engine.decide(Request(tool, {parameter: value}, cwd=PROJECT, home=HOME))


def _wide(verdict: Verdict) -> str:
    """What a deny rule labelled `rule` was on the call."""
    return (
        {"rule": "yes", "uncertain": "maybe"}.get(verdict.reason.code, "no") if verdict.reason.rule == "rule" else "no"
    )


def _narrow(verdict: Verdict) -> str:
    return "yes" if verdict.decision == "allow" else "no"


@pytest.mark.parametrize(("pattern", "command", "wide", "narrow"), _cases("Commands"))
def test_commands(pattern: str, command: str, wide: str, narrow: str) -> None:
    assert _wide(_decide(f"deny rule: Bash({pattern})", "Bash", "command", command)) == wide
    assert _narrow(_decide(f"allow rule: Bash({pattern})", "Bash", "command", command)) == narrow


@pytest.mark.parametrize(("pattern", "call", "wide", "narrow"), _cases("Paths"))
def test_paths(pattern: str, call: str, wide: str, narrow: str) -> None:
    tool, parameter = ("Bash", "command") if " " in call else ("Read", "file_path")
    assert _wide(_decide(f"deny rule: fs.read({pattern})", tool, parameter, call)) == wide
    assert _narrow(_decide(f"allow rule: fs.read({pattern}), exec(*)", tool, parameter, call)) == narrow


def _host_cases() -> list[tuple[str, str, str]]:
    found = []
    for pattern, matching, others in _rows("Hosts"):
        found += [(_codes(pattern)[0], host, "yes") for host in _codes(matching)]
        found += [(_codes(pattern)[0], host, "no") for host in _codes(others)]
    assert found
    return found


@pytest.mark.parametrize(("pattern", "host", "truth"), _host_cases())
def test_hosts(pattern: str, host: str, truth: str) -> None:
    url = f"https://{host}/x"
    assert _wide(_decide(f"deny rule: net.connect({pattern})", "WebFetch", "url", url)) == truth
    assert _narrow(_decide(f"allow rule: net.connect({pattern})", "WebFetch", "url", url)) == truth
