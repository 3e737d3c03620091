"""The head file: beside the database, what the last record was, so that a tail that was cut off is missed.

Whoever may write both can change both; against them the hash is kept elsewhere (`remit audit verify --expect-head`).
"""

from __future__ import annotations

import fcntl
import os

from remit.effects.audit.chain import Head

_MAX_BYTES = 256


def head_path(database: str) -> str:
    """The head file of a database file."""
    return database + ".head"


def write_head(path: str, head: Head) -> None:
    """Note a head, unless a later one is noted already. Raises OSError."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        known = _parsed(os.pread(handle, _MAX_BYTES, 0))
        if known is None or known.sequence < head.sequence:
            # INVARIANT: of one length, so that a write in place replaces the old one as a whole.
            os.pwrite(handle, f"{head.sequence:020d} {head.hash}\n".encode(), 0)
    finally:
        os.close(handle)


def read_head(path: str) -> Head | None:
    """The noted head; None where there is no file, or an empty one. Raises OSError; ValueError for a file that holds something else."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_SH)
        text = os.pread(handle, _MAX_BYTES, 0)
    finally:
        os.close(handle)
    head = _parsed(text)
    if head is None and text:  # an empty one was made by a process that ended before it wrote
        raise ValueError(f"{path} holds no head")
    return head


def _parsed(text: bytes) -> Head | None:
    number, _, rest = text.decode("ascii", "replace").rstrip("\n").partition(" ")
    return Head(int(number), rest) if number.isdecimal() and len(rest) == 64 else None
