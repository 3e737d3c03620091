"""Findings in order, without repetitions, and not too many."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from remit_dsl.codes import CODES
from remit_dsl.diagnostics import Diagnostic, cap, has_errors

found = st.builds(
    Diagnostic,
    st.sampled_from(["E101", "W601"]),
    st.just("m"),
    st.just(""),
    st.sampled_from(["a", "b"]),
    st.integers(0, 5),
    st.integers(6, 8),
    st.sampled_from(["error", "warning", "note"]),
)


def at(start: int, code: str = "E101", source_name: str = "a") -> Diagnostic:
    return Diagnostic(code, "m", "", source_name, start, start + 1)


def test_cap_sorts_by_source_place_and_code_and_drops_repetitions() -> None:
    given = [at(1, "E102"), at(1), at(0, source_name="b"), at(0), at(1)]
    assert cap(given) == (at(0), at(1), at(1, "E102"), at(0, source_name="b"))


def test_cap_says_how_many_are_left_out() -> None:
    *kept, note = cap([at(i) for i in range(105)])
    assert kept == [at(i) for i in range(100)]
    assert note == Diagnostic("E100", "5 more not shown", "", "a", 100, 100, "note")


def test_cap_keeps_errors_before_warnings() -> None:
    warnings = [at(i, "W601")._replace(severity="warning") for i in range(3)]
    kept = cap([*warnings, at(9)], limit=2)
    assert [diagnostic.code for diagnostic in kept] == ["W601", "E101", "E100"]


@given(st.lists(found), st.integers(1, 5))
def test_cap_is_bounded_and_loses_no_verdict(diagnostics: list[Diagnostic], limit: int) -> None:
    kept = cap(diagnostics, limit)
    assert len(kept) <= limit + 1
    assert has_errors(kept) == has_errors(diagnostics)
    assert cap(reversed(diagnostics), limit) == kept


def test_codes_are_well_formed_and_say_something() -> None:
    for code, (title, explanation) in CODES.items():
        assert re.fullmatch(r"E[1-5]\d\d|W6\d\d|L7\d\d|A8\d\d", code)
        assert title
        assert not title.endswith(".")
        assert explanation.endswith(".")
