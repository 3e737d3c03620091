"""Modes that an administrator has switched off while the daemon runs: as if an organisation's policy said `forbid mode`."""

from __future__ import annotations

import threading
from collections import OrderedDict

from remit.engine import Engine
from remit_dsl.program import Program

# As many engines as there may be projects, each made anew when its policies change.
KEPT_ENGINES = 64


class ModeError(ValueError):
    """The mode cannot be switched off. The message says why."""


class ModeSwitches:
    """Which modes are off. Thread-safe."""

    def __init__(self) -> None:
        self._forbidden: frozenset[str] = frozenset()
        self._made: OrderedDict[tuple[int, frozenset[str]], tuple[Program, Engine]] = OrderedDict()
        self._lock = threading.Lock()

    def switch(self, program: Program, name: str, *, forbidden: bool) -> tuple[str, ...]:
        """Switch a mode off, or leave it to the policies again; the modes that are off. Raises ModeError."""
        own = _forbiddable(program, name)
        with self._lock:
            self._forbidden = self._forbidden | {own} if forbidden else self._forbidden - {own}
            return tuple(sorted(self._forbidden))

    def applied(self, engine: Engine) -> Engine:
        """The engine in which these modes are forbidden too; of another revision, because it decides differently."""
        forbidden, program = self._forbidden, engine.program
        if forbidden <= set(program.tables["forbidden_modes"]):
            return engine
        key = (id(program), forbidden)
        with self._lock:
            made = self._made.get(key)
            if made is not None:
                return made[1]
        more = sorted({*program.tables["forbidden_modes"], *forbidden})
        found = Engine(Program({**program.tables, "forbidden_modes": more}))
        with self._lock:
            self._made[key] = (program, found)  # the program is kept, so that nothing else gets its id
            while len(self._made) > KEPT_ENGINES:
                self._made.popitem(last=False)
        return found


def _forbiddable(program: Program, name: str) -> str:
    """The mode's own name. Raises ModeError for one that the program does not have, or that is stricter than no mode at all."""
    row = program.tables["modes"].get(name)
    if row is None:
        raise ModeError(f"there is no mode {name[:80]!r}")
    own, only_readonly, _, _, ask_becomes, *_ = row
    if only_readonly or ask_becomes == "deny":
        raise ModeError(f"the mode {own} refuses calls that would be asked about without it")
    return str(own)
