"""Roots: the folders that the paths of a request are seen from."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Roots:
    """Absolute folders. cwd, home: "" when not known. workspace: every spelling of every workspace folder. homes: other
    spellings of home."""

    __slots__ = ("_homes", "_workspace", "cwd", "home")

    def __init__(self, cwd: str, home: str, workspace: tuple[str, ...], homes: tuple[str, ...] = ()) -> None:
        self.cwd = cwd
        self.home = home
        self._workspace = workspace
        self._homes = homes

    @property
    def workspace(self) -> tuple[str, ...]:
        return self._workspace

    @property
    def homes(self) -> tuple[str, ...]:
        return self._homes

    @property
    def sure_homes(self) -> tuple[str, ...]:
        """What `~` is for certain in a pattern that allows."""
        return (self.home, *self.homes) if self.home else ()

    def seen_from(self, cwd: str) -> Roots:
        """The same folders, seen from another working directory."""
        return self if cwd == self.cwd else _SeenFrom(cwd, self)


class _SeenFrom(Roots):
    """The folders of other roots, seen from another working directory."""

    __slots__ = ("_origin",)

    def __init__(self, cwd: str, origin: Roots) -> None:
        self.cwd = cwd
        self.home = origin.home
        self._origin = origin

    @property
    def workspace(self) -> tuple[str, ...]:
        return self._origin.workspace

    @property
    def homes(self) -> tuple[str, ...]:
        return self._origin.homes

    @property
    def sure_homes(self) -> tuple[str, ...]:
        return self._origin.sure_homes


def split_path(path: str) -> tuple[str, ...]:
    """The components of an absolute path."""
    return tuple(path[1:].split("/")) if len(path) > 1 else ()


def literal_start(parts: tuple[Any, ...]) -> tuple[str, ...]:
    """The parts of a path pattern up to the first that is no literal."""
    return parts[: next((at for at, part in enumerate(parts) if not isinstance(part, str)), len(parts))]
