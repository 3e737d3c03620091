"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Function = TypeVar("Function", bound=Callable[..., Any])

policy_option = click.option(
    "--policy",
    "policies",
    multiple=True,
    metavar="PATH",
    type=click.Path(),
    help="Policy file or folder; may be given several times. Default: those of the organisation, the user and the project.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def paths_argument(function: Function) -> Function:
    """PATHS and --policy together: the files a command is about."""
    argument = click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path())
    return argument(policy_option(function))


def format_option(*formats: str) -> Callable[[Function], Function]:
    """--format, the first one being the default."""
    return click.option(
        "--format", "style", type=click.Choice(formats), default=formats[0], show_default=True, help="How to print."
    )
