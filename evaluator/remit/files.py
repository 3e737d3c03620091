"""The file system as far as path resolution asks it: real, empty, or given. Nothing here writes."""

from __future__ import annotations

import errno
import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import ClassVar, Protocol
else:
    Protocol = object

# These say that there is no link to follow: not a link, nothing there, no way for this user to go through it either.
_NO_LINK = frozenset((errno.EINVAL, errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.EPERM))


MAX_FOLDERS = 4096


class FileSystem(Protocol):
    """What resolution needs to know. All paths are absolute."""

    def readlink(self, path: str) -> str | None:
        """Where a symlink points; None when `path` is none. Raises OSError where that cannot be told."""

    def scan(self, path: str) -> Iterable[tuple[str, bool | None]]:
        """Names in a folder and whether each is a folder itself (None: a link); nothing for what is no folder."""

    def folds_case(self, path: str) -> bool:
        """Whether names that differ in case only are the same at `path`."""

    def home_of(self, user: str) -> str | None:
        """The home folder of another account; None when it is not known."""

    def own_home(self) -> str | None:
        """The home folder of the account that asks, whatever HOME says; None when it is not known."""


class NoFiles:
    """An empty file system: no links, nothing to scan, no other accounts."""

    def readlink(self, path: str) -> str | None:
        return None

    def scan(self, path: str) -> Iterable[tuple[str, bool | None]]:
        return ()

    def folds_case(self, path: str) -> bool:
        return False

    def home_of(self, user: str) -> str | None:
        return None

    def own_home(self) -> str | None:
        return None


class GivenFiles(NoFiles):
    """A file system that holds these files and links (path -> target), and the folders they need."""

    def __init__(self, files: Iterable[str], links: Mapping[str, str]) -> None:
        self._links = dict(links)
        self._below: dict[str, dict[str, bool | None]] = {}
        for path in files:
            self._add(path, False)
        for path in links:
            self._add(path, None)

    def _add(self, path: str, is_folder: bool | None) -> None:
        while path not in ("", "/"):
            folder, _, name = path.rpartition("/")
            entries = self._below.setdefault(folder or "/", {})
            entries[name] = entries.get(name) or is_folder
            path, is_folder = folder, True

    def readlink(self, path: str) -> str | None:
        return self._links.get(path)

    def scan(self, path: str) -> Iterable[tuple[str, bool | None]]:
        return sorted(self._below.get(path, {}).items())


class RealFiles:
    """The file system of this machine. What links say is kept: use one instance for one request, so that it is seen as one.

    Whether a folder folds case is kept for the process (for 4,096 folders): it is a property of how a file system was made.
    """

    __slots__ = ("_missing", "_targets")
    _folding: ClassVar[dict[str, bool]] = {}

    def __init__(self) -> None:
        self._targets: dict[str, str | None] = {}
        # What is not there, or behind what this user may not go through: nothing that could be seen is below it.
        self._missing: set[str] = set()

    def readlink(self, path: str) -> str | None:
        if path in self._targets:
            return self._targets[path]
        target = self._targets[path] = self._read(path)
        return target

    def _read(self, path: str) -> str | None:
        if self._missing and path.rpartition("/")[0] in self._missing:
            self._missing.add(path)
            return None
        try:
            mode = os.lstat(path).st_mode
        except OSError as error:
            if error.errno not in _NO_LINK:
                raise
            self._missing.add(path)
            return None
        try:
            return os.readlink(path) if stat.S_ISLNK(mode) else None
        except OSError as error:
            if error.errno in _NO_LINK:
                return None
            raise

    def scan(self, path: str) -> Iterator[tuple[str, bool | None]]:
        try:
            with os.scandir(path) as entries:
                for entry in entries:
                    yield entry.name, None if entry.is_symlink() else entry.is_dir(follow_symlinks=False)
        except OSError:
            return

    def folds_case(self, path: str) -> bool:
        folder = path.rpartition("/")[0]
        known = self._folding.get(folder)
        if known is None:
            known = self._probe(path)
            if len(self._folding) >= MAX_FOLDERS:
                self._folding.clear()
            self._folding[folder] = known
        return known

    def _probe(self, path: str) -> bool:
        """Asked of the nearest name with a letter in it that exists: is it the same in the other case?"""
        while path not in ("", "/"):
            folder, _, name = path.rpartition("/")
            other = f"{folder}/{name.swapcase()}"
            if other != path and _exists(path):
                return _exists(other) and _identity(path) == _identity(other)
            path = folder
        return False

    def own_home(self) -> str | None:
        try:
            import pwd

            return pwd.getpwuid(os.getuid()).pw_dir
        except (ImportError, KeyError):
            return None

    def home_of(self, user: str) -> str | None:
        try:
            import pwd

            return pwd.getpwnam(user).pw_dir
        except (ImportError, KeyError, ValueError, UnicodeError):
            return None


class AccountFiles(RealFiles):
    """The file system of this machine for an account whose home folder is `home`: that is what `~` is to what a policy allows, also where
    the agent's shell takes another folder for it."""

    __slots__ = ("home",)

    def __init__(self, home: str) -> None:
        super().__init__()
        self.home = home

    def own_home(self) -> str:
        return self.home


def _exists(path: str) -> bool:
    return os.access(path, os.F_OK, follow_symlinks=False)  # answers without raising, which is what costs time


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino
