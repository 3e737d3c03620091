"""A daemon that says what a test wants: one thread on a Unix socket, that keeps what it was asked."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Self


class DaemonStub:
    """Answers every request with the same bytes, after `delay_s`. requests: those that came, whole. hold: the connection stays open."""

    def __init__(self, path: Path, reply: bytes, *, delay_s: float = 0.0, hold: bool = False) -> None:
        self.path = path
        self.requests: list[bytes] = []
        self._reply, self._delay_s, self._hold = reply, delay_s, hold
        self._kept: list[socket.socket] = []
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Self:
        self._listener.bind(str(self.path))
        self.path.chmod(0o600)
        self._listener.listen(8)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(10)
        for connection in self._kept:
            connection.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with contextlib.suppress(OSError):
                self.requests.append(_whole_request(connection))
                time.sleep(self._delay_s)
                connection.sendall(self._reply)
            if self._hold:
                self._kept.append(connection)
            else:
                connection.close()


def _whole_request(connection: socket.socket) -> bytes:
    connection.settimeout(10)
    received = b""
    while b"\r\n\r\n" not in received:
        chunk = connection.recv(65536)
        if not chunk:
            return received
        received += chunk
    head, _, body = received.partition(b"\r\n\r\n")
    size = next(int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
    while len(body) < size:
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body


def http(body: bytes | str, status: str = "200 OK", *fields: str) -> bytes:
    """A reply as a web server sends it."""
    content = body.encode() if isinstance(body, str) else body
    head = [
        f"HTTP/1.1 {status}",
        "date: Tue, 01 Dec 2026 00:00:00 GMT",
        "server: uvicorn",
        f"content-length: {len(content)}",
    ]
    return "\r\n".join([*head, *fields, "", ""]).encode() + content
