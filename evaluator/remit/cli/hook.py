"""`remit hook`, as the help shows it. Calls of the hook itself do not come by here: see `remit.__main__`."""

from __future__ import annotations

import click

from remit.cli.options import policy_option


@click.command("hook")
@click.argument("agent", type=click.Choice(["claude-code"]))
@policy_option
@click.option("--label", "labels", multiple=True, metavar="KEY=VALUE", help="A label of the call, for conditions.")
@click.option(
    "--home", metavar="DIR", help="Where the user's policies, pins and cache are. Default: the account's home."
)
def command(agent: str, policies: tuple[str, ...], labels: tuple[str, ...], home: str | None) -> int:
    """Judge one call for an agent.

    Reads the hook payload of AGENT on standard input and answers on standard output. Prints nothing where no rule, mode or
    written default speaks of the call. Whatever goes wrong exits with 2 and one line on standard error, which refuses the call.
    --policy takes absolute paths here: the working directory is the agent's.

    Register it as `python3 -I -m remit hook claude-code`, with the absolute path of the interpreter that remit is installed
    for: -I keeps the agent's working directory and environment from choosing what is imported.
    """
    from remit.hook import run

    words = [*[f"--policy={path}" for path in policies], *[f"--label={label}" for label in labels]]
    run([agent, *words, *([f"--home={home}"] if home is not None else [])])
