"""`remit install`: the hook into an agent's settings."""

from __future__ import annotations

import os
import pwd
import shlex
from collections.abc import Callable
from typing import Any, TypeVar

import click

from remit.cli.options import json_option
from remit.cli.output import note, print_json
from remit.hook import ACCOUNT
from remit.installing.agents import TARGETS, Place
from remit.installing.files import BACKUP, read, replace
from remit.installing.settings_json import SettingsError

Function = TypeVar("Function", bound=Callable[..., Any])


def agent_options(function: Function) -> Function:
    """AGENT, `--managed` and `--file`."""
    for option in (
        click.option("--file", "file", type=click.Path(dir_okay=False, resolve_path=True), help="The settings file."),
        click.option("--managed", is_flag=True, help="The machine's settings, which users cannot change (needs root)."),
        click.argument("agent", type=click.Choice(list(TARGETS))),
    ):
        function = option(function)
    return function


@click.command("install")
@agent_options
@click.option("--policy", "policies", multiple=True, type=click.Path(exists=True, resolve_path=True), metavar="PATH",
              help="Policies of the hook. Default: those of the organisation, the user and the project.")  # fmt: skip
@click.option("--label", "labels", multiple=True, metavar="KEY=VALUE", help="A label of all its calls.")
@click.option("--home", type=click.Path(file_okay=False, resolve_path=True), metavar="DIR", help="As of `remit hook`.")
@click.option("--socket", type=click.Path(resolve_path=True), metavar="PATH", help="As of `remit hook`.")
@click.option("--log", type=click.Path(resolve_path=True), metavar="PATH", help="As of `remit hook`.")
@click.option("--sessions", is_flag=False, flag_value=ACCOUNT, metavar="[FILE]",
              help="Decide within sessions, in FILE or where each account keeps its own.")  # fmt: skip
@click.option("--print", "only_print", is_flag=True, help="Print the file as it would be; write nothing.")
@json_option
def command(
    agent: str, managed: bool, file: str | None, policies: tuple[str, ...], labels: tuple[str, ...], home: str | None,
    socket: str | None, log: str | None, sessions: str | None, only_print: bool, as_json: bool,
) -> int:  # fmt: skip
    """Put the hook into an agent's settings.

    A second run changes nothing. Other settings stay; the file as it was before the first run is kept beside it. `remit doctor AGENT`
    looks whether it works.
    """
    options = [word for path in policies for word in ("--policy", path)]
    options += [word for label in labels for word in ("--label", label)]
    for name, value in (("--home", home), ("--socket", socket), ("--log", log), ("--sessions", _store(sessions))):
        options += [name, value] if value else []
    place = place_of(agent, managed)
    path = file or path_of(place)
    try:
        before = read(path)
        after = place.install(before, agent, options)
        if only_print:
            click.echo(after, nl=False)
            return 0
        if after != before:
            replace(path, before, after)
    except SettingsError as error:
        raise click.ClickException(f"{path}: {error}") from None
    changed = after != before
    if as_json:
        print_json({"agent": agent, "file": path, "changed": changed})
    else:
        note(f"{'installed the hook in' if changed else 'the hook is installed already in'} {path}")
        if changed and before:
            note(f"the file as it was: {path}{BACKUP}")
        named = f" --file {shlex.quote(path)}" if file else ""
        note(TARGETS[agent].note or f"look whether it works: remit doctor {agent}{named}")
    return 0


def _store(path: str | None) -> str | None:
    return os.path.abspath(path) if path and path != ACCOUNT else path


def place_of(agent: str, managed: bool) -> Place:
    """Where the agent's hooks are put. Raises UsageError."""
    target = TARGETS[agent]
    place = target.managed if managed else target.user
    if place is None:
        raise click.UsageError(f"{agent} has no settings that users cannot change; install it for each user")
    return place


def path_of(place: Place) -> str:
    """The file's path, below this account's home folder where it is the user's."""
    return os.path.join(pwd.getpwuid(os.getuid()).pw_dir, place.path)
