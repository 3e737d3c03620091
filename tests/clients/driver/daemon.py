"""`remit serve` beside a client."""

from __future__ import annotations

import contextlib
import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

LIMIT_SECONDS = 30.0
_COUNTED = re.compile(r"^remit_hook_requests_total\{[^}]*\} ([0-9.]+)$", re.MULTILINE)


class Daemon:
    """A daemon at `path` and on a port of the loopback, for as long as it is entered."""

    def __init__(self, path: Path, options: Sequence[str]) -> None:
        self._path = path
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self._said = path.with_suffix(".err").open("w")
        words = [f"--socket={path}", "--admin-socket=none", f"--listen=127.0.0.1:{self._port}", *options]
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-m", "remit", "serve", *words], stderr=self._said, start_new_session=True
        )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def asked(self) -> int:
        """How many calls of hooks it has answered."""
        return int(sum(float(number) for number in _COUNTED.findall(self._get("/metrics"))))

    def __enter__(self) -> Self:
        until = time.monotonic() + LIMIT_SECONDS
        while time.monotonic() < until:
            with contextlib.suppress(OSError, http.client.HTTPException):
                self._get("/livez")
                return self
            assert self._process.poll() is None, self._path.with_suffix(".err").read_text()
            time.sleep(0.05)
        self._end()
        raise TimeoutError("the daemon does not answer")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def _end(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._said.close()

    def _get(self, path: str) -> str:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=LIMIT_SECONDS)
        try:
            connection.request("GET", path)
            return connection.getresponse().read().decode()
        finally:
            connection.close()
