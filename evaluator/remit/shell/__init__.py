"""Command line to commands."""

from __future__ import annotations

from remit.shell.commands import Assignment, Context, Opaque, Redirection, Script, SimpleCommand
from remit.shell.splitter import split
from remit.shell.words import Hole, Partial, Word

__all__ = [
    "Assignment",
    "Context",
    "Hole",
    "Opaque",
    "Partial",
    "Redirection",
    "Script",
    "SimpleCommand",
    "Word",
    "split",
]
