"""Nest: where a command was found, inside which other commands. Data only."""

from __future__ import annotations

from remit.shell.commands import Context
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


def inside(nest: Nest, context: tuple[Context, ...]) -> Nest:
    """The same nest, inside of these compound commands as well."""
    kinds = tuple([place.kind for place in context])
    return Nest(nest.parent, nest.place, nest.depth, nest.sure, (*nest.context, *kinds), nest.stdin)


TOP = Nest(-1, -1, 0, True, ())
