"""Checked policies -> the decision program: one total order of rules, tables, index.

The order of files does not matter: rules are sorted by stage, tier, policy and line, and nothing else depends on where a file came
in the list.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from remit_dsl.checker import Checked, Memory, check
from remit_dsl.checks.rules import data_key, plain
from remit_dsl.diagnostics import Diagnostic, has_errors
from remit_dsl.index import build_index
from remit_dsl.policy import PolicySource, Row
from remit_dsl.program import EFFECTS, TIERS, Program
from remit_dsl.records import NamedTuple
from remit_dsl.source import Source

_STAGE = {effect: at for at, effect in enumerate(EFFECTS)}
_RANK = {tier: at for at, tier in enumerate(TIERS)}


class Compilation(NamedTuple):
    """What came of some sources: a program unless there are errors, and everything that was found."""

    program: Program | None
    diagnostics: tuple[Diagnostic, ...]
    checked: Checked


def compile_policies(sources: Iterable[Source | PolicySource]) -> Program | tuple[Diagnostic, ...]:
    """The program of these policies, all or nothing: with any error, the diagnostics. A bare Source may claim any tier; without a claim
    it belongs to `user`. Warnings of a program are in its table `notes`."""
    done = compile_report(sources)
    return done.program if done.program is not None else done.diagnostics


def compile_report(sources: Iterable[Source | PolicySource], memory: Memory | None = None) -> Compilation:
    """As `compile_policies`, with the warnings as diagnostics. `memory` keeps what did not change for the next call; it serves one
    call at a time."""
    given = [item if isinstance(item, PolicySource) else PolicySource(item) for item in sources]
    checked = check(given, memory)
    if has_errors(checked.diagnostics):
        return Compilation(None, checked.diagnostics, checked)
    notes = _notes(checked.diagnostics, given)
    return Compilation(Program(tables_of(checked, notes)), checked.diagnostics, checked)


def tables_of(checked: Checked, notes: list[str]) -> dict[str, Any]:
    """The tables of a program, in plain JSON values."""
    rules = _rules(checked)
    return {
        "policies": [[file.name, file.tier, file.owner, file.title, file.source.name] for file in checked.files],
        "rules": rules,
        "defaults": _defaults(checked),
        "tools": plain(checked.tools),
        "programs": checked.programs.specs,
        "program_names": checked.programs.names,
        "modes": plain(checked.modes),
        "forbidden_modes": checked.forbidden_modes,
        "sets": _word_sets(checked),
        "env_harmless": plain(checked.environment.harmless),
        "env_runs": plain(checked.environment.runs),
        "data": {data_key(file.name, name): value for file in checked.files for name, value in file.data.items()},
        "on_unparseable": _on_unparseable(checked),
        "lower_may": {tier: sorted(may) for tier, may in checked.rights.items()},
        "notes": notes,
        "index": build_index(rules),
    }


def _rules(checked: Checked) -> list[Row]:
    keyed = [
        ((row[2], _STAGE[row[1]], _RANK[row[14]], row[13], line, at), row)
        for done in checked.checked.values()
        for at, (line, row) in enumerate(done.rules)
    ]
    return [row for _, row in sorted(keyed, key=lambda pair: pair[0])]


def _defaults(checked: Checked) -> list[Row]:
    """Higher tiers first, within a policy as written: the first that matches holds."""
    keyed = [
        ((_RANK[row[3]], row[2], at), row)
        for done in checked.checked.values()
        for at, (_, row) in enumerate(done.defaults)
    ]
    return [row for _, row in sorted(keyed, key=lambda pair: pair[0])]


def _word_sets(checked: Checked) -> dict[str, Any]:
    sets = {value.key: value.patterns for file in checked.files for value in file.sets.values()}
    return {key: plain(sets[key]) for key in sorted(checked.word_sets)}


def _on_unparseable(checked: Checked) -> str:
    """The strictest that any file says."""
    said = {statement.effect for file in checked.files for statement in file.unparseable}
    return "deny" if "deny" in said else "ask"


def _notes(diagnostics: Iterable[Diagnostic], given: Iterable[PolicySource]) -> list[str]:
    """One line per warning, for those who only see the program."""
    sources = {item.source.name: item.source for item in given}
    notes = []
    for item in diagnostics:
        source = sources.get(item.source_name)
        line, column = source.position(item.start) if source is not None else (0, 0)
        notes.append(f"{item.severity}[{item.code}] {item.source_name}:{line}:{column}: {item.message}")
    return notes
