"""Files from places where others may have put anything: read within bounds, and without ever waiting.

A pipe would be waited for, a device never ends, a sparse file is as long as somebody liked. Databases of the account are made here too, and
nobody else's are taken for them. On the path of every hook start.
"""

from __future__ import annotations

import os
import stat
from _thread import allocate_lock  # threading would be one more module for every hook

_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


def read_regular(path: str, limit: int) -> bytes:
    """The content of a regular file, one byte past the limit at most. Raises OSError; follows links."""
    return read_seen(path, limit)[0]


def read_seen(path: str, limit: int) -> tuple[bytes, os.stat_result]:
    """As `read_regular`, with what the file was when it was opened: a moment before, the path may have led elsewhere."""
    handle = os.open(path, _FLAGS)
    try:
        found = _regular(handle)
        return _content(handle, limit), found
    finally:
        os.close(handle)


def read_owned(path: str, limit: int, owners: frozenset[int]) -> bytes:
    """The content of a regular file that one of the owners has, that nobody else can write, and that is no link.

    Raises OSError for any other, and for one that is longer than the limit.
    """
    handle = os.open(path, _FLAGS | os.O_NOFOLLOW)
    try:
        found = _regular(handle)
        if found.st_uid not in owners or found.st_mode & 0o022:
            raise OSError("the file is not its owner's alone")
        content = _content(handle, limit) if found.st_size <= limit else b""
        if max(found.st_size, len(content)) > limit:
            raise OSError(f"the file is longer than {limit} bytes")
        return content
    finally:
        os.close(handle)


def prepare_database(path: str) -> None:
    """Make the SQLite file at `path` (0600, in a folder of 0700) if need be.

    Raises OSError where it, or a file that SQLite keeps beside it, is a link, no regular file or not this account's alone, or where others
    may write its folder: they could put another one there.
    """
    folder = os.path.dirname(os.path.abspath(path))
    os.makedirs(folder, mode=0o700, exist_ok=True)
    _alone(os.stat(folder), folder)
    with _MAKING:
        _make(path)
    for name in (path, *[path + suffix for suffix in _BESIDE]):
        check_alone(name)


def check_alone(path: str) -> None:
    """Raises OSError unless the file is a regular one of this account or root that nobody else can write, or is not there."""
    # INVARIANT: no file that is there is opened. Closing one would drop the locks that this process holds on it, and with them whatever
    # it writes from then on (https://sqlite.org/howtocorrupt.html, 2.2).
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return
    if not stat.S_ISREG(found.st_mode):
        raise OSError(f"{path} is no regular file")
    _alone(found, path)


_MAKING = allocate_lock()  # no other thread opens a new file before it was closed here
_BESIDE = ("-journal", "-wal", "-shm")  # https://sqlite.org/tempfiles.html


def _make(path: str) -> None:
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    except FileExistsError:
        return


def _alone(found: os.stat_result, name: str) -> None:
    if found.st_uid not in (0, os.geteuid()) or found.st_mode & 0o022:
        raise OSError(f"{name} is not this account's alone")


def _regular(handle: int) -> os.stat_result:
    found = os.fstat(handle)
    if not stat.S_ISREG(found.st_mode):
        raise OSError("not a regular file")
    return found


def _content(handle: int, limit: int) -> bytes:
    with os.fdopen(os.dup(handle), "rb") as file:
        return file.read(limit + 1)
