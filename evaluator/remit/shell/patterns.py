"""Patterns in `case` and `[[`: bash(1) "Pattern Matching", with the extended ones, which are always on inside `[[`.

Nothing is kept of them; they are read for the substitutions that they hold and for where they end.
"""

from __future__ import annotations

from remit.shell import constructs
from remit.shell.expansions import Part
from remit.shell.reader import Reader
from remit.shell.word_reader import join, read_pieces
from remit.shell.words import Word

_EXTENDING = frozenset("?*+@!")
_INSIDE = frozenset("|& \t<>;\n")


def pattern(reader: Reader) -> Word:
    """One pattern word; declines if none starts here."""
    start = reader.pos
    parts: list[Part] = []
    while True:
        read_pieces(reader, parts, start)
        if not (reader.at("(") and reader.pos > start and reader.text[reader.pos - 1] in _EXTENDING):
            break
        parts.append(_extended(reader))
    if reader.pos == start:
        reader.decline(constructs.SYNTAX)
    return join(parts)


def _extended(reader: Reader) -> Part:
    """`(pattern|pattern…)` behind one of `?*+@!`."""
    reader.not_sh()
    reader.deepen()
    start = reader.pos
    reader.pos += 1
    while not reader.accept(")"):
        if reader.pos >= reader.size:
            reader.decline(constructs.SYNTAX)
        char = reader.text[reader.pos]
        if char == "(":
            _extended(reader)
        elif char in _INSIDE:
            reader.pos += 1
        else:
            read_pieces(reader, [], reader.pos)
    reader.depth -= 1
    return reader.text[start : reader.pos]
