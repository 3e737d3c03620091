"""`remit diff`: what changes from these policies to those?"""

from __future__ import annotations

from collections import Counter
from typing import Any

import click

from remit.cli.changes import (
    Difference,
    RuleChange,
    answer_of,
    other_changes,
    print_differences,
    rule_changes,
    turns,
)
from remit.cli.loading import code_of
from remit.cli.options import json_option
from remit.cli.output import coloured, note, print_json
from remit.cli.recorded import recorded_calls
from remit.cli.replay import summary
from remit.engine import Engine
from remit.payloads import PayloadError

_SIGNS = {"added": ("+", "green"), "removed": ("-", "red"), "changed": ("~", "yellow")}


@click.command("diff")
@click.argument("old", metavar="OLD", type=click.Path())
@click.argument("new", metavar="NEW", type=click.Path())
@click.option(
    "--calls", metavar="LOG", help="Decide these calls by both: a decision log, an export, or one request a line."
)
@click.option(
    "--limit", default=100, show_default=True, type=click.IntRange(0, 1_000_000), help="How many calls to show."
)
@json_option
def command(old: str, new: str, calls: str | None, limit: int, as_json: bool) -> int:
    """Compare two policies: rules, and what they decide.

    OLD and NEW are policy files or folders. Shown are the rules that were added, removed or changed, and with --calls the calls that
    are decided differently.
    """
    before, after = Engine.load(old), Engine.load(new)
    rules, others = rule_changes(before.program, after.program), other_changes(before.program, after.program)
    compared, apart, found = _decided(before, after, calls) if calls is not None else (0, Counter[str](), [])
    differs = bool(rules or others or found)
    if as_json:
        value: dict[str, Any] = {
            "old": before.program.revision,
            "new": after.program.revision,
            "rules": [rule.to_json() for rule in rules],
            "others": others,
        }
        if calls is not None:
            value |= {"compared": compared, "not_compared": dict(apart), "different": len(found), "turns": turns(found),
                      "calls": [item.to_json() for item in found[:limit]]}  # fmt: skip
        print_json(value)
        return code_of(differs)
    for rule in rules:
        click.echo(_line(rule))
    for words in others:
        click.echo(f"{coloured('~', 'yellow')} {words}")
    print_differences(found, limit)
    if calls is not None:
        note(summary(compared, apart, found))
    return code_of(differs)


def _decided(before: Engine, after: Engine, calls: str) -> tuple[int, Counter[str], list[Difference]]:
    apart: Counter[str] = Counter()
    found: list[Difference] = []
    compared = 0
    try:
        for call in recorded_calls(calls):
            # How it was answered then does not matter here, only whether it is known.
            if call.unsure == "masked or cut":
                apart[call.unsure] += 1
                continue
            compared += 1
            old, new = answer_of(before.decide(call.request)), answer_of(after.decide(call.request))
            if old[0] != new[0]:
                found.append(Difference(call, old, new))
    except PayloadError as error:
        raise click.ClickException(str(error)) from None
    return compared, apart, found


def _line(rule: RuleChange) -> str:
    sign, colour = _SIGNS[rule.kind]
    parts = f": {', '.join(rule.fields)}" if rule.fields else ""
    return f"{coloured(sign, colour)} {rule.effect} {rule.rule}: {rule.text}  ({rule.at}){parts}"
