"""What an importer hands back: policy text, and what of the original it does not say."""

from __future__ import annotations

from remit_dsl.records import NamedTuple


class ConversionError(ValueError):
    """The text is not what the format promises; nothing was converted. The message names the place, if there is one."""


class Note(NamedTuple):
    """Something that the policy does not say as the original did.

    place: where it stands in the original, as keys and list positions counted from 1 (`permissions.deny[3]`). why: what
    could not be carried over. instead: what the policy says in its place.
    """

    place: str
    why: str
    instead: str

    def __str__(self) -> str:
        return f"{self.place}: {self.why}; {self.instead}"


class Conversion(NamedTuple):
    """A policy's source text, and the notes on what it could not take over, in the order of the original."""

    source: str
    notes: tuple[Note, ...]
