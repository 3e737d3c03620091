"""What commands print: text for people, JSON for machines."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sized
from typing import Any, TextIO

import click

COLOURS = {"allow": "green", "ask": "yellow", "deny": "red"}


def print_json(value: Any) -> None:
    """The value as indented JSON in ASCII, whatever characters it holds."""
    click.echo(json.dumps(value, indent=2))


def print_row(value: Any) -> None:
    """The value as JSON on one line."""
    click.echo(json.dumps(value, separators=(",", ":")))


def wants_colour(stream: TextIO) -> bool:
    """Whether a stream is a terminal whose user did not say otherwise (no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def coloured(text: str, colour: str, stream: TextIO | None = None) -> str:
    """`text` in a colour, where colour is wanted."""
    return click.style(text, fg=colour, bold=True) if wants_colour(stream or sys.stdout) else text


def note(text: str) -> None:
    """A line for people that is not the result: to standard error."""
    click.echo(text, err=True)


def counted(things: Sized, one: str, many: str = "") -> str:
    """`1 error`, `2 errors`."""
    number = len(things)
    return f"{number} {one if number == 1 else many or one + 's'}"
