"""`remit hook`, as the help shows it. Calls of the hook itself do not come by here: see `remit.__main__`."""

from __future__ import annotations

import click

from remit.agents.protocols import AGENTS
from remit.cli.options import policy_option


@click.command("hook")
@click.argument("agent", type=click.Choice(AGENTS))
@policy_option
@click.option("--label", "labels", multiple=True, metavar="KEY=VALUE", help="A label of the call, for conditions.")
@click.option(
    "--home", metavar="DIR", help="Where the user's policies, pins and cache are. Default: the account's home."
)
@click.option(
    "--socket", metavar="PATH", help="Where a daemon listens that is asked first. Default: where `remit serve` does."
)
@click.option(
    "--sessions",
    metavar="FILE",
    help="Decide within sessions, whose store that is (`account`: this account's own). No daemon is asked then.",
)
@click.option("--log", metavar="FILE", help="Record the decision in this log. No daemon is asked then.")
@click.option(
    "--on-log-failure",
    "unwritable",
    type=click.Choice(["ask", "deny", "allow"]),
    help="What becomes of a call that would run where its decision cannot be recorded. Default: ask.",
)
def command(agent: str, policies: tuple[str, ...], labels: tuple[str, ...], **rest: str | None) -> int:
    """Judge one call for an agent.

    Reads the hook payload of AGENT on standard input and answers on standard output. Prints nothing where no rule, mode or
    written default speaks of the call. Whatever goes wrong exits with 2 and one line on standard error, which refuses the call.
    All paths are absolute here: the working directory is the agent's.

    Where a daemon listens that has the same policies, the hook prints what the daemon answers; else it decides by itself.

    Register it as `python3 -I -m remit hook claude-code`, with the absolute path of the interpreter that remit is installed
    for: -I keeps the agent's working directory and environment from choosing what is imported. `python3 -I -S
    /path/to/remit/launch.py hook claude-code` does the same in less time.
    """
    from remit.hook import run

    words = [*[f"--policy={path}" for path in policies], *[f"--label={label}" for label in labels]]
    names = {"unwritable": "--on-log-failure"}
    run(
        [
            agent,
            *words,
            *[f"{names.get(name, f'--{name}')}={value}" for name, value in rest.items() if value is not None],
        ]
    )
