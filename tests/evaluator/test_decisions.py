"""Whole decisions: policies with calls and the answers that are due, from tests/corpus/decisions.

A file holds cases `=== title` / policy / `---` / lines `decision [rule] | command`; `\\n` in a command is a newline. The policy
stands behind `use std.tools` (what tools and programs do, no guards); folders are those of an empty file system.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from cases import read_cases

from remit import Engine, Request
from remit.paths import NoFiles

CORPUS = Path(__file__).parents[1] / "corpus" / "decisions"


class Due(NamedTuple):
    """One call and the answer that is due."""

    policy: str
    decision: str
    rule: str
    command: str


def _rows() -> list[object]:
    rows: list[object] = []
    for path in sorted(CORPUS.glob("*.txt")):
        for case in read_cases(path):
            for line in case.expected.splitlines():
                answer, _, command = line.partition(" | ")
                decision, _, rule = answer.strip().partition(" ")
                due = Due(case.given, decision, rule, command.replace("\\n", "\n"))
                rows.append(pytest.param(due, id=f"{path.stem} {case.name}: {command}"))
    return rows


@cache
def engine(policy: str) -> Engine:
    return Engine.from_source(f'policy corpus "decisions"\nuse std.tools\n{policy}', files=NoFiles())


@pytest.mark.parametrize("due", _rows())
def test_decision(due: Due) -> None:
    request = Request(
        tool="Bash", input={"command": due.command}, cwd="/home/u/p", workspace=["/home/u/p"], home="/home/u"
    )
    verdict = engine(due.policy).decide(request)
    assert (verdict.decision, verdict.reason.rule) == (due.decision, due.rule), verdict.reason
