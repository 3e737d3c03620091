"""`remit decide`: allow, ask or deny?"""

from __future__ import annotations

import sys
from collections import Counter

import click

from remit.cli.exits import FAILED, FINE, OF_DECISION
from remit.cli.loading import note_without_effect
from remit.cli.options import json_option, policy_option
from remit.cli.output import COLOURS, coloured, note, print_json, print_row
from remit.cli.requests import Source, known_mode, request_options, requests, single_request
from remit.engine import Engine
from remit.payloads import PayloadError
from remit.phrasing import one_line, sentence
from remit.request import Request
from remit.verdict import Reason, Verdict

CALL_COLUMNS = 58


@click.command("decide")
@request_options
@policy_option
@click.option("--jsonl", is_flag=True, help="FILE holds one request a line (as its name says if it ends in .jsonl).")
@click.option("--format", "style", type=click.Choice(["text", "json", "table"]), default=None, help="How to print.")
@json_option
def command(source: Source, policies: tuple[str, ...], jsonl: bool, style: str | None, as_json: bool) -> int:
    """Decide one call, or one call a line.

    \b
    remit decide --command 'cd x && git push -f'
    remit decide --tool Read --input '{"file_path": ".env"}' --json
    remit decide --from claude-code payloads.jsonl --format table

    FILE (`-` or nothing: standard input) holds JSON: {"tool": "Bash", "input": {"command": "ls"}, "cwd": "/x", "mode": "plan"}.
    One call: exits with 0 for allow, 1 for deny, 3 for ask. With lines: a line that is no request is answered with the reason
    `error`, and the exit code is 2 in the end; otherwise 0.
    """
    engine = Engine.load(*policies)
    known_mode(source, engine.program)
    note_without_effect(engine.program)
    many = jsonl or (source.file or "").endswith(".jsonl")
    if many and not source.is_call:
        return _decide_lines(engine, source, "json" if as_json or style is None else style)
    request = single_request(source)
    verdict = engine.decide(request)
    _print(request, verdict, "json" if as_json else style or "text")
    return OF_DECISION[verdict.decision]


def _decide_lines(engine: Engine, source: Source, style: str) -> int:
    counts: Counter[str] = Counter()
    failed = False
    for number, request in requests(source):
        if isinstance(request, PayloadError):
            failed = True
            verdict = _refused(engine, f"line {number}: {request}")
            _print_line(f"line {number}", verdict, style)
        else:
            verdict = engine.decide(request)
            _print_line(call_text(request), verdict, style)
        counts[verdict.decision] += 1
        sys.stdout.flush()
    if style != "json":
        note(", ".join([f"{counts[name]} {name}" for name in OF_DECISION]))
    return FAILED if failed else FINE


def _refused(engine: Engine, message: str) -> Verdict:
    """The answer to what is no request."""
    return Verdict("deny", Reason("error", message=message), (), (), "default", engine.program.revision, "")


def _print(request: Request, verdict: Verdict, style: str) -> None:
    if style == "json":
        print_json(verdict.to_json())
    elif style == "table":
        _print_line(call_text(request), verdict, style)
    else:
        _print_text(verdict)


def _print_line(call: str, verdict: Verdict, style: str) -> None:
    if style == "json":
        print_row(verdict.to_json())
        return
    decision = coloured(f"{verdict.decision:<5}", COLOURS[verdict.decision])
    shown = one_line(call, CALL_COLUMNS)
    click.echo(f"{decision}  {shown:<{CALL_COLUMNS}}  {_short_reason(verdict.reason)}")


def _short_reason(reason: Reason) -> str:
    """For a table: the code, and what decided."""
    what = f"{reason.rule} ({reason.at})" if reason.rule else reason.at
    return one_line(
        f"{reason.code} {what}" if what else f"{reason.code}: {reason.message}" if reason.message else reason.code
    )


def _print_text(verdict: Verdict) -> None:
    click.echo(f"{coloured(verdict.decision, COLOURS[verdict.decision])}  {sentence(verdict)}")
    if len(verdict.units) > 1:
        for unit in verdict.units:
            click.echo(f"  {unit.decision:<5}  {one_line(unit.text, 100)}")
    for reason in verdict.shadow:
        click.echo(f"  on trial: {reason.rule} ({reason.at}) would {reason.detail}")
    for suggestion in verdict.suggestions:
        click.echo(f"  to permit calls like it: {suggestion['rule']}  # {suggestion['permits']}")


def call_text(request: Request) -> str:
    """A call in short: the shell command, else the tool with its first text parameter."""
    command = request.input.get("command")
    if isinstance(command, str):
        return command
    texts = [value for value in request.input.values() if isinstance(value, str)]
    return f"{request.tool}({texts[0]})" if texts else request.tool
