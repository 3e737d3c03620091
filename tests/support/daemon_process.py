"""A daemon as it really runs: its own process, asked over its own socket."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx

from remit.daemon.options import account_home

POLICY = """\
policy org.base for org "What everybody starts from"
  owner "security@acme.example"
use std
deny no-force-push: Bash(git push --force *), Bash(git push -f *) because "Force pushes rewrite history."
ask publishing: Bash(git push *) because "Publishing leaves the machine."
deny not-eve: Bash(deploy *) when request.labels.env == "prod"
allow building: Bash(npm run *)
"""
# Becomes another command, which ends with the process that started it (prctl(2), PR_SET_PDEATHSIG): a test run that is killed leaves no
# daemon behind.
ENDING_WITH_PARENT = (
    f"import ctypes, os, sys; ctypes.CDLL(None).prctl(1, {int(signal.SIGKILL)}); os.execv(sys.argv[1], sys.argv[1:])"
)
SERVE = [sys.executable, "-I", "-m", "remit", "serve"]
# The same for an account whose home folder is the first argument.
AT_HOME = """\
import runpy, sys
home = sys.argv.pop(1)
import remit.daemon.options
remit.daemon.options.account_home = lambda: home
runpy.run_module("remit", run_name="__main__")
"""
LIMIT_S = 60.0  # for whatever should come soon: a busy machine may take its time


class Daemon:
    """`remit serve` over `policies` (a folder below `root`), with further options. root: a folder of its own, removed at the end. at_home:
    whether its `home` is that of the account, and not named by an option."""

    def __init__(
        self,
        *options: str,
        policy: str | None = POLICY,
        environment: dict[str, str] | None = None,
        at_home: bool = False,
    ) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="remit-"))  # short: the path of a socket has 107 bytes
        self.socket, self.admin = self.root / "s.sock", self.root / "a.sock"
        self.policies, self.home = self.root / "policies", self.root / "home"
        self.policies.mkdir()
        self.home.mkdir()
        if policy is not None:
            self.write(policy)
        self._command = [sys.executable, "-I", "-c", AT_HOME, str(self.home), "serve"] if at_home else SERVE
        self.account = str(self.home) if at_home else account_home()
        self._home = () if at_home else ("--home", str(self.home))
        self._options = [*(() if policy is None else ("--policy", str(self.policies))), *options]
        self._environment = {"HOME": str(self.home), "PATH": os.environ["PATH"], **(environment or {})}
        self.process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        try:
            return self.start()
        except BaseException:
            self.stop()
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> Self:
        """Start the process and wait until it answers."""
        places = ["--socket", str(self.socket), "--admin-socket", str(self.admin), *self._home]
        with (self.root / "stderr").open("a") as stderr:
            self.process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", ENDING_WITH_PARENT, *self._command, *places, *self._options],
                stderr=stderr,
                env=self._environment,
                cwd=self.root,
                start_new_session=True,
                text=True,
            )
        eventually(lambda: self.process is not None and (self.process.poll() is not None or self._answers()))
        assert self.process.poll() is None, self.said()
        return self

    def _answers(self) -> bool:
        with contextlib.suppress(OSError), self.connect() as connection:
            connection.sendall(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
            return connection.recv(4096).startswith(b"HTTP/1.1 200 ")
        return False

    def signal(self, number: signal.Signals) -> None:
        assert self.process is not None
        self.process.send_signal(number)

    def wait(self) -> int:
        """The exit code, once the process has ended."""
        assert self.process is not None
        return self.process.wait(LIMIT_S)

    def stop(self) -> None:
        """End whatever still runs, and leave nothing behind."""
        if self.process is not None and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(LIMIT_S)
        shutil.rmtree(self.root, ignore_errors=True)

    def write(self, policy: str) -> None:
        (self.policies / "org.remit").write_text(policy)

    def said(self) -> str:
        """What the daemon has written to standard error."""
        return (self.root / "stderr").read_text()

    def port(self) -> int:
        """The TCP port that it has got."""
        start = "remit: tcp: "
        eventually(lambda: start in self.said())
        return int(self.said().partition(start)[2].partition("\n")[0].rpartition(":")[2])

    def client(self, *, admin: bool = False) -> httpx.Client:
        transport = httpx.HTTPTransport(uds=str(self.admin if admin else self.socket))
        return httpx.Client(transport=transport, base_url="http://localhost", timeout=LIMIT_S)

    def get(self, path: str, **fields: str) -> httpx.Response:
        with self.client() as client:
            return client.get(path, headers=fields)

    def post(
        self, path: str, value: Any, headers: dict[str, str] | None = None, *, admin: bool = False
    ) -> httpx.Response:
        """The answer to a body: bytes as they are, anything else as JSON."""
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        with self.client(admin=admin) as client:
            return client.post(path, content=body, headers={"Content-Type": "application/json", **(headers or {})})

    def decide(self, command: str) -> str:
        """The decision on a shell command."""
        return str(self.post("/v1/decide", bash(command)).json()["decision"])

    def connect(self) -> socket.socket:
        """A connection on which anything can be said."""
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.settimeout(LIMIT_S)
        try:
            connection.connect(str(self.socket))
        except OSError:
            connection.close()
            raise
        return connection


def bash(command: str) -> dict[str, Any]:
    """A call of the shell tool."""
    return {"tool": "Bash", "input": {"command": command}, "cwd": "/tmp"}


def payload(command: str = "git push -f", **changes: Any) -> dict[str, Any]:
    """What Claude Code sends to a hook."""
    fields = {
        "session_id": "748e",
        "cwd": "/tmp",
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command},
    }
    return {name: value for name, value in {**fields, **changes}.items() if value is not None}


def request_bytes(path: str, body: bytes) -> bytes:
    """A request as it goes over the connection."""
    fields = f"Host: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    return f"POST {path} HTTP/1.1\r\n{fields}\r\n\r\n".encode() + body


def eventually(holds: Any, limit_s: float = LIMIT_S) -> None:
    """Wait until something holds; fail when it does not within the limit."""
    until = time.monotonic() + limit_s
    while not holds():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.02)
