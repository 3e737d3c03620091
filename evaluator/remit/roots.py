"""Roots: the folders that the paths of a request are seen from."""

from __future__ import annotations

from collections.abc import Callable

Spellings = Callable[[], tuple[str, ...]]


class Roots:
    """Absolute folders. cwd, home: "" when not known. workspace: every spelling of every workspace folder. homes: other
    spellings of home.

    The spellings are found when they are first asked for: most calls never ask, and links cost system calls to follow.
    """

    __slots__ = ("_homes", "_workspace", "cwd", "home")

    def __init__(
        self, cwd: str, home: str, workspace: tuple[str, ...] | Spellings, homes: tuple[str, ...] | Spellings = ()
    ) -> None:
        self.cwd = cwd
        self.home = home
        self._workspace = workspace
        self._homes = homes

    @property
    def workspace(self) -> tuple[str, ...]:
        if callable(self._workspace):
            self._workspace = self._workspace()
        return self._workspace

    @property
    def homes(self) -> tuple[str, ...]:
        if callable(self._homes):
            self._homes = self._homes()
        return self._homes

    def seen_from(self, cwd: str) -> Roots:
        """The same folders, seen from another working directory."""
        return self if cwd == self.cwd else Roots(cwd, self.home, lambda: self.workspace, lambda: self.homes)


def split_path(path: str) -> tuple[str, ...]:
    """The components of an absolute path."""
    return tuple(path[1:].split("/")) if len(path) > 1 else ()
