"""Words under a role: whether they match its pattern, which part of them it speaks of, what is put together from them. Pure."""

from __future__ import annotations

from remit.arguments import tail
from remit.facts import MAYBE, NO, YES
from remit.shell.words import Hole, Partial, Word
from remit_dsl.roles import REST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def fits(runs: list[str], word: Word) -> int:
    """Whether a word matches the literal runs between the stars of a pattern."""
    if not isinstance(word, str):
        first, last = runs[0], runs[-1]
        shared = min(len(first), len(word.prefix))
        if word.prefix[:shared] != first[:shared]:
            return NO
        shared = min(len(last), len(word.suffix)) if len(runs) > 1 else 0
        if shared and word.suffix[-shared:] != last[-shared:]:
            return NO
        return YES if len(runs) == 2 and not last and word.prefix.startswith(first) and not word.many else MAYBE
    if len(runs) == 1:
        return YES if word == runs[0] else NO
    if not word.startswith(runs[0]):
        return NO
    at = len(runs[0])
    for run in runs[1:-1]:
        at = word.find(run, at)
        if at < 0:
            return NO
        at += len(run)
    return YES if len(word) - at >= len(runs[-1]) and word.endswith(runs[-1]) else NO


def rest(role: list[Any], word: Word) -> Word:
    """What the last star of the role's pattern stands for, where the role says `rest`; else the whole word."""
    if not role[1] & REST:
        return word
    runs, text = role[4], word if isinstance(word, str) else word.prefix
    at = 0
    for number, run in enumerate(runs[:-1]):
        found = text.find(run, at) if number or not text.startswith(run) else 0
        if found < 0:
            return word
        at = found + len(run)
    return word[at:] if isinstance(word, str) else tail(word, at)


# What may part several names in one word, or a name from what is said of it: `a;type=x`, `{a,b}`, `"a"`, `--csv a t`, `a:/b:ro`.
_PARTING = str.maketrans(dict.fromkeys(";,{}\"' ", "\n"))


def pieces(word: Word) -> list[str]:
    """What else a word may name that is part of a larger one: its pieces, if there are several."""
    if not isinstance(word, str):
        return []
    found = word.translate(_PARTING).split("\n")
    heads = [piece.partition(":")[0] for piece in found if "://" not in piece]  # `/host:/container:ro`
    return [piece for piece in dict.fromkeys([*found, *heads]) if piece and piece != word]


def known_text(word: Word) -> str | None:
    """The text of a word as far as its structure is known: the result of arithmetic is a number, whichever."""
    if isinstance(word, str):
        return word
    if all(isinstance(part, str) or part.kind == "arith" for part in word.parts):
        return "".join([part if isinstance(part, str) else "1" for part in word.parts])
    return None


def joined(words: list[Word]) -> Word:
    """The words joined by blanks, as eval and ssh do."""
    if all(isinstance(word, str) for word in words):
        return " ".join([str(word) for word in words])
    parts: list[str | Hole] = []
    for number, word in enumerate(words):
        pieces = (word,) if isinstance(word, str) else word.parts
        for piece in (" ", *pieces) if number else pieces:
            if isinstance(piece, str) and parts and isinstance(parts[-1], str):
                parts[-1] += piece
            elif piece:
                parts.append(piece)
    return Partial(tuple(parts), " ".join([str(word) for word in words]))


def with_holes(word: Word, placeholders: list[str]) -> Word:
    """`word` with every placeholder in its known text as a hole."""
    parts: list[str | Hole] = [word] if isinstance(word, str) else list(word.parts)
    for placeholder in placeholders:
        split: list[str | Hole] = []
        for part in parts:
            if isinstance(part, str) and placeholder in part:
                hole = Hole("unknown", placeholder, "", False)
                for number, piece in enumerate(part.split(placeholder)):
                    split += ([hole] if number else []) + ([piece] if piece else [])
            else:
                split.append(part)
        parts = split
    if len(parts) == 1 and isinstance(parts[0], str):
        return parts[0]
    return Partial(tuple(parts), str(word)) if parts else ""
