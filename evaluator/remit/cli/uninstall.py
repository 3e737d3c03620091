"""`remit uninstall`: the hook out of an agent's settings."""

from __future__ import annotations

import click

from remit.cli.install import agent_options, path_of, place_of
from remit.cli.options import json_option
from remit.cli.output import note, print_json
from remit.installing.files import read, replace
from remit.installing.settings_json import SettingsError


@click.command("uninstall")
@agent_options
@json_option
def command(agent: str, managed: bool, file: str | None, as_json: bool) -> int:
    """Take the hook out of an agent's settings.

    Whatever else is in them stays.
    """
    place = place_of(agent, managed)
    path = file or path_of(place)
    try:
        before = read(path)
        after = place.remove(before, agent) if before else ""
        if after != before:
            replace(path, before, after)
    except SettingsError as error:
        raise click.ClickException(f"{path}: {error}") from None
    if as_json:
        print_json({"agent": agent, "file": path, "changed": after != before})
    else:
        note(f"{'took the hook out of' if after != before else 'there is no hook in'} {path}")
    return 0
