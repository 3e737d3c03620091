"""One question to a daemon on a Unix socket: HTTP/1.1 (RFC 9112) with nothing but `_socket`, because `http.client` takes longer to
import than a decision takes.

Rule of this file: a reply counts when all of it is as it must be. For anything else there is no reply, and whoever asks decides alone.
"""

from __future__ import annotations

import _socket
import sys
import time

from remit.sockets import is_believed, owners
from remit_dsl.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# For connecting, asking and reading together. What is left of a hook's time must be enough to decide without a daemon.
TIMEOUT_S = 2.0
MAX_REPLY_BYTES = 1 << 16
MAX_HEAD_BYTES = 1 << 14
_OTHER_POLICIES = 409
_UCRED_BYTES = 12  # struct ucred of unix(7): pid, uid, gid


class Reply(NamedTuple):
    """What a daemon says: the text to print, "" where it has no opinion; or, if the call is refused, why."""

    refused: bool
    text: str


class _NoReply(Exception):
    """What came is no reply."""


def ask(paths: Iterable[str], target: str, headers: Mapping[str, str], payload: bytes) -> Reply | None:
    """The reply of the first daemon that listens at one of the paths, is believed, and has the same policies; None if there is none, or
    if anything went wrong after it was asked.

    Raises nothing. headers: names and values of printable ASCII; with others nobody is asked.
    """
    until = time.monotonic() + TIMEOUT_S
    request = _request(target, headers, payload)
    if request is None:
        return None
    for path in paths:
        connection = _connect(path, until) if is_believed(path) else None
        if connection is None:
            continue
        try:
            status, reply = _exchange(connection, request, until)
        except (OSError, ValueError, _NoReply):  # a time limit that is over is an OSError
            return None
        finally:
            connection.close()
        if status != _OTHER_POLICIES:
            return reply
    return None


def _request(target: str, headers: Mapping[str, str], payload: bytes) -> bytes | None:
    """The request as it is sent; None if a value could end its line or is read differently by others."""
    for value in headers.values():
        if not (value.isascii() and value.isprintable()) or value != value.strip():
            return None
    length = str(len(payload))
    fixed = {"Host": "remit", "Content-Type": "application/json", "Content-Length": length, "Connection": "close"}
    lines = [f"POST {target} HTTP/1.1", *[f"{name}: {value}" for name, value in {**fixed, **headers}.items()], "", ""]
    return "\r\n".join(lines).encode("ascii") + payload


def _connect(path: str, until: float) -> _socket.socket | None:
    """A connection to whoever listens there, if that is root or this account; else None."""
    try:
        connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    except (AttributeError, OSError):
        return None
    try:
        connection.settimeout(_left(until))
        connection.connect(path)
        if _peer(connection) in owners():
            return connection
    except (AttributeError, OSError, ValueError, _NoReply):
        pass
    connection.close()
    return None


def _peer(connection: _socket.socket) -> int:
    """The user id of whoever listens at the other end. Raises AttributeError where the system does not say it."""
    credentials = connection.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, _UCRED_BYTES)
    return int.from_bytes(credentials[4:8], sys.byteorder)


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise _NoReply
    return left


def _exchange(connection: _socket.socket, request: bytes, until: float) -> tuple[int, Reply]:
    """The status and the reply. Raises OSError, ValueError or _NoReply."""
    connection.settimeout(_left(until))
    connection.sendall(request)
    received = b""
    while True:
        head, end, body = received.partition(b"\r\n\r\n")
        if end:
            status, fields = _read_head(head)
            size = _size(status, fields)
            if len(body) >= size:
                return status, _reply(status, fields, body, size)
        if len(received) > MAX_REPLY_BYTES + MAX_HEAD_BYTES or (not end and len(received) > MAX_HEAD_BYTES):
            raise _NoReply
        connection.settimeout(_left(until))
        chunk = connection.recv(MAX_HEAD_BYTES)
        if not chunk:
            raise _NoReply
        received += chunk


def _read_head(head: bytes) -> tuple[int, dict[str, str]]:
    """The status and the header fields, by lower-case name."""
    first, *lines = head.decode("ascii").split("\r\n")
    version, _, rest = first.partition(" ")
    code = rest[:3]
    if version not in ("HTTP/1.1", "HTTP/1.0") or not code.isdecimal() or len(code) != 3 or rest[3:4] not in ("", " "):
        raise _NoReply
    fields: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        name = name.lower()
        if not colon or not name or name != name.strip() or name in fields:
            raise _NoReply
        fields[name] = value.strip()
    return int(code), fields


def _size(status: int, fields: dict[str, str]) -> int:
    """How long the body is."""
    length = fields.get("content-length", "0" if status == 204 else "")
    if not length.isdecimal() or len(length) > 9 or int(length) > MAX_REPLY_BYTES or "transfer-encoding" in fields:
        raise _NoReply
    return int(length)


def _reply(status: int, fields: dict[str, str], body: bytes, size: int) -> Reply:
    if status == _OTHER_POLICIES:
        return Reply(False, "")
    code = fields.get("remit-exit", "0")
    text = body.decode("utf-8" if code == "2" else "ascii")  # a reason may name a file; an answer is ASCII
    if status not in (200, 204) or len(body) != size or code not in ("0", "2") or (code == "2" and not text.strip()):
        raise _NoReply
    return Reply(code == "2", text)
