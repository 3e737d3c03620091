"""Globs against words with holes: what YES and NO promise holds for every filling."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.facts import MAYBE, NO, YES
from remit.match_words import is_dotless, join_words, match_word, word_glob
from remit.shell.words import Hole, Partial, Word
from remit_dsl.globs import ANY, ONE, Glob, glob_matches, glob_of, parse_glob

ANYTHING = Hole("param", "$X", "X", False)
SPLITS = Hole("param", "$X", "X", True)
STAR = Hole("glob", "*", "", True)

letters = st.sampled_from("ab.")
texts = st.text(letters, max_size=3)
globs = st.lists(st.one_of(st.text(letters, min_size=1, max_size=2), st.sampled_from([ANY, ONE])), max_size=4).map(
    glob_of
)
holes = st.sampled_from([ANYTHING, STAR])
partials = (
    st.lists(st.one_of(st.text(letters, min_size=1, max_size=2), holes), min_size=1, max_size=4)
    .filter(lambda parts: any(isinstance(part, Hole) for part in parts))
    .map(lambda parts: Partial(tuple(parts), "source"))
)


def word(*parts: str | Hole) -> Partial:
    return Partial(parts, "source")


def filled(partial: Partial, fillings: list[str]) -> str:
    values = iter(fillings)
    return "".join([part if isinstance(part, str) else next(values) for part in partial.parts])


@pytest.mark.parametrize(
    ("pattern", "given_word", "truth"),
    [
        pytest.param("push", "push", YES, id="known"),
        pytest.param("push", "pull", NO, id="known, other"),
        pytest.param("*", word(ANYTHING), YES, id="everything"),
        pytest.param("a*", word("ab", ANYTHING), YES, id="prefix"),
        pytest.param("a*", word("b", ANYTHING), NO, id="other prefix"),
        pytest.param("ab*", word("a", ANYTHING), MAYBE, id="half a prefix"),
        pytest.param("*.py", word(ANYTHING, "x.py"), YES, id="suffix"),
        pytest.param("*.py", word(ANYTHING, ".sh"), NO, id="other suffix"),
        pytest.param("a*c*e", word("a", ANYTHING, "c", ANYTHING, "e"), YES, id="pieces in order"),
        pytest.param("a*d*e", word("a", ANYTHING, "c", ANYTHING, "e"), MAYBE, id="a piece that may be filled in"),
        pytest.param("ab", word("a", ANYTHING, "b"), MAYBE, id="nothing may stand between"),
        pytest.param(".env", word(STAR), NO, id="a glob finds no hidden name"),
        pytest.param(".env", word(STAR, ".env"), NO, id="nor where the dot follows it"),
        pytest.param(".env", word(".", STAR), MAYBE, id="unless it spells the dot"),
        pytest.param(
            ".env", word(Hole("glob", "@(.env)", "", True)), MAYBE, id="an extended glob spells what it likes"
        ),
        pytest.param("env", word(STAR), MAYBE, id="a glob finds other names"),
        pytest.param("xenv", word(STAR, "env"), MAYBE, id="with an end"),
    ],
)
def test_match_word(pattern: str, given_word: Word, truth: int) -> None:
    assert match_word(parse_glob(pattern, question=False, classes=False), given_word) == truth


@given(globs, partials, st.lists(texts, min_size=4, max_size=4))
def test_yes_and_no_hold_for_every_filling(glob: Glob, partial: Partial, fillings: list[str]) -> None:
    """A glob as the first thing of a word is not filled so that the word is empty or starts with a dot: no shell does."""
    text = filled(partial, fillings)
    if is_dotless(partial) and text[:1] in ("", "."):
        return
    truth = match_word(glob, partial)
    if truth != MAYBE:
        assert glob_matches(glob, text) == (truth == YES)
    assert glob_matches(word_glob(partial), text)


@given(partials, st.lists(texts, min_size=4, max_size=4))
def test_a_glob_that_a_filling_matches_is_never_no(partial: Partial, fillings: list[str]) -> None:
    text = filled(partial, fillings)
    if not (is_dotless(partial) and text[:1] in ("", ".")):
        assert match_word(text, partial) != NO


@pytest.mark.parametrize(
    ("words", "joined"),
    [
        pytest.param(("git", "push"), "git push", id="known words"),
        pytest.param((), "", id="none"),
        pytest.param(("a", word("b", ANYTHING)), ("a b", ANYTHING), id="a hole in a word"),
        pytest.param(("a", word(SPLITS), "b"), ("a", SPLITS, " b"), id="a word that may vanish"),
        pytest.param((word(SPLITS), "b"), (SPLITS, "b"), id="the first word may vanish"),
        pytest.param((word(SPLITS), word(SPLITS), "b"), (SPLITS, SPLITS, "b"), id="the first two may vanish"),
    ],
)
def test_join_words(words: tuple[Word, ...], joined: str | tuple[str | Hole, ...]) -> None:
    found = join_words(words)
    assert (found if isinstance(found, str) else found.parts) == joined


def test_joined_words_say_where_they_come_from() -> None:
    assert str(join_words(["a", Partial((SPLITS,), "$X")])) == "a $X"
