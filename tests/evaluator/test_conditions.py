"""Conditions: Kleene's logic, values that are absent or unknown, types that do not fit."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.conditions import ABSENT, UNKNOWN, evaluate, value_of
from remit.facts import MAYBE, NO, YES, PathFact

SCOPE: dict[str, Any] = {
    "request": {"user": "ann", "hour": 9, "labels": {"env": "prod"}, "on": True},
    "command": {"words": ["git", UNKNOWN], "program": UNKNOWN, "text": "git push"},
    "access": {"path": PathFact(("/w/a", "/real/a"), "", "", False, "a")},
    "input": {"count": 3, "list": ["a", "b"]},
}


def const(value: Any) -> list[Any]:
    return ["const", value]


def fact(*path: str) -> list[str]:
    return ["fact", *path]


def truth(expr: Any) -> int:
    return evaluate(expr, SCOPE, lambda kind, patterns, value, wide: YES if wide else NO, True)


@pytest.mark.parametrize(
    ("expr", "due"),
    [
        pytest.param(["==", fact("request", "user"), const("ann")], YES, id="equal"),
        pytest.param(["!=", fact("request", "user"), const("ann")], NO, id="not unequal"),
        pytest.param(["==", fact("request", "nobody"), const("x")], NO, id="absent equals nothing"),
        pytest.param(["!=", fact("request", "nobody"), const("x")], YES, id="absent differs from everything"),
        pytest.param(["==", fact("command", "program"), const("x")], MAYBE, id="unknown"),
        pytest.param(["==", fact("request", "hour"), const("9")], MAYBE, id="another type is unknown, not false"),
        pytest.param(["==", fact("request", "on"), const(1)], MAYBE, id="a boolean is no number"),
        pytest.param(["<", fact("request", "hour"), const(10)], YES, id="less"),
        pytest.param([">=", fact("request", "hour"), const(10)], NO, id="not at least"),
        pytest.param(["<", fact("request", "user"), const(10)], MAYBE, id="no order between types"),
        pytest.param(["in", fact("request", "user"), const(["bob", "ann"])], YES, id="in a list"),
        pytest.param(["has", fact("input", "list"), const("c")], NO, id="has not"),
        pytest.param(["has", fact("command", "words"), const("push")], MAYBE, id="has, perhaps"),
        pytest.param(["has", fact("request", "labels"), const("env")], YES, id="a map has a key"),
        pytest.param(["in", fact("request", "user"), const("ann")], MAYBE, id="in no container"),
        pytest.param(["like", fact("command", "text"), ("git", 0)], YES, id="like"),
        pytest.param(["like", fact("input", "count"), ("git", 0)], MAYBE, id="like of a number"),
        pytest.param(["matches", fact("command", "text"), "^git p.*h$"], YES, id="matches"),
        pytest.param(["matches", fact("command", "text"), "^p"], NO, id="matches not"),
        pytest.param(["like", fact("access", "path"), ("/w/", 0)], MAYBE, id="spellings that disagree"),
        pytest.param(["like", fact("access", "path"), (0, "/a")], YES, id="spellings that agree"),
        pytest.param(["==", ["count", fact("input", "list")], const(2)], YES, id="count"),
        pytest.param(["==", ["count", fact("input", "none")], const(0)], NO, id="count of nothing"),
        pytest.param(["==", ["count", fact("request", "hour")], const(0)], MAYBE, id="count of a number"),
        pytest.param(fact("request", "on"), YES, id="a boolean fact"),
        pytest.param(fact("request", "user"), MAYBE, id="a text is no truth"),
        pytest.param(fact("request", "gone"), NO, id="absent is not true"),
        pytest.param(["in", fact("request", "user"), ["set", "words", []]], YES, id="sets are matched widely"),
        pytest.param(["not", ["in", fact("request", "user"), ["set", "words", []]]], YES, id="turned round by not"),
    ],
)
def test_evaluate(expr: Any, due: int) -> None:
    assert truth(expr) == due


def test_values_below_what_is_unknown_are_unknown() -> None:
    assert value_of(fact("command", "program", "x"), SCOPE) is UNKNOWN
    assert value_of(fact("request", "user", "x"), SCOPE) is ABSENT


LEAVES = {NO: ["==", const(1), const(2)], MAYBE: fact("request", "user"), YES: ["==", const(1), const(1)]}
kleene = st.sampled_from((NO, MAYBE, YES))


@given(kleene, kleene)
def test_kleene(left: int, right: int) -> None:
    """and is the least, or the greatest, not the mirror (Kleene's strong three-valued logic)."""
    assert truth(["and", LEAVES[left], LEAVES[right]]) == min(left, right)
    assert truth(["or", LEAVES[left], LEAVES[right]]) == max(left, right)
    assert truth(["not", LEAVES[left]]) == 2 - left
