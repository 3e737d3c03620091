"""Files from places where others may have put anything: read within bounds, and without ever waiting.

A pipe would be waited for, a device never ends, a sparse file is as long as somebody liked. On the path of every hook start.
"""

from __future__ import annotations

import os
import stat

_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


def read_regular(path: str, limit: int) -> bytes:
    """The content of a regular file, one byte past the limit at most. Raises OSError; follows links."""
    handle = os.open(path, _FLAGS)
    try:
        _regular(handle)
        return _content(handle, limit)
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


def _regular(handle: int) -> os.stat_result:
    found = os.fstat(handle)
    if not stat.S_ISREG(found.st_mode):
        raise OSError("not a regular file")
    return found


def _content(handle: int, limit: int) -> bytes:
    with os.fdopen(os.dup(handle), "rb") as file:
        return file.read(limit + 1)
