"""What the labels of metrics may say: names that policies hold, and closed vocabularies. Nothing that a caller chose."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from remit_dsl.program import Program

OTHER = "other"
# Every rule is a series from the start; more of them would make a scrape longer than it may take.
MAX_RULES = 10_000


class RuleLabels(NamedTuple):
    """A rule as a series: `policy/id`, effect, and whether it is enforced (not under trial)."""

    rule: str
    effect: str
    enforced: str


NO_RULE = RuleLabels(OTHER, OTHER, OTHER)


class Names(NamedTuple):
    """The names that one program knows. tools: name -> label (an alias has its base's); shells: tools whose subject is a command;
    rules: (policy, id, under trial) -> labels."""

    tools: dict[str, str]
    shells: frozenset[str]
    agents: frozenset[str]
    rules: dict[tuple[str, str, bool], RuleLabels]


def names_of(program: Program | None, agents: Iterable[str] = ()) -> Names:
    """The names that a program knows; of its rules the first MAX_RULES. agents: those that the host knows besides."""
    if program is None:
        return Names({}, frozenset(), frozenset(agents), {})
    rows = program.tables["rules"]
    targets = [target for row in rows for target in row[3] if target[0] != "cap"]
    literal = {target[1]: target[1] for target in targets if isinstance(target[1], str)}
    declared = {name: str(row[0]) for name, row in program.tables["tools"].items()}
    shells = [name for name in declared if (tool := program.tool(name)) is not None and tool.is_shell]
    rules = {
        (row[13], row[0], bool(row[2])): _labels(row[13], row[0], row[1], bool(row[2])) for row in rows[:MAX_RULES]
    }
    known = frozenset([*agents, *[name for row in rows for name in row[7]]])
    return Names({**literal, **declared}, frozenset(shells), known, rules)


def _labels(policy: str, rule: str, effect: str, shadow: bool) -> RuleLabels:
    # A rule without a label is called `policy:line` already.
    name = rule if rule.startswith(f"{policy}:") else f"{policy}/{rule}"
    return RuleLabels(name, effect, "false" if shadow else "true")
