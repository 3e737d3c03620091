"""Brace expansion: bash(1) "Brace Expansion". It is textual and comes before everything else.

A word that braces would expand is read as one `brace` hole that holds the word's source; `expand` spells it out.
"""

from __future__ import annotations

import re
from itertools import pairwise

from remit.shell.words import Hole, Partial, Word

MAX_EXPANSION = 64
MAX_SOURCE = 1024
_MAX_SEQUENCE = 32

_STEP = re.compile(r"""[^\\'"{},]++|\\.|'[^']*'|"(?:[^"\\]|\\.)*+"|[{},]""", re.DOTALL)
_OPAQUE = re.compile(r"[$`]|[<>]\(")
_SEQUENCE = re.compile(r"(-?[0-9]+|[A-Za-z])\.\.(-?[0-9]+|[A-Za-z])(?:\.\.(-?[0-9]+))?")


def find(source: str) -> tuple[int, int, tuple[str, ...]] | None:
    """The first brace expression that expands: where it starts, where it ends, and its alternatives as source text.

    Braces expand when they hold an unquoted comma or a sequence (`x..y`); else they are text. Linear: one pass with a
    stack of open braces; the outermost of nested ones is the one found. `${` opens none.
    """
    opened: list[list[int]] = []
    best: tuple[list[int], int] | None = None
    before = ""
    for step in _STEP.finditer(source):
        text = step[0]
        if text == "{" and not (before.endswith("$") and before[0] != "\\"):
            opened.append([step.start()])
        elif text == "," and opened:
            opened[-1].append(step.start())
        elif text == "}" and opened:
            commas = opened.pop()
            if _expands(source, commas, step.start()) and (best is None or commas[0] < best[0][0]):
                best = commas, step.start()
            if best and not opened:
                break
        before = text
    if best is None:
        return None
    return best[0][0], best[1] + 1, _alternatives(source, *best)


def _expands(source: str, commas: list[int], end: int) -> bool:
    return len(commas) > 1 or bool(_alternatives(source, commas, end))


def _alternatives(source: str, commas: list[int], end: int) -> tuple[str, ...]:
    if len(commas) > 1:
        edges = [*commas, end]
        return tuple(source[left + 1 : right] for left, right in pairwise(edges))
    found = _SEQUENCE.fullmatch(source, commas[0] + 1, end)
    return _sequence(found) if found else ()


def _sequence(found: re.Match[str]) -> tuple[str, ...]:
    """`1..3`, `01..10`, `a..e`, with a step; more than the limit gives one more than it, () if it is no sequence."""
    first, last = found[1], found[2]
    letters = first.isalpha()
    if letters != last.isalpha():
        return ()
    if len(found[0]) > _MAX_SEQUENCE:
        return ("",) * (MAX_EXPANSION + 1)
    start, stop = (ord(first), ord(last)) if letters else (int(first), int(last))
    step = abs(int(found[3] or 1)) or 1
    values = range(start, stop + 1, step) if start <= stop else range(start, stop - 1, -step)
    bounded = values[: MAX_EXPANSION + 1]
    if letters:
        return tuple(chr(value) for value in bounded)
    width = max(len(first), len(last)) if re.match(r"-?0[0-9]", first) or re.match(r"-?0[0-9]", last) else 0
    return tuple(f"{value:0{width}d}" for value in bounded)


def expand(word: Word, dialect: str = "bash") -> tuple[Word, ...]:
    """The words that brace expansion makes of `word`, in order; `(word,)` when it makes no other, when there would be more
    than 64, when it is longer than 1024 characters, or when expansions stand between the braces (the hole then stays)."""
    if isinstance(word, str) or len(word.parts) != 1:
        return (word,)
    hole = word.parts[0]
    if not isinstance(hole, Hole) or hole.kind != "brace" or len(hole.text) > MAX_SOURCE or _OPAQUE.search(hole.text):
        return (word,)
    sources = _spelled(hole.text)
    if not sources:
        return (word,)
    from remit.shell.word_reader import reread  # the slow half of the package, loaded on need

    # An alternative that is nothing at all, not even quotes, makes no word.
    words = [reread(source, dialect) for source in sources if source]
    return (word,) if None in words else tuple(made for made in words if made is not None)


def _spelled(source: str) -> tuple[str, ...]:
    """All spellings, left to right; () beyond the limit. Each round resolves one brace of one spelling."""
    done: list[str] = []
    todo = [source]
    for _ in range(8 * MAX_EXPANSION):
        if not todo:
            return tuple(done)
        text = todo.pop()
        found = find(text)
        if found is None:
            done.append(text)
        else:
            start, end, alternatives = found
            todo.extend(text[:start] + alternative + text[end:] for alternative in reversed(alternatives))
        if len(done) + len(todo) > MAX_EXPANSION:
            return ()
    return ()


def brace_word(source: str, shown: str) -> Partial:
    """The word for `source`, which expands; `shown` is it without quotes."""
    return Partial((Hole("brace", source, "", True),), shown)
