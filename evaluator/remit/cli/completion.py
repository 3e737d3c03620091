"""`remit completion`: the script that lets a shell complete remit's commands and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(context: click.Context, shell: str) -> int:
    """Print a completion script for a shell.

    \b
    bash:  remit completion bash > ~/.local/share/bash-completion/completions/remit
    zsh:   remit completion zsh > "${fpath[1]}/_remit"
    fish:  remit completion fish > ~/.config/fish/completions/remit.fish
    """
    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"no completion for {shell}", context)
    click.echo(kind(context.find_root().command, {}, "remit", "_REMIT_COMPLETE").source())
    return 0
