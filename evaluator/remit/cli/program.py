"""`remit program`: what the policies compile to."""

from __future__ import annotations

import click

from remit.cli.options import json_option, policy_option
from remit.loader import Loader


@click.command("program")
@policy_option
@json_option
def command(policies: tuple[str, ...], as_json: bool) -> int:
    """Print what the policies compile to.

    Every rule in the order in which it is asked, with where it comes from. --json gives the program in the form that it is
    cached and served in; its revision is the hash of it.
    """
    program = Loader(policies).load()
    if as_json:
        click.echo(program.to_json())
    else:
        from remit_dsl.listing import listing

        click.echo(listing(program), nl=False)
    return 0
