"""The command group, and what becomes of errors: one line for the user, an exit code, never a traceback."""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import click

from remit.cli.exits import FAILED
from remit.cli.output import coloured, note, print_json, wants_colour
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
    "install": "remit.cli.install",
    "uninstall": "remit.cli.uninstall",
    "doctor": "remit.cli.doctor",
    "session": "remit.cli.session",
    "audit": "remit.cli.audit",
    "replay": "remit.cli.replay",
    "diff": "remit.cli.diff",
    "hook": "remit.cli.hook",
    "serve": "remit.cli.serve",
    "reload": "remit.cli.reload",
    "completion": "remit.cli.completion",
}

# What has the packages that only some commands need.
INSTALL = "pip install 'remit[daemon]'"

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
    if not _streams():
        return FAILED
    state = State()
    try:
        code = commands.main(arguments, prog_name="remit", standalone_mode=False, obj=state)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except BrokenPipeError:
        return FAILED
    except Exception as error:
        if state.debug:
            raise
        _tell(error, _wants_json(arguments))
        return FAILED
    except KeyboardInterrupt:
        return 130
    finally:
        _flush()


def _streams() -> bool:
    """Whether there is somewhere to write the result to. A closed stream is None (sys, "sys.__stdin__"); nothing comes from it."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  (as long as the process)
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115
    if sys.stdout is None:
        note("error: standard output is closed")
        return False
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    return True


def _flush() -> None:
    """What cannot be written is given up, so that the interpreter's own flush at exit has nothing to fail with."""
    for stream, number in ((sys.stdout, 1), (sys.stderr, 2)):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), number)


def _wants_json(arguments: Sequence[str]) -> bool:
    """Whether the result is to be JSON. Looked for in the words themselves: the error may be that they are not understood."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    pairs = pairwise(options)
    return "--json" in options or "--format=json" in options or ("--format", "json") in pairs


def _tell(error: Exception, as_json: bool) -> None:
    """Says what went wrong, as far as anybody can be told."""
    try:
        if as_json:
            print_json({"error": _error_json(error)})
            sys.stdout.flush()
    except OSError as unwritable:
        error = unwritable
    try:
        _explain(error)
    except OSError:
        return


def _error_json(error: Exception) -> dict[str, Any]:
    from remit.errors import LoadError

    if isinstance(error, LoadError):
        from remit_dsl.render import render_json

        first = next((item for item in error.diagnostics if item.severity == "error"), error.diagnostics[0])
        found = {"message": first.message, "code": first.code, **({"hint": first.help} if first.help else {})}
        return {**found, "findings": json.loads(render_json(error.diagnostics, error.sources))}
    if isinstance(error, click.UsageError) and error.ctx is not None:
        return {"message": _message(error), "hint": f"{error.ctx.command_path} --help"}
    return {"message": _message(error)}


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
    if isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0] not in ("remit", "remit_dsl"):
        return f"this needs the package {(error.name or '').partition('.')[0]}: {INSTALL}"
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror or str(error)
    return f"internal error: {type(error).__name__}: {error} (remit --debug … shows where)"
