"""Globs against words that may have holes: YES when every filling matches, NO when none does, MAYBE else. Pure."""

from __future__ import annotations

from remit.facts import MAYBE, NO, YES
from remit.shell.words import Hole, Partial, Word
from remit_dsl.globs import ANY, Glob, glob_covers, glob_matches, glob_of, globs_overlap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

# A name that a shell's glob finds starts with no dot, unless the glob spells it (bash(1) "Pathname Expansion").
_NO_DOT = ("[", True, ((".", "."),))

MAX_GLOBS = 512
_GLOBS: dict[Partial, Glob] = {}  # functools.lru_cache would cost a hook the import of collections


def match_word(glob: Glob, word: Word) -> int:
    """Truth of `word` matching `glob` as a whole."""
    if type(word) is str:
        return YES if glob_matches(glob, word) else NO
    known = word_glob(word)
    if not globs_overlap(glob, known):
        return NO
    return YES if glob_covers(glob, known) else MAYBE


def word_glob(word: Word) -> Glob:
    """A glob that matches every text the word can turn into: what is known of it, and anything for its holes."""
    if isinstance(word, str):
        return word
    found = _GLOBS.get(word)
    if found is None:
        if len(_GLOBS) >= MAX_GLOBS:
            _GLOBS.clear()
        found = _GLOBS[word] = _glob_of_parts(word)
    return found


def _glob_of_parts(word: Partial) -> Glob:
    tokens: list[Any] = [part if isinstance(part, str) else ANY for part in word.parts if part != ""]
    if is_dotless(word):
        after = tokens[1] if len(tokens) > 1 else "."
        if isinstance(after, str) and after.startswith("."):
            tokens.insert(0, _NO_DOT)
    return glob_of(tokens)


def is_dotless(word: Partial) -> bool:
    """Whether the word starts with a glob that finds no name with a leading dot. (Extended globs, `@(.env)`, may.)"""
    first = next((part for part in word.parts if part != ""), "")
    return isinstance(first, Hole) and first.kind == "glob" and first.text[:1] in "*?[" and "(" not in first.text


def join_words(words: Iterable[Word]) -> Word:
    """The words joined by one space, as one word. A word that may vanish takes the space beside it into its hole."""
    parts: list[str | Hole] = []
    sources: list[str] = []
    space = ""
    for word in words:
        sources.append(str(word))
        if isinstance(word, str):
            parts += [space, word]
            space = " "
            continue
        vanishes = word.many and not any(isinstance(part, str) and part for part in word.parts)
        parts += ["" if vanishes else space, *word.parts]
        space = "" if vanishes and not space else " "
    return _joined(parts, " ".join(sources))


def _joined(parts: list[str | Hole], source: str) -> Word:
    merged: list[str | Hole] = []
    for part in parts:
        if isinstance(part, str) and merged and isinstance(merged[-1], str):
            merged[-1] += part
        elif part != "":
            merged.append(part)
    if all(isinstance(part, str) for part in merged):
        return "".join([str(part) for part in merged])
    return Partial(tuple(merged), source)
