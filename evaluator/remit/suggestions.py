"""Rules that would permit calls like one that was asked about: general enough to be of use, never dangerous.

A suggestion says what it would newly permit. None is made for guards and ask rules, for what was not understood, and for programs
that run whatever they are given (shells, interpreters, wrappers).
"""

from __future__ import annotations

from remit.facts import Facts, PathFact, Unit
from remit.spellings import runs_operands
from remit.verdict import UnitVerdict
from remit_dsl.program import Program

OPEN_CODES = ("no_rule", "default")


def suggest(program: Program, facts: Facts, answers: tuple[UnitVerdict, ...]) -> list[dict[str, str]]:
    """Suggestions, each `{"rule", "permits"}`, for the units of an asked call that nothing speaks of."""
    found: dict[str, str] = {}
    for unit, answer in zip(facts.units, answers, strict=True):
        if answer.decision == "ask" and answer.reason.code in OPEN_CODES:
            rule = _for_command(program, unit) if unit.kind == "command" else _for_tool(facts)
            if rule is not None:
                found.setdefault(*rule)
    return [{"rule": rule, "permits": permits} for rule, permits in found.items()]


def _for_command(program: Program, unit: Unit) -> tuple[str, str] | None:
    name = unit.program
    if name is None or unit.assignments or unit.argv[0] != name or not name.replace("-", "").replace("_", "").isalnum():
        return None
    spec = program.spec(name)
    if spec is None:
        return f"allow Bash({name} *)", f"every call of {name}, whatever it does"
    if runs_operands(spec):
        return None
    places = unit.analysis.subcommands if unit.analysis is not None else ()
    words = " ".join([name, *[str(unit.argv[place]) for place in places]])
    if "subs" in spec and not places:
        return None
    return (
        f"allow Bash({words} *)",
        f"every call of {words}, with any options and operands but those that run other programs",
    )


def _for_tool(facts: Facts) -> tuple[str, str] | None:
    subject = facts.subject
    if isinstance(subject, PathFact) and subject.paths:
        inside = any(subject.paths[0].startswith(root.rstrip("/") + "/") for root in facts.roots.workspace)
        if inside:
            return f"allow {facts.agent_tool}(./**)", f"{facts.agent_tool} on every file of the workspace"
        return None
    if not facts.declared and facts.agent_tool.startswith("mcp__"):
        return f"allow {facts.agent_tool}", f"every call of {facts.agent_tool}"
    return None
