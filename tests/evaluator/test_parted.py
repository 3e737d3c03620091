"""Lists of globs parted into texts and others."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from remit.facts import NO
from remit.match_words import match_word
from remit.parted import match_any, parted
from remit.shell.words import Hole, Partial, Word
from remit_dsl.globs import Glob, parse_glob

texts = st.text("ab*", max_size=4)
globs = texts.map(lambda text: parse_glob(text, question=False, classes=False))
words: st.SearchStrategy[Word] = st.one_of(
    st.text("ab", max_size=4),
    st.text("ab", max_size=2).map(lambda text: Partial((text, Hole("param", "$X", "X", False)), text)),
)


@given(st.lists(globs, max_size=5), words)
def test_a_list_matches_as_its_globs_do_one_by_one(patterns: list[Glob], word: Word) -> None:
    assert match_any(patterns, word) == max([match_word(glob, word) for glob in patterns], default=NO)


def test_a_list_in_the_place_of_one_that_is_gone_has_its_own_parts() -> None:
    """Parts are kept by identity, which the next list may have again."""
    for number in range(100):
        assert parted([str(number), ("a", 0)]) == (frozenset({str(number)}), (("a", 0),))
