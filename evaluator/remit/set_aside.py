"""Allow rules that do not count in a mode which takes narrow ones only. Pure; what is broad is found out once for each rule."""

from __future__ import annotations

from remit.match import Scene
from remit_dsl.program import Program, Target


def is_set_aside(scene: Scene, number: int, target: Target) -> bool:
    """Whether the mode in force sets aside what allow rule `number` says with this target."""
    program = scene.program
    mode = program.mode(scene.facts.mode)
    if mode is None or not mode.narrow:
        return False
    return target in _broad_targets(program, number)


def _broad_targets(program: Program, number: int) -> tuple[Target, ...]:
    """The targets of a rule that permit whatever somebody thinks of."""
    key = ("broad targets", number)
    found: tuple[Target, ...] | None = program.cache.get(key)
    if found is None:
        from remit_dsl.breadth import permits_too_much, shell_tools  # few calls are made in such a mode

        shells, sets = shell_tools(program.tables["tools"]), program.tables["sets"]
        broad = [target for target in program.rule(number).targets if permits_too_much(target, shells, sets)]
        found = program.cache[key] = tuple(broad)
    return found
