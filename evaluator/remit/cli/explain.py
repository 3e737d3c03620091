"""`remit explain`: why?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from remit.cli.exits import OF_DECISION
from remit.cli.loading import note_without_effect
from remit.cli.options import json_option, policy_option
from remit.cli.output import COLOURS, coloured, print_json
from remit.cli.requests import Source, known_mode, request_options, single_request
from remit.engine import Engine
from remit.explain import AccessLine, Explanation, RuleLine, UnitLine, explain
from remit.phrasing import one_line, sentence
from remit_dsl.program import EFFECTS

_LIMIT = 120
_POSSIBLE_SHOWN = 5


@click.command("explain")
@request_options
@policy_option
@json_option
def command(source: Source, policies: tuple[str, ...], as_json: bool) -> int:
    """Show how a call is decided.

    For each command in it: every rule that matches or might, what was unknown, and what permits it, stage by stage. The call is
    given as for `remit decide`; the exit codes are the same.
    """
    engine = Engine.load(*policies)
    known_mode(source, engine.program)
    note_without_effect(engine.program)
    request = single_request(source)
    explanation = explain(engine.program, engine.observe(request))
    if as_json:
        print_json(explanation.to_json())
    else:
        click.echo("\n".join(_lines(explanation)))
    return OF_DECISION[explanation.verdict.decision]


def _lines(explanation: Explanation) -> Iterator[str]:
    verdict = explanation.verdict
    for at, unit in enumerate(explanation.units):
        yield from _unit_lines(at, unit, at == explanation.strictest)
        yield ""
    yield f"{coloured(verdict.decision, COLOURS[verdict.decision])}  {sentence(verdict)}"
    if explanation.strictest >= 0 and explanation.units[explanation.strictest].decision != verdict.decision:
        strictest = explanation.units[explanation.strictest]
        yield f"  the exit turned {strictest.decision} into {verdict.decision}: {verdict.reason.code}"
    yield f"  mode {verdict.mode}, program {verdict.revision[:19]}"


def _unit_lines(at: int, unit: UnitLine, strictest: bool) -> Iterator[str]:
    mark = "  <- decides" if strictest else ""
    decision = coloured(unit.decision, COLOURS[unit.decision])
    yield f"{at + 1}. {one_line(unit.text, _LIMIT)}  {decision} ({unit.reason.code}){mark}"
    yield from [f"   {line}" for line in _facts(unit)]
    for effect in EFFECTS[:-1]:
        yield from _stage(effect, [line for line in unit.rules if line.effect == effect])
    if unit.mode.word:
        yield f"   mode     {unit.mode.name} says {unit.mode.word}"
    yield from _stage("allow", [line for line in unit.rules if line.effect == "allow"], unit.mode.name)
    for word in unit.allow.uncovered:
        yield f"            an allow by wildcard does not cover `{one_line(word, _LIMIT)}`"
    if unit.allow.permitted_by:
        yield f"   permit   {unit.allow.permitted_by}"
    yield from _accesses(unit.accesses)
    yield f"   default  {unit.default or 'none written: ask'}"


def _facts(unit: UnitLine) -> Iterator[str]:
    if unit.context:
        yield f"found in {' > '.join(unit.context)}"
    if unit.construct:
        yield f"not understood: {unit.construct}"
    if not unit.sure:
        yield "it may not run at all"
    if unit.kind == "command" and not unit.known:
        yield "not all that it does is known"


def _stage(effect: str, lines: list[RuleLine], mode: str = "") -> Iterator[str]:
    for line in sorted(lines, key=lambda line: line.truth == "no"):
        trial = " (on trial)" if line.shadow else ""
        why = f", depending on `{one_line(line.unknown, _LIMIT)}`" if line.unknown else ""
        if line.truth == "no":
            why = "; its condition does not hold" + (
                f": {one_line(line.unknown, _LIMIT)} is not given" if line.unknown else ""
            )
        aside = f"; set aside in mode {mode}" if line.set_aside else ""
        targets = one_line(", ".join(line.targets), _LIMIT)
        yield f"   {effect:<8} {line.truth:<5} {line.rule} ({line.at}){trial}: {targets}{why}{aside}"


def _accesses(lines: Sequence[AccessLine]) -> Iterator[str]:
    """What is touched for certain, and a few of the places that may be: of a tree there can be many."""
    possible = [line for line in lines if not line.access.get("sure", True)]
    yield from [f"   touches  {_access(line)}" for line in lines if line.access.get("sure", True)]
    yield from [f"   may touch {_access(line)}" for line in possible[:_POSSIBLE_SHOWN]]
    if len(possible) > _POSSIBLE_SHOWN:
        yield f"   … and {len(possible) - _POSSIBLE_SHOWN} more that it may touch (--json names them)"


def _access(line: AccessLine) -> str:
    by = line.permitted_by or line.default or "nothing speaks of it"
    return f"{line.access['kind']} {one_line(line.access['target'], _LIMIT)}: {by}"
