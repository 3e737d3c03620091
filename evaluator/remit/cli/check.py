"""`remit check`: is every policy right?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import click

from remit.agents.capabilities import CAPABILITIES
from remit.agents.limits import limits
from remit.cli.loading import FORMATS, code_of, load_text, print_findings
from remit.cli.options import format_option, json_option, paths_argument
from remit.cli.output import counted, note
from remit_dsl.diagnostics import Diagnostic, has_errors
from remit_dsl.lints.subject import subject_of
from remit_dsl.policy import Declared


@click.command("check")
@paths_argument
@format_option(*FORMATS)
@click.option("--agent", type=click.Choice(list(CAPABILITIES)), help="Warn as well of what cannot hold on this agent.")
@json_option
def command(paths: tuple[str, ...], policies: tuple[str, ...], style: str, agent: str | None, as_json: bool) -> int:
    """Check policies for mistakes.

    Syntax, names, types, patterns and the rights of tiers. Prints every finding of every file. Exits with 1 when there is an
    error; warnings alone are no failure.
    """
    loaded = load_text(paths, policies)
    diagnostics = loaded.compilation.diagnostics
    if agent is not None and loaded.compilation.program is not None:
        diagnostics = (*diagnostics, *limits(CAPABILITIES[agent], subject_of(loaded.compilation.checked, "")))
    style = "json" if as_json else style
    print_findings(diagnostics, loaded.sources, style)
    if style == "text":
        for gap in CAPABILITIES[agent].gaps if agent is not None else ():
            note(f"note: {agent}: {gap}")
        click.echo(("\n" if diagnostics else "") + _summary(loaded.compilation.checked.files, diagnostics))
    return code_of(has_errors(diagnostics))


def _summary(files: Iterable[Declared], diagnostics: Sequence[Diagnostic]) -> str:
    own = [file for file in files if not file.standard]
    errors = [item for item in diagnostics if item.severity == "error"]
    warnings = [item for item in diagnostics if item.severity == "warning"]
    return f"{counted(own, 'policy', 'policies')}: {counted(errors, 'error')}, {counted(warnings, 'warning')}"
