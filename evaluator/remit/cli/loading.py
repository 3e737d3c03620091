"""Policies for a command: found, compiled, reported."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

import click

from remit.cli.exits import FINDINGS, FINE
from remit.cli.output import counted, note, wants_colour
from remit.loader import Loader
from remit_dsl.compiler import Compilation
from remit_dsl.diagnostics import Diagnostic
from remit_dsl.program import Program
from remit_dsl.records import NamedTuple
from remit_dsl.source import Source

FORMATS = ("text", "json", "sarif", "github")


class Loaded(NamedTuple):
    """Policies as compiled from their text; there is no program if anything is wrong with them."""

    compilation: Compilation
    sources: Mapping[str, Source]
    loader: Loader


def load_text(paths: Sequence[str], policies: Sequence[str]) -> Loaded:
    """The policies at all these paths, or those that are found. Raises LoadError when one cannot even be read."""
    loader = Loader([*paths, *policies])
    compilation = loader.report(loader.find().files)
    return Loaded(compilation, loader.sources, loader)


def note_without_effect(program: Program) -> None:
    """Says how many statements have no effect, so that nobody looks for the cause in the call."""
    idle = [text for text in program.tables["notes"] if "[W601]" in text]
    if idle:
        note(f"note: {counted(idle, 'statement')} without effect; `remit check` names the place and the reason")


def print_findings(findings: Sequence[Diagnostic], sources: Mapping[str, Source], style: str) -> None:
    """Diagnostics in one of FORMATS, to standard output."""
    from remit_dsl import render

    if style == "text":
        text = render.render_text(findings, sources, colour=wants_colour(sys.stdout))
        click.echo(text, nl=False)
    elif style == "json":
        click.echo(render.render_json(findings, sources))
    elif style == "sarif":
        from importlib.metadata import version

        click.echo(render.render_sarif(findings, sources, version=version("remit")))
    else:
        click.echo(render.render_github(findings, sources), nl=False)


def code_of(found: bool) -> int:
    """The exit code of a command that looks for findings."""
    return FINDINGS if found else FINE
