"""Nest: where a command was found, inside which other commands. Data only."""

from __future__ import annotations

from remit.shell.words import Word


class Nest:
    """Where a command was found: the unit around it and how it hangs there. stdin: the text on its standard input, a Partial when that
    is not known, None when it is the agent's own."""

    __slots__ = ("context", "depth", "parent", "place", "stdin", "sure")

    def __init__(
        self, parent: int, place: int, depth: int, sure: bool, context: tuple[str, ...], stdin: Word | None = None
    ) -> None:
        self.parent = parent
        self.place = place
        self.depth = depth
        self.sure = sure
        self.context = context
        self.stdin = stdin


TOP = Nest(-1, -1, 0, True, ())
