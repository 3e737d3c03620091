"""Words under a role: what else a word may name that is part of a larger one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from knowledge import word

from remit.role_words import pieces


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a.txt", []),
        ("a.txt;type=text/plain", ["a.txt", "type=text/plain"]),
        ("a,b", ["a", "b"]),
        ("a,b}", ["a", "b"]),
        ('"a b"', ["a", "b"]),
        ("--csv c.csv t", ["--csv", "c.csv", "t"]),
        ("/etc:/data:ro", ["/etc"]),
        ("https://x.example/a", []),
    ],
)
def test_pieces(text: str, found: list[str]) -> None:
    assert pieces(text) == found


def test_a_word_with_holes_is_not_taken_apart() -> None:
    assert pieces(word("<X>;type=x")) == []


@given(st.text(alphabet="ab;,:{}\"' /", max_size=20))
def test_pieces_stand_in_the_word(text: str) -> None:
    """Every piece is a part of the word, and none is all of it or nothing."""
    assert all(piece in text and piece not in ("", text) for piece in pieces(text))
