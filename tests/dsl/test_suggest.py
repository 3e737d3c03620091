"""Which name was meant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit_dsl.suggest import did_you_mean, nearest


@pytest.mark.parametrize(
    ("name", "candidates", "expected"),
    [
        pytest.param("denny", ["allow", "deny"], "deny", id="one letter too many"),
        pytest.param("dny", ["allow", "deny"], "deny", id="one letter missing"),
        pytest.param("dney", ["deny", "done"], "deny", id="two letters swapped"),
        pytest.param("Deny", ["deny"], "deny", id="letter case"),
        pytest.param("comand.program", ["command.program", "command.words"], "command.program", id="a dotted name"),
        pytest.param("please", ["deny", "allow"], None, id="nothing is near"),
        pytest.param("ab", ["ba", "ac"], "ac", id="equally near: the first in the alphabet"),
        pytest.param("x", ["y"], None, id="nothing in common is not near"),
        pytest.param("", ["a"], None, id="nothing is a misspelling of nothing"),
        pytest.param("a" * 65, ["a" * 64], None, id="too long to be a slip"),
        pytest.param("deny", [], None, id="no candidates"),
    ],
)
def test_nearest(name: str, candidates: list[str], expected: str | None) -> None:
    assert nearest(name, candidates) == expected


def test_did_you_mean() -> None:
    assert did_you_mean("denny", ["deny"]) == "did you mean `deny`?"
    assert did_you_mean("xxx", ["deny"]) == ""


@given(st.text(min_size=1, max_size=20), st.lists(st.text(max_size=20)))
def test_a_name_is_nearest_to_itself(name: str, others: list[str]) -> None:
    assert (nearest(name, [name, *others]) or "").lower() == name.lower()


@given(st.text(max_size=20), st.lists(st.text(max_size=20)))
def test_what_is_suggested_is_a_candidate(name: str, candidates: list[str]) -> None:
    assert nearest(name, candidates) in {None, *candidates}
