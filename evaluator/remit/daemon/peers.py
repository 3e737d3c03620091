"""Who is at the other end of a Unix socket: the kernel says it (SO_PEERCRED, unix(7))."""

from __future__ import annotations

import os
import pwd
import socket
import struct
from typing import Any

from remit_dsl.records import NamedTuple

_UCRED = struct.Struct("=iII")  # struct ucred: pid, uid, gid


class Peer(NamedTuple):
    """The process that connected."""

    pid: int
    uid: int
    gid: int


def peer_of(connection: Any) -> Peer | None:
    """The peer of a connected socket; None where the kernel does not say it: on TCP, or on another system."""
    if getattr(connection, "family", None) != socket.AF_UNIX or not hasattr(socket, "SO_PEERCRED"):
        return None
    try:
        return Peer(*_UCRED.unpack(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _UCRED.size)))
    except OSError:
        return None


def is_own(peer: Peer | None) -> bool:
    """Whether the peer is known to be root or of the daemon's own account."""
    return peer is not None and peer.uid in (0, os.geteuid())


def user_name(uid: int) -> str:
    """The account's name, "" when it has none."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return ""
