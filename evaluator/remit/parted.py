"""Lists of globs parted into those that are plain text, which are looked up, and the others, which are tried one by one."""

from __future__ import annotations

from remit.facts import NO, YES
from remit.match_words import match_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

MAX_LISTS = 4096
# By the identity of a list, which stands beside its parts so that it stays its own.
_PARTED: dict[int, tuple[Sequence[Any], frozenset[str], tuple[Any, ...]]] = {}


def parted(globs: Sequence[Any]) -> tuple[frozenset[str], tuple[Any, ...]]:
    """The texts and the other globs of a list that belongs to a program, and so never changes."""
    found = _PARTED.get(id(globs))
    if found is None or found[0] is not globs:
        if len(_PARTED) >= MAX_LISTS:
            _PARTED.clear()
        texts = frozenset([glob for glob in globs if type(glob) is str])
        found = globs, texts, tuple([glob for glob in globs if type(glob) is not str])
        _PARTED[id(globs)] = found
    return found[1], found[2]


def match_any(globs: Sequence[Any], word: Any) -> int:
    """Truth of a word matching any glob of a list."""
    if type(word) is not str:
        return max([match_word(glob, word) for glob in globs], default=NO)
    texts, others = parted(globs)
    if word in texts:
        return YES
    return max([match_word(glob, word) for glob in others], default=NO) if others else NO
