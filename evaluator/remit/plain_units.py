"""The unit of a plain command, quickly: a declared program with words that are all known, which runs nothing but itself.

It gives what `observe_shell` would give by the general way, or None where that way is needed.
"""

from __future__ import annotations

from remit.accesses import NARROWING, redirection_accesses, role_accesses
from remit.facts import Access, Unit
from remit.plain_arguments import plain_analysis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from remit.accesses import Places
    from remit.facts import Analysis
    from remit.nests import Nest
    from remit.shell.commands import SimpleCommand
    from remit.shell_state import State
    from remit_dsl.program import Program


class PlainUnits:
    """Makes the units of plain commands. What it keeps of a declared program follows from the compiled program alone."""

    __slots__ = ("_apart", "_caps", "_known", "_program")

    def __init__(self, program: Program, apart: frozenset[str]) -> None:
        self._program = program
        self._apart = apart  # builtins that do more with their words than their declaration says
        self._caps: Mapping[str, Any] = program.tables["index"]["caps"]
        self._known: dict[str, tuple[Mapping[str, Any], tuple[Access]]] = {}

    def unit(self, command: SimpleCommand, places: Places, state: State, nest: Nest) -> Unit | None:
        """The unit of a command that is not prefixed by assignments and whose program is no function."""
        argv, _, redirections, context, _, _, _ = command
        name: Any = argv[0]
        if name.__class__ is not str:
            return None
        known = self._known.get(name) or self._knowledge(name)
        if known is None:
            return None
        analysis = plain_analysis(known[0], argv)
        if analysis is None:
            return None
        accesses: tuple[Access, ...] = known[1]
        if analysis.roles:
            if _runs_by_option(analysis) or any([option.name in NARROWING for option in analysis.options]):
                return None
            accesses += role_accesses(analysis, places, self._caps)
        if redirections:
            accesses += redirection_accesses(redirections, places, state)
        kinds = (*nest.context, *[place.kind for place in context]) if context else nest.context
        text = " ".join(argv)  # type: ignore[arg-type]
        return Unit(
            "command", text, argv, name, analysis, True, (), accesses, kinds, "", False, analysis.inert,
            nest.parent, nest.place, nest.sure,
        )  # fmt: skip

    def _knowledge(self, name: str) -> tuple[Mapping[str, Any], tuple[Access]] | None:
        spec = self._program.spec(name) if name not in self._apart and "/" not in name else None
        if spec is None:
            return None
        found = self._known[name] = (spec, (Access("exec", None, None, name, True, False, -1),))
        return found


def _runs_by_option(analysis: Analysis) -> bool:
    """Whether an option's value is run: it may hold a command."""
    return any([kind == "run" and place not in analysis.operands for kind, _, place, _, _ in analysis.roles])


def plain_units_of(program: Program, apart: frozenset[str]) -> PlainUnits:
    """The maker of plain units for `program`, kept with it."""
    found = program.cache.get("plain units")
    if found is None:
        found = program.cache["plain units"] = PlainUnits(program, apart)
    return found
