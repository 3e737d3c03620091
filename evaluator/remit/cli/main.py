"""The command group, and what becomes of errors: one line for the user, an exit code, never a traceback."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

import click

from remit.cli.exits import FAILED
from remit.cli.output import coloured, note, wants_colour
from remit_dsl.suggest import did_you_mean

# In the order of a policy's life.
COMMANDS = {
    "init": "remit.cli.init",
    "check": "remit.cli.check",
    "fmt": "remit.cli.fmt",
    "lint": "remit.cli.lint",
    "test": "remit.cli.test",
    "decide": "remit.cli.decide",
    "explain": "remit.cli.explain",
    "split": "remit.cli.split",
    "program": "remit.cli.program",
    "import": "remit.cli.importing",
    "trust": "remit.cli.trust",
    "hook": "remit.cli.hook",
    "completion": "remit.cli.completion",
}

EXIT_CODES = """\b
Exit codes:
  0  fine; decide: allow
  1  findings: errors, lint findings, failed tests, unformatted files; decide: deny
  2  wrong usage, or it cannot be done
  3  decide: ask
"""


class Commands(click.Group):
    """Subcommands by name, each imported when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        home = COMMANDS.get(cmd_name)
        if home is None:
            return None
        command: click.Command = importlib.import_module(home).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            hint = did_you_mean(args[0], COMMANDS) or "`remit --help` lists them"
            raise click.UsageError(f"there is no command `{args[0]}`; {hint}", ctx)
        return super().resolve_command(ctx, args)


class State:
    """What the group's own options leave for the error handling."""

    debug = False


@click.command(
    cls=Commands, epilog=EXIT_CODES, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(package_name="remit", message="remit %(version)s")
@click.option("--debug", is_flag=True, help="Show tracebacks.")
@click.pass_obj
def commands(state: State, debug: bool) -> None:
    """remit decides what an AI agent may do: policies as code, checked, tested and explained."""
    state.debug = debug


def run(arguments: list[str]) -> int:
    """Run one command; the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    state = State()
    try:
        code = commands.main(arguments, prog_name="remit", standalone_mode=False, obj=state)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # so that the interpreter's own flush has somewhere to go
        return FAILED
    except Exception as error:
        if state.debug:
            raise
        _explain(error)
        return FAILED
    except KeyboardInterrupt:
        return 130


def _explain(error: Exception) -> None:
    from remit.errors import LoadError
    from remit_dsl.render import render_text

    if isinstance(error, LoadError):
        click.echo(render_text(error.diagnostics, error.sources, colour=wants_colour(sys.stderr)), err=True, nl=False)
        return
    note(f"{coloured('error', 'red', sys.stderr)}: {_message(error)}")
    if isinstance(error, click.UsageError) and error.ctx is not None:
        note(f"  = help: {error.ctx.command_path} --help")


def _message(error: Exception) -> Any:
    if isinstance(error, click.Abort):
        return "stopped"
    if isinstance(error, click.ClickException):
        return error.format_message()
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror or str(error)
    return f"internal error: {type(error).__name__}: {error} (remit --debug … shows where)"
