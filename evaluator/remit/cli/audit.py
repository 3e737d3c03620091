"""`remit audit`: what was decided, and whether the record of it is whole."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

import click

from remit.cli.exits import FINDINGS
from remit.cli.options import json_option
from remit.cli.output import COLOURS, coloured, note, print_json, print_row
from remit.effects.audit.chain import GENESIS, Head, Row
from remit.effects.audit.places import default_log
from remit.phrasing import one_line
from remit.verdict import DECISIONS, REASON_CODES

if TYPE_CHECKING:
    from remit.effects.audit.database import Database
    from remit.effects.audit.querying import Filter
    from remit.effects.audit.verifying import Verified

Function = TypeVar("Function", bound=Callable[..., Any])
FOLLOW_S = 0.5
_AGO = re.compile(r"([0-9]{1,9})([smhd])")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_HASH = re.compile(r"(?:([0-9]{1,18}):)?([0-9a-f]{64})")


@click.group("audit", context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """What was decided, and whether the log is whole."""


def log_option(function: Function) -> Function:
    """`--log PLACE`."""
    text = "The log: a file, or a database URL. Default: this account's."
    option = click.option("--log", "place", metavar="PLACE", default=default_log, help=text)
    return option(function)


def filter_options(function: Function) -> Function:
    """What records have to be, as a `Filter` named `asked`."""
    options = [
        click.option("--decision", type=click.Choice(DECISIONS), default=None, help="Only these decisions."),
        click.option("--code", type=click.Choice(REASON_CODES), default=None, help="Only this reason."),
        click.option("--rule", default="", help="Only decided by this rule."),
        click.option("--tool", default="", help="Only calls of this tool."),
        click.option("--agent", default="", help="Only of this agent."),
        click.option("--session", default="", help="Only of this session."),
        click.option("--decision-id", default="", help="Only this decision."),
        click.option("--since", callback=_moment, metavar="TIME", help="ISO time, or how long ago: 30m, 6h, 7d."),
        click.option("--until", callback=_moment, metavar="TIME", help="Likewise; not included."),
    ]

    def with_filter(**given: Any) -> Any:
        from remit.effects.audit.querying import Filter

        values = {name: given.pop(name) for name in Filter._fields if name in given}
        return function(asked=Filter(**{name: value for name, value in values.items() if value}), **given)

    wrapped: Any = with_filter
    wrapped.__doc__ = function.__doc__
    wrapped.__click_params__ = getattr(function, "__click_params__", [])
    for option in reversed(options):
        wrapped = option(wrapped)
    found: Function = wrapped
    return found


def _moment(ctx: click.Context, parameter: click.Parameter, given: str | None) -> float | None:
    if not given:
        return None
    if ago := _AGO.fullmatch(given):
        return time.time() - int(ago[1]) * _SECONDS[ago[2]]
    try:
        return datetime.fromisoformat(given).timestamp()
    except (ValueError, OverflowError, OSError):
        raise click.BadParameter(f"`{given}` is no ISO time and no time ago such as 30m, 6h or 7d") from None


def opened(place: str) -> Database:
    """The log, for reading."""
    try:
        from remit.effects.audit.database import Database
    except ModuleNotFoundError as error:
        raise click.ClickException(f"the decision log needs {error.name}: pip install 'remit[daemon]'") from None
    return Database(place, read_only=True)


@command.command("tail")
@click.option(
    "-n", "--lines", default=20, show_default=True, type=click.IntRange(1, 100_000), help="How many at first."
)
@click.option("-f", "--follow", is_flag=True, help="Go on with what comes.")
@filter_options
@log_option
@json_option
def tail(asked: Filter, lines: int, follow: bool, place: str, as_json: bool) -> int:
    """Show the last decisions."""
    from remit.effects.audit.querying import where

    database = opened(place)
    last = database.head().sequence
    for row in database.rows(where(asked), last=lines):
        last = max(last, row.sequence)
        _print(row, as_json)
    while follow:
        sys.stdout.flush()
        time.sleep(FOLLOW_S)
        for row in database.rows(where(asked._replace(after=last))):
            last = row.sequence
            _print(row, as_json)
    return 0


@command.command("query")
@filter_options
@click.option("--limit", default=1000, show_default=True, type=click.IntRange(1, 1_000_000), help="The last so many.")
@log_option
@json_option
def query(asked: Filter, limit: int, place: str, as_json: bool) -> int:
    """Show the decisions that fit."""
    from remit.effects.audit.querying import row_json, where

    rows = opened(place).rows(where(asked), last=limit)
    if as_json:
        print_json([row_json(row) for row in rows])
        return 0
    for row in rows:
        _print(row, False)
    return 0


@command.command("export")
@click.option(
    "--format", "style", type=click.Choice(["jsonl", "opa"]), default="jsonl", show_default=True, help="One a line."
)
@filter_options
@log_option
def export(asked: Filter, style: str, place: str) -> int:
    """Print the decisions that fit for other programs, one a line.

    `jsonl` holds all that `remit audit verify FILE` asks for; `opa` are events of Open Policy Agent's decision log.
    """
    from remit.effects.audit.opa import event_of
    from remit.effects.audit.querying import row_json, where

    for row in opened(place).rows(where(asked)):
        value = row_json(row) if style == "jsonl" else event_of(row)
        if value is not None:
            print_row(value)
    return 0


@command.command("verify")
@click.argument(
    "exported", metavar="[FILE]", required=False, type=click.File(encoding="utf-8", errors="surrogateescape")
)
@click.option("--expect-head", metavar="HASH", help="The last record as it was noted elsewhere: HASH or NUMBER:HASH.")
@log_option
@json_option
def verify_(exported: Iterable[str] | None, expect_head: str | None, place: str, as_json: bool) -> int:
    """Look for records that were changed, dropped, put in, put elsewhere or cut off; in the log, or in an export of all of it."""
    found = _verified(exported, _head(expect_head), place)
    if as_json:
        print_json(
            {
                "records": found.records,
                "first": found.first,
                "head": {"sequence": found.head.sequence, "hash": found.head.hash},
                "findings": [finding.to_json() for finding in found.findings],
            }
        )
        return FINDINGS if found.findings else 0
    for finding in found.findings:
        click.echo(f"{coloured(finding.kind, 'red')}  record {finding.sequence}: {finding.message}")
    note(f"{found.records} records from {found.first}, {'not whole' if found.findings else 'whole'}; "
         f"head {found.head.sequence}:{found.head.hash}")  # fmt: skip
    return FINDINGS if found.findings else 0


def _verified(exported: Iterable[str] | None, expected: Head | None, place: str) -> Verified:
    from remit.effects.audit.verifying import Finding, verify

    if exported is not None:
        from remit.effects.audit.exported import rows_of

        try:
            return verify(rows_of(exported, getattr(exported, "name", "-")), expected=expected)
        except ValueError as error:
            raise click.ClickException(str(error)) from None
    database = opened(place)
    try:
        noted = database.noted_head()
    except ValueError as error:
        found = verify(database.rows(), expected=expected)
        return found._replace(findings=(*found.findings, Finding(0, "head_file", str(error))))
    return verify(database.rows(), noted=noted, expected=expected)


def _head(given: str | None) -> Head | None:
    if given is None:
        return None
    match = _HASH.fullmatch(given.strip().lower())
    if match is None or match[2] == GENESIS:
        raise click.BadParameter(
            "a head is a hash of 64 hexadecimal digits, or NUMBER:HASH", param_hint="--expect-head"
        )
    return Head(int(match[1] or 0), match[2])


@command.command("stats")
@filter_options
@log_option
@json_option
def stats(asked: Filter, place: str, as_json: bool) -> int:
    """Count the decisions: by outcome and reason, by rule, by tool, by agent."""
    from remit.effects.audit.querying import where

    database, chosen = opened(place), where(asked)
    groups = (("decision", "code"), ("decision", "rule"), ("tool", "decision"), ("agent", "decision"))
    counts = {
        names: [row for row in database.counts(names, chosen) if row[names.index("decision")]] for names in groups
    }
    if as_json:
        print_json(
            {
                " ".join(names): [dict(zip((*names, "count"), row, strict=True)) for row in rows]
                for names, rows in counts.items()
            }
        )
        return 0
    for names, rows in counts.items():
        click.echo(f"by {' and '.join(names)}")
        for *values, number in rows:
            click.echo(f"  {number:>8}  {'  '.join([one_line(str(value), 60) or '-' for value in values])}")
    return 0


def _print(row: Row, as_json: bool) -> None:
    from remit.effects.audit.querying import row_json

    if as_json:
        print_row(row_json(row))
    else:
        click.echo(_line(row))


def _line(row: Row) -> str:
    from remit.effects.audit.querying import fields_of_row

    fields = fields_of_row(row)
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(row.at))
    if fields.get("kind") != "decision":
        return f"{when}  {one_line(str(fields.get('kind')), 20)}: removed the records up to {fields.get('removed_to')}"
    decision = coloured(f"{row.decision:<5}", COLOURS.get(row.decision, "red"))
    why = f"{row.code} {row.rule}".strip()
    return f"{when}  {decision}  {row.tool}  {one_line(' ; '.join(_texts(fields)), 100)}  ({why})"


def _texts(fields: dict[str, Any]) -> Iterator[str]:
    units = fields.get("units")
    for unit in units if isinstance(units, list) else []:
        yield str(unit.get("text", ""))
