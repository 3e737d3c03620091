"""The gate: whatever a host hands over, there is a verdict, and what cannot be read never runs."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from host_policy import gate
from hypothesis import given
from hypothesis import strategies as st

from remit import Request
from remit.hosts.gate import Gate, why


@pytest.mark.parametrize(
    ("arguments", "decision"),
    [
        ({"command": "ls"}, "allow"),
        ('{"command": "ls"}', "allow"),
        ('{"command": "rm x"}', "deny"),
        ('{"command": "git push"}', "ask"),
        ("", "deny"),
        ("[]", "deny"),
        ('{"command": "ls", "command": "rm x"}', "deny"),
        ('{"command": NaN}', "deny"),
        ("{" * 100_000, "deny"),
        ("\ud800", "deny"),
        ({"command": 7}, "ask"),
        (None, "deny"),
        (["ls"], "deny"),
    ],
)
def test_arguments(arguments: Any, decision: str) -> None:
    assert gate().judge("run", arguments).decision == decision
    assert asyncio.run(gate().judge_async("run", arguments)).decision == decision


class Broken:
    """An engine that breaks its promise."""

    def decide(self, request: Request) -> Any:
        raise RuntimeError(request.tool)


class Odd:
    """An engine that says something else."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def decide(self, _request: Request) -> Any:
        return self.answer


@pytest.mark.parametrize("word", ["DENY", "block", "", None, True])
def test_an_answer_of_a_form_that_nobody_knows_denies(word: Any) -> None:
    verdict = gate().judge("run", {"command": "ls"})
    assert Gate(Odd(verdict._replace(decision=word))).judge("run", {"command": "ls"}).decision == "deny"
    assert Gate(Odd(word)).judge("run", {"command": "ls"}).decision == "deny"


def test_a_broken_engine_denies() -> None:
    verdict = Gate(Broken()).judge("run", {"command": "ls"})
    assert (verdict.decision, verdict.reason.code) == ("deny", "error")
    assert why(verdict).startswith("remit: ")


@given(st.one_of(st.text(), st.dictionaries(st.text(), st.recursive(st.none() | st.text(), st.lists))))
def test_there_is_always_a_verdict_and_never_an_allow_without_the_command(arguments: Any) -> None:
    assert gate().judge("run", arguments).decision in ("ask", "deny")
