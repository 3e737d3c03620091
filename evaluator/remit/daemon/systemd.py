"""What systemd is told (sd_notify(3)): a datagram on the socket that NOTIFY_SOCKET names."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Mapping

_MICROSECONDS = 1_000_000


def notify(environment: Mapping[str, str], *lines: str) -> bool:
    """Send lines such as `READY=1`; whether somebody was told. Never raises: without systemd all else goes on."""
    path = environment.get("NOTIFY_SOCKET", "")
    if not path.startswith(("/", "@")) or not hasattr(socket, "AF_UNIX"):
        return False
    address = f"\0{path[1:]}" if path.startswith("@") else path
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told:
        told.connect(address)
        told.sendall("\n".join(lines).encode())
        return True
    return False


def watchdog_s(environment: Mapping[str, str]) -> float:
    """After how many seconds without a sign of life this process is restarted, 0 = never (sd_watchdog_enabled(3))."""
    text, process = environment.get("WATCHDOG_USEC", ""), environment.get("WATCHDOG_PID", "")
    if not text.isdecimal() or process not in ("", str(os.getpid())):
        return 0.0
    return int(text) / _MICROSECONDS
