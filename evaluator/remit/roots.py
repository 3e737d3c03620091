"""Roots: the folders that the paths of a request are seen from."""

from __future__ import annotations

from typing import NamedTuple


class Roots(NamedTuple):
    """Absolute folders. cwd, home: "" when not known. workspace: every spelling of every workspace folder. homes: other
    spellings of home."""

    cwd: str
    home: str
    workspace: tuple[str, ...]
    homes: tuple[str, ...] = ()


def split_path(path: str) -> tuple[str, ...]:
    """The components of an absolute path."""
    return tuple(path[1:].split("/")) if len(path) > 1 else ()
