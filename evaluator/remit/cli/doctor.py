"""`remit doctor`: does the hook work?"""

from __future__ import annotations

import os
import pwd

import click

from remit.cli.exits import FINDINGS, FINE
from remit.cli.options import json_option
from remit.cli.output import coloured, note, print_json
from remit.installing.agents import TARGETS
from remit.installing.diagnosis import Finding, Surroundings, diagnose
from remit.phrasing import one_line


@click.command("doctor")
@click.argument("agents", nargs=-1, metavar="[AGENT]...", type=click.Choice(list(TARGETS)))
@click.option("--file", "file", type=click.Path(dir_okay=False, resolve_path=True), help="The settings file of AGENT.")
@json_option
def command(agents: tuple[str, ...], file: str | None, as_json: bool) -> int:
    """Look whether hooks work, by a call that must be denied.

    Every switch, file and variable that is known to keep an agent from asking its hook is looked at as well.

    Without AGENT: those in whose settings there is a hook. The current folder counts as the project.
    """
    if file is not None and len(agents) != 1:
        raise click.UsageError("--file is of one AGENT")
    around = Surroundings(pwd.getpwuid(os.getuid()).pw_dir, os.getcwd(), os.environ, file or "")
    found = {agent: diagnose(agent, around) for agent in agents or TARGETS}
    if not agents:
        found = {agent: items for agent, items in found.items() if "D101" not in [item.code for item in items]}
    if as_json:
        print_json({agent: [item._asdict() for item in items] for agent, items in found.items()})
    else:
        for agent, items in found.items():
            _print(agent, items)
        if not found:
            note(f"no agent has a hook of remit's; `remit install` one of {', '.join(TARGETS)}")
    return FINDINGS if any(found.values()) or not found else FINE


def _print(agent: str, items: list[Finding]) -> None:
    for item in items:
        click.echo(f"{agent}: {coloured(item.code, 'red')} {one_line(item.place, 200)}: {one_line(item.what, 300)}")
        click.echo(f"  = do: {one_line(item.todo, 200)}")
    if not items:
        click.echo(f"{agent}: fine; the call that must be denied was denied")
