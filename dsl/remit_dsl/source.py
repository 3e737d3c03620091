"""Policy text and places in it. Offsets count code points from 0; lines and columns count from 1."""

from __future__ import annotations

from remit_dsl.records import NamedTuple


class Span(NamedTuple):
    """A half-open range of offsets in one source."""

    start: int
    end: int


class Source(NamedTuple):
    """One policy file: its name as the user gave it, and its text with `\\n` line ends."""

    name: str
    text: str

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of `offset`; `len(text)` is a valid offset (end of file)."""
        line_start = self.text.rfind("\n", 0, offset) + 1
        return self.text.count("\n", 0, offset) + 1, offset - line_start + 1
