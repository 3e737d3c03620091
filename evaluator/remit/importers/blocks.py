"""What importers put together: blocks of policy text with the original as a comment, and the notes on what is lost."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from remit.importers.conversion import Conversion, ConversionError, Note
from remit.importers.writing import comment
from remit_dsl.formatter import format_source
from remit_dsl.records import NamedTuple
from remit_dsl.source import Source


class Block(NamedTuple):
    """What one place of the settings becomes: its original as a comment, statements, a note if something is lost."""

    original: str
    statements: tuple[str, ...] = ()
    note: Note | None = None

    def __str__(self) -> str:
        lost = [comment(f"not carried over: {self.note.why}; {self.note.instead}")] if self.note else []
        return "\n".join([comment(self.original), *lost, *self.statements]) + "\n"


def lost(place: str, original: str, why: str, instead: str = "left out") -> Block:
    """A block without statements."""
    return Block(original, (), Note(place, why, instead))


def shown(value: Any) -> str:
    """A value of the settings on one line of a comment."""
    return value if isinstance(value, str) else json.dumps(value, default=str)


def key_of(name: str) -> str:
    """A key as it stands in a note's place."""
    return name if name.replace("-", "_").isidentifier() else json.dumps(name)


def is_writable(text: str) -> bool:
    """Whether a policy can hold the text: it has no halves of surrogate pairs."""
    return not any("\ud800" <= char <= "\udfff" for char in text)


def assemble(header: str, blocks: Iterable[Block], closing: Sequence[str] = ()) -> Conversion:
    """The policy of the blocks, in canonical form, `closing` statements behind them. Raises ConversionError where that is too long."""
    kept = list(blocks)
    text = "\n".join([header, *map(str, kept), *(line + "\n" for line in closing)])
    source, problems = format_source(Source("imported", text))
    if source is None:
        raise ConversionError(f"the policy would not be one: {problems[0].message}")
    return Conversion(source, tuple(block.note for block in kept if block.note))
