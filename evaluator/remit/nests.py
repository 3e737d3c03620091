"""Nest: where a command was found, inside which other commands. Data only."""

from __future__ import annotations

from remit.facts import Analysis, Unit
from remit.shell.commands import Context, SimpleCommand
from remit.shell.words import Word


class Nest:
    """Where a command was found: the unit around it and how it hangs there. stdin: the text on its standard input, a Partial when that
    is not known, None when it is the agent's own. before: the unit of the command whose output that is, where it is nothing else."""

    __slots__ = ("before", "context", "depth", "parent", "place", "stdin", "sure")

    def __init__(
        self, parent: int, place: int, depth: int, sure: bool, context: tuple[str, ...], stdin: Word | None = None
    ) -> None:
        self.parent = parent
        self.place = place
        self.depth = depth
        self.sure = sure
        self.context = context
        self.stdin = stdin
        self.before: Unit | None = None


def inside(nest: Nest, context: tuple[Context, ...]) -> Nest:
    """The same nest, inside of these compound commands as well."""
    kinds = tuple([place.kind for place in context])
    return Nest(nest.parent, nest.place, nest.depth, nest.sure, (*nest.context, *kinds), nest.stdin)


def is_handed_on(command: SimpleCommand, following: SimpleCommand) -> bool:
    """Whether all that `command` prints, and nothing else, is what `following` reads: both stand side by side in one pipeline."""
    context = command.context
    if following.after != "|" or command.after in ("|", "|&") or not context or context[-1].kind != "pipeline":
        return False
    own = [item.fd == "2" and item.op in (">", ">>") for item in command.redirections]
    reads = [item.op.startswith("<") for item in following.redirections]
    return context == following.context and all(own) and not any(reads) and not command.assignments


def has_written(units: list[Unit]) -> bool:
    """Whether one of the commands may have changed what is in a folder."""
    harmless = ("fs.read", "exec")
    return any(not unit.known or any(a.kind not in harmless for a in unit.accesses) for unit in units)


def is_transparent(analysis: Analysis) -> bool:
    """Whether the command does nothing but run what its inner units say, as the same user in the same place."""
    return not analysis.acts and all(item.transparent and item.kind != "code" for item in analysis.inner)


TOP = Nest(-1, -1, 0, True, ())
