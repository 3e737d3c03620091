"""What differs: between two programs, and between the answers to the same calls."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import click

from remit.cli.decide import call_text
from remit.cli.output import COLOURS, coloured
from remit.cli.recorded import Recorded
from remit.effects.audit.canonical import canonical
from remit.phrasing import one_line
from remit.verdict import Verdict
from remit_dsl.program import Program
from remit_dsl.records import NamedTuple

# The columns of a rule's row (remit_dsl.program.Rule) that change what it says.
FIELDS = ("id", "effect", "shadow", "targets", "except", "when", "modes", "agents", "until", "because", "severity", "owner", "ticket",
          "policy", "tier", "at", "approvable")  # fmt: skip
# The other tables of a program, by the statements that fill them.
OTHERS = {
    "defaults": "defaults",
    "modes": "modes",
    "forbidden_modes": "forbidden modes",
    "tools": "tools",
    "programs": "programs",
    "program_names": "names of programs",
    "sets": "sets",
    "data": "data",
    "on_unparseable": "what cannot be parsed",
    "lower_may": "rights of lower tiers",
    "env_harmless": "harmless variables",
    "env_runs": "variables that run something",
}


class RuleChange(NamedTuple):
    """A rule that is "added", "removed" or "changed". fields: which parts of it changed."""

    kind: str
    effect: str
    rule: str
    policy: str
    at: str
    text: str
    fields: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {**self._asdict(), "fields": list(self.fields)}


class Difference(NamedTuple):
    """A call that is answered differently. before, after: decision, reason code and rule."""

    call: Recorded
    before: tuple[str, str, str]
    after: tuple[str, str, str]

    def to_json(self) -> dict[str, Any]:
        sides = {
            name: dict(zip(("decision", "code", "rule"), side, strict=True))
            for name, side in (("before", self.before), ("after", self.after))
        }
        return {"place": self.call.place, "tool": self.call.request.tool, "call": call_text(self.call.request), **sides}


def rule_changes(old: Program, new: Program) -> list[RuleChange]:
    """The rules that differ, removed ones first. A rule is the same one by its name, and without a name by what it says."""
    before, after = _by_name(old), _by_name(new)
    gone = {key: row for key, row in before.items() if key not in after}
    come = {key: row for key, row in after.items() if key not in before}
    said = Counter([_said(row) for row in gone.values()]) & Counter([_said(row) for row in come.values()])
    found = [_change("removed", row) for row in _without(gone.values(), said)]
    found += [_change("added", row) for row in _without(come.values(), said)]
    for key, row in after.items():
        fields = _changed(before[key], row) if key in before else ()
        if fields:
            found.append(_change("changed", row, fields))
    return found


def _by_name(program: Program) -> dict[tuple[str, str, int], list[Any]]:
    found: dict[tuple[str, str, int], list[Any]] = {}
    seen: Counter[tuple[str, str]] = Counter()
    for row in program.tables["rules"]:
        name = (row[13], row[0])
        found[(*name, seen[name])] = row
        seen[name] += 1
    return found


def _said(row: list[Any]) -> str:
    """What a rule without a name says; a name is part of what a rule with one says. The place and the name made of it do not count."""
    return repr([row[0] if row[0] != f"{row[13]}:{row[15].rpartition(':')[2]}" else "", *row[1:15], row[16]])


def _without(rows: Iterable[list[Any]], said: Counter[str]) -> Iterator[list[Any]]:
    left = Counter(said)
    for row in rows:
        if left[_said(row)] > 0:
            left[_said(row)] -= 1
        else:
            yield row


def _changed(old: list[Any], new: list[Any]) -> tuple[str, ...]:
    return tuple([name for at, name in enumerate(FIELDS) if name != "at" and old[at] != new[at]])


def _change(kind: str, row: list[Any], fields: tuple[str, ...] = ()) -> RuleChange:
    effect = f"shadow {row[1]}" if row[2] else row[1]
    return RuleChange(kind, effect, row[0], row[13], row[15], ", ".join([target[3] for target in row[3]]), fields)


def other_changes(old: Program, new: Program) -> list[str]:
    """What else differs, in words."""
    return [words for name, words in OTHERS.items() if _plain(name, old) != _plain(name, new)]


def _plain(name: str, program: Program) -> Any:
    """A table in a form that can be compared: a program's declarations are text until they are needed, a default's place says nothing of
    what it does."""
    table = program.tables[name]
    if name == "programs":
        return [canonical(json.loads(item) if isinstance(item, str) else item) for item in table]
    return canonical([row[:4] for row in table] if name == "defaults" else table)


def answer_of(verdict: Verdict) -> tuple[str, str, str]:
    """Decision, reason code and rule."""
    return verdict.decision, verdict.reason.code, verdict.reason.rule


def print_differences(found: Iterable[Difference], limit: int) -> None:
    """At most `limit` of them, a line each."""
    for item in list(found)[:limit]:
        before, after = [coloured(side[0], COLOURS.get(side[0], "red")) for side in (item.before, item.after)]
        why = " ".join([part for part in item.after[1:] if part])
        click.echo(f"{before} -> {after}  {one_line(call_text(item.call.request), 100)}  ({why}; {item.call.place})")


def turns(found: Iterable[Difference]) -> dict[str, int]:
    """How often which decision became which, most often first."""
    counts = Counter([f"{item.before[0]} -> {item.after[0]}" for item in found])
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
