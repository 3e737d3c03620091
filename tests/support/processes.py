"""Processes that a test starts: each in a session of its own, ended with the block that started it. Ports are chosen by the kernel."""

from __future__ import annotations

import contextlib
import http.client
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

# How long a process may take until it is ready, on a busy machine.
READY_S = 30.0


class Timeout(AssertionError):
    """Something did not happen in time."""


def until(what: str, condition: Callable[[], Any], seconds: float) -> Any:
    """The first true value of the condition. Raises Timeout."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(OSError, http.client.HTTPException):
            if found := condition():
                return found
        time.sleep(0.2)
    raise Timeout(what)


@contextlib.contextmanager
def running(
    command: list[str], log: Path, environment: dict[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """The process, until the end of the block; its output goes to the file."""
    with log.open("wb") as said:
        started = subprocess.Popen(
            command, stdout=said, stderr=said, stdin=subprocess.DEVNULL, start_new_session=True, env=environment
        )
        try:
            yield started
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(started.pid, signal.SIGTERM)
            try:
                started.wait(15)
            except subprocess.TimeoutExpired:
                os.killpg(started.pid, signal.SIGKILL)
                started.wait(15)


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
