"""Variables of loops over words that are known: which values a command inside sees. Pure.

`for f in a.py b.py; do wc -l "$f"; done` runs the command for each word: it is looked at for each. A variable that anything else sets
as well, and one with more values than are followed, is not known.
"""

from __future__ import annotations

from remit.shell.commands import Script, SimpleCommand
from remit.shell.words import Partial, Word, is_glob
from remit.shell_state import RUNNING, State, fill, has_namerefs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_VALUES = 16


class Loop:
    """One loop's variable, and what it may be."""

    __slots__ = ("name", "values")

    def __init__(self, name: str) -> None:
        self.name = name
        self.values: list[Word] = []


def known_loops(script: Script, state: State, home: str) -> dict[int, Loop]:
    """The loops of a script whose variable only ever has values that are known, by the id of their context."""
    import re

    from remit.shell.braces import expand  # the slow half of the package, loaded on need

    loops: dict[int, Loop] = {}
    if any(
        command.argv and (not isinstance(command.argv[0], str) or command.argv[0] in RUNNING)
        for command in script.commands
    ):
        return loops
    if has_namerefs(script):
        return loops
    lost = set(state.variables) | {item.name for item in script.sets if item.loop < 0}
    lost.update([name for text in script.evaluated for name in re.findall(r"[A-Za-z_][A-Za-z0-9_]*", text)])
    for item in script.sets:
        if item.name in lost:
            continue
        loop = loops.setdefault(item.loop, Loop(item.name))
        loop.values += [fill(word, state, home) for word in expand(item.value)]
        if len(loop.values) > MAX_VALUES or not all(is_glob(value) for value in loop.values):
            lost.add(item.name)
    return {number: loop for number, loop in loops.items() if loop.name not in lost}


def rounds(command: SimpleCommand, loops: dict[int, Loop]) -> Iterator[dict[str, Word]]:
    """The values of loop variables with which a command runs, once for each round; none more than MAX_VALUES."""
    around = [loops[place.id] for place in command.context if place.id in loops]
    used = [loop for loop in around if _mentions(command, loop.name)]
    total = 1
    for loop in used:
        total *= max(len(loop.values), 1)
    if total > MAX_VALUES:
        used = []
    found: list[dict[str, Word]] = [{}]
    for loop in used:
        found = [{**known, loop.name: value} for known in found for value in loop.values]
    yield from found


def _mentions(command: SimpleCommand, name: str) -> bool:
    words = (
        *command.argv,
        *[item.target for item in command.redirections],
        *[item.value for item in command.assignments],
    )
    return any(
        not isinstance(part, str) and name in part.text
        for word in words
        if isinstance(word, Partial)
        for part in word.parts
    )
