"""`remit replay`: what would these policies have decided?"""

from __future__ import annotations

from collections import Counter

import click

from remit.cli.changes import Difference, answer_of, print_differences, turns
from remit.cli.loading import code_of
from remit.cli.options import json_option, policy_option
from remit.cli.output import note, print_json
from remit.cli.recorded import recorded_calls
from remit.engine import Engine
from remit.payloads import PayloadError


@click.command("replay")
@click.argument("calls", metavar="LOG")
@policy_option
@click.option("--limit", default=100, show_default=True, type=click.IntRange(0, 1_000_000), help="How many to show.")
@json_option
def command(calls: str, policies: tuple[str, ...], limit: int, as_json: bool) -> int:
    """Decide recorded calls again by other policies.

    LOG is a decision log or an export of one. Only calls that are stored whole are compared: of one with a mask in it nobody can say what
    it was. The file system is looked at as it is now; what earlier calls of a session left behind, and its approvals, are not known.
    """
    engine = Engine.load(*policies)
    found: list[Difference] = []
    apart: Counter[str] = Counter()
    compared = 0
    try:
        for call in recorded_calls(calls):
            if call.unsure or not call.decision:
                apart[call.unsure or "no answer recorded"] += 1
                continue
            compared += 1
            answer = answer_of(engine.decide(call.request))
            if answer[0] != call.decision:
                found.append(Difference(call, (call.decision, call.code, call.rule), answer))
    except PayloadError as error:
        raise click.ClickException(str(error)) from None
    if as_json:
        shown = [item.to_json() for item in found[:limit]]
        print_json({"revision": engine.program.revision, "compared": compared, "not_compared": dict(apart), "different": len(found),
                    "turns": turns(found), "calls": shown})  # fmt: skip
        return code_of(bool(found))
    print_differences(found, limit)
    note(summary(compared, apart, found))
    return code_of(bool(found))


def summary(compared: int, apart: Counter[str], found: list[Difference]) -> str:
    """The outcome in a line."""
    parts = [
        f"{compared} compared",
        f"{len(found)} different",
        *[f"{number} {turn}" for turn, number in turns(found).items()],
    ]
    parts += [f"{number} not compared: {why}" for why, number in apart.most_common()]
    return ", ".join(parts)
