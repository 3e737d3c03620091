"""`remit lint`: what is right and probably not meant."""

from __future__ import annotations

from datetime import date

import click

from remit.cli.loading import FORMATS, code_of, load_text, print_findings
from remit.cli.options import format_option, json_option, paths_argument
from remit.cli.output import counted
from remit.errors import LoadError
from remit_dsl.lints import lint


@click.command("lint")
@paths_argument
@format_option(*FORMATS)
@click.option("--today", metavar="DATE", help="The day that `until` is compared with, as 2026-12-31. Default: today.")
@json_option
def command(paths: tuple[str, ...], policies: tuple[str, ...], style: str, today: str | None, as_json: bool) -> int:
    """Look for rules that are not meant so.

    Rules that never decide, that match less or permit more than it seems, and rules that nobody could keep: without a test, without
    a reason, or past their end. A comment `# lint: ignore L701` behind a rule's first line, or on the line above it, silences a
    code there. Exits with 1 when anything is found.
    """
    loaded = load_text(paths, policies)
    if loaded.compilation.program is None:
        raise LoadError(loaded.compilation.diagnostics, loaded.sources)
    findings = lint(loaded.compilation.checked, _day(today))
    style = "json" if as_json else style
    print_findings(findings, loaded.sources, style)
    if style == "text":
        click.echo(("\n" if findings else "") + counted(findings, "finding"))
    return code_of(bool(findings))


def _day(text: str | None) -> str:
    try:
        return (date.fromisoformat(text) if text else date.today()).isoformat()
    except ValueError:
        raise click.UsageError(f"`{text}` is no day; write it as 2026-12-31") from None
