"""What a command line does, by the declaration of its program: `analyse` applies a compiled level (`remit_dsl.programs`).

Rule of this file: what is not certain is reported as possible (sure=False) or makes the command not known; nothing is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from remit.arguments import MANY, Arguments, active
from remit.code import scan_code
from remit.facts import MAYBE, NO, YES, Analysis, Inner, RoleUse
from remit.shell.words import Hole, Partial, Word
from remit_dsl.roles import ASSIGNS, DYNAMIC, ELSEWHERE, HERE, TREE

_TOUCHING = frozenset(("read", "write", "delete", "connect", "run", "enter"))
_BITING = frozenset(("write", "delete", "connect", "run", "shell", "command", "acts"))
_RUNNING = frozenset(("run", "shell", "command"))
# Where an uncertain start leaves many words at which a command may begin, this many are looked at. The command is not known
# then, so the ones left out are never allowed by what was seen.
_MAX_STARTS = 16


def analyse(spec: Mapping[str, Any], argv: tuple[Word, ...]) -> Analysis:
    """What the declaration says of `argv` (argv[0] is the program). Never raises; linear in argv, but for uncertain starts."""
    given = Arguments(spec, argv)
    given.read()
    level = given.level
    if not given.given and not ("operands" in level or "with" in level or "input" in level):
        return Analysis(
            given.known, "readonly" in level, "inert" in level, "acts" in level, given.subcommands, tuple(given.options),
            tuple(given.operands), tuple(given.doubtful), (), (), (),
        )  # fmt: skip
    return _Effects(given).analysis()


class _Effects:
    """Collects what options and operands do."""

    __slots__ = ("acts", "argv", "bodies", "claimed", "given", "inert", "inner", "known", "placeholders", "readonly", "roles", "teeth")

    def __init__(self, given: Arguments) -> None:
        self.given = given
        self.argv = given.argv
        self.known = given.known
        self.roles: list[RoleUse] = []
        self.inner: list[Inner] = []
        self.teeth: set[int] = set()
        self.placeholders: list[Word] = ["{}"]
        self.claimed: set[int] = set()
        self.bodies = self._bodies()
        self.readonly = any("readonly" in body for sure, _, body in self.bodies[0] + self._inner_bodies() if sure == YES)
        self.inert = any("inert" in body for sure, _, body in self.bodies[0] + self._inner_bodies() if sure == YES)
        self.acts = False

    def analysis(self) -> Analysis:
        self._traits()
        for option, roles, index, end in self.given.given:
            self._option(option, roles, index, end)
        if len(self.bodies) == 1 and not self.given.spans:
            self._plain_operands(self.bodies[0][0][2])
        else:
            self._operands()
        self._defaults()
        if self.given.open:
            self._possible_options()
        self._input()
        given = self.given
        return Analysis(
            self.known, self.readonly, self.inert, self.acts, given.subcommands, tuple(given.options), tuple(given.operands),
            tuple(given.doubtful), tuple(self.roles), tuple(self._inners()), tuple(sorted(self.teeth)),
        )  # fmt: skip
