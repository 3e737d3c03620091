from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.phrasing import MAX_LINE, one_line, sentence
from remit.verdict import REASON_CODES, Reason, Verdict


def said(reason: Reason) -> str:
    return sentence(Verdict("deny", reason, (), (), "default", "", ""))


@given(st.text(st.characters(), max_size=200), st.integers(2, 50))
def test_a_line_is_bounded_and_shows_what_hides(text: str, limit: int) -> None:
    line = one_line(text, limit)
    assert len(line) <= limit
    assert not any(char in line for char in "\n\r\x1b\u2028\u202e\ufeff\x85")
    line.encode("utf-8")


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        (Reason("rule", "r", "p", "p.remit:3", "org", "No."), "rule r (p.remit:3): No."),
        (Reason("rule", "r", "p", "p.remit:3", "org"), "rule r (p.remit:3)"),
        (
            Reason("uncertain", "r", "p", "p.remit:3", "org", "No.", "$X"),
            "rule r (p.remit:3) may apply, depending on `$X`: No.",
        ),
        (
            Reason("default", "", "p", "p.remit:9", "org", "default deny"),
            "the policy's default (p.remit:9): default deny",
        ),
        (Reason("no_rule", message="nothing speaks"), "nothing speaks"),
        (Reason("unparseable"), "the call could not be understood"),
    ],
)
def test_sentences(reason: Reason, expected: str) -> None:
    assert said(reason) == expected


@pytest.mark.parametrize("code", REASON_CODES)
def test_no_reason_is_without_words(code: str) -> None:
    assert said(Reason(code))


def test_long_reasons_are_cut() -> None:
    line = said(Reason("rule", "r", message="x" * 10_000))
    assert len(line) == MAX_LINE
    assert line.endswith("…")
