"""Globs: notation, matching, and the laws that hold between matching, overlap and cover."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit_dsl.globs import (
    ANY,
    ONE,
    Glob,
    fold_text,
    glob_covers,
    glob_from_json,
    glob_matches,
    glob_of,
    glob_text,
    globs_overlap,
    parse_glob,
)
from remit_dsl.patterns import to_json

DIGIT = ("[", False, (("0", "9"),))
NOT_A = ("[", True, (("a", "a"),))

letters = st.sampled_from("aAb0.")
texts = st.text(letters, max_size=6)
tokens = st.one_of(
    st.text(letters, min_size=1, max_size=2), st.just(ANY), st.just(ONE), st.sampled_from([DIGIT, NOT_A])
)
globs = st.lists(tokens, max_size=5).map(glob_of)


def read(text: str) -> Glob:
    return parse_glob(text, question=True, classes=True)


def naive(glob: Sequence[Any], text: str) -> bool:
    """Matching by its definition, trying everything."""
    if not glob:
        return text == ""
    head, rest = glob[0], glob[1:]
    if head == ANY:
        return any(naive(rest, text[at:]) for at in range(len(text) + 1))
    if isinstance(head, str):
        return text.startswith(head) and naive(rest, text[len(head) :])
    if not text:
        return False
    if head != ONE and (any(low <= text[0] <= high for low, high in head[2]) == head[1]):
        return False
    return naive(rest, text[1:])


def naively(glob: Glob, text: str) -> bool:
    return naive([glob] if isinstance(glob, str) else list(glob), text)


@pytest.mark.parametrize(
    ("text", "glob"),
    [
        pytest.param("abc", "abc", id="literal"),
        pytest.param("", "", id="empty"),
        pytest.param("*", (ANY,), id="star"),
        pytest.param("a**b", ("a", ANY, "b"), id="stars are one"),
        pytest.param("*?", (ONE, ANY), id="one before any"),
        pytest.param("\\*\\?\\[\\\\", "*?[\\", id="escapes"),
        pytest.param("a\\", "a\\", id="a last backslash is literal"),
        pytest.param("[a-c]x", (("[", False, (("a", "c"),)), "x"), id="range"),
        pytest.param("[!a]", (NOT_A,), id="negated"),
        pytest.param("[^a]", (NOT_A,), id="negated, the other way"),
        pytest.param("[]a]", (("[", False, (("]", "]"), ("a", "a"))),), id="a first bracket is literal"),
        pytest.param("[a-]", (("[", False, (("a", "a"), ("-", "-"))),), id="a last dash is literal"),
        pytest.param("[[:digit:]]", (DIGIT,), id="named class"),
        pytest.param("[c-a]", (("[", False, ()),), id="an empty range has nothing"),
        pytest.param("[ab", "[ab", id="a bracket that is not closed"),
    ],
)
def test_parse(text: str, glob: Glob) -> None:
    assert read(text) == glob


def test_only_the_star_is_special_unless_asked() -> None:
    assert parse_glob("a?[b]*", question=False, classes=False) == ("a?[b]", ANY)


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("*", "", True),
        ("a*", "a", True),
        ("*.py", ".py", True),
        ("*.py", "x.pyc", False),
        ("a*a", "a", False),
        ("*ab*ab", "abab", True),
        ("*ab*ab", "abxb", False),
        ("?", "", False),
        ("[[:upper:]]?", "Ax", True),
        ("[!a-c]", "b", False),
        ("[c-a]", "b", False),
        ("[!c-a]", "b", True),
    ],
)
def test_matches(pattern: str, text: str, matches: bool) -> None:
    assert glob_matches(read(pattern), text) is matches


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        pytest.param(".ENV", ".env", id="letters"),
        pytest.param("[A-F]*", "beef", id="a class"),
        pytest.param("re\u0301sume\u0301", "RÉSUMÉ", id="composed or not"),
        pytest.param(".ssh", ".ſſh", id="long s"),
    ],
)
def test_folding(pattern: str, text: str) -> None:
    assert glob_matches(read(pattern), text, fold=True)
    assert not glob_matches(read(pattern), text)


@given(globs, texts)
def test_matching_agrees_with_its_definition(glob: Glob, text: str) -> None:
    assert glob_matches(glob, text) == naively(glob, text)


@given(globs)
def test_text_reads_back(glob: Glob) -> None:
    assert read(glob_text(glob)) == glob


@given(globs)
def test_json_reads_back(glob: Glob) -> None:
    assert glob_from_json(to_json(glob)) == glob


@given(globs, texts)
def test_lists_match_as_tuples_do(glob: Glob, text: str) -> None:
    assert glob_matches(to_json(glob), text) == glob_matches(glob, text)


@given(globs, globs)
def test_overlap_is_symmetric(one: Glob, two: Glob) -> None:
    assert globs_overlap(one, two) == globs_overlap(two, one)


@given(globs, globs, texts)
def test_a_text_in_both_is_an_overlap(one: Glob, two: Glob, text: str) -> None:
    if glob_matches(one, text) and glob_matches(two, text):
        assert globs_overlap(one, two)


@pytest.mark.parametrize(
    ("one", "two", "overlap"),
    [
        ("a*", "*b", True),
        ("a*", "b*", False),
        ("*a", "*b", False),
        ("[0-9]", "[a-z]", False),
        ("[!a]", "a", False),
        ("?", "??", False),
        ("*", "", True),
    ],
)
def test_overlap(one: str, two: str, overlap: bool) -> None:
    assert globs_overlap(read(one), read(two)) is overlap


@given(globs, globs, texts)
def test_what_covers_matches_all(wide: Glob, narrow: Glob, text: str) -> None:
    if glob_covers(wide, narrow) and glob_matches(narrow, text):
        assert glob_matches(wide, text)


@pytest.mark.parametrize(
    ("wide", "narrow", "covers"),
    [
        ("*", "*", True),
        ("a*", "ab*", True),
        ("ab*", "a*", False),
        ("?*", "[ab]*", True),
        ("[a-c]", "[ab]", True),
        ("[!x]*", "[!xy]*", True),
        ("*.py", "*", False),
    ],
)
def test_covers(wide: str, narrow: str, covers: bool) -> None:
    assert glob_covers(read(wide), read(narrow)) is covers


@given(texts)
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold_text(fold_text(text)) == fold_text(text)


def test_matching_is_linear_in_the_text() -> None:
    """The pattern that makes a backtracking matcher explode: twice the text, at most some three times the time."""
    glob = read("*a?" * 8 + "*b")

    def cost(length: int) -> float:
        text = "a" * length
        start = time.perf_counter()
        assert not glob_matches(glob, text)
        return time.perf_counter() - start

    once, twice = (min([cost(length) for _ in range(7)]) for length in (40_000, 80_000))
    assert twice < 6 * once


@pytest.mark.parametrize("text", ["[b-a]", "[!b-a]", "x[?-.]y"])
def test_a_range_that_runs_backwards_reads_back(text: str) -> None:
    glob = parse_glob(text, question=True, classes=True)
    assert parse_glob(glob_text(glob), question=True, classes=True) == glob
