"""Clients that send too much, too slowly, too often or nothing at all do not hold up the others."""

from __future__ import annotations

import contextlib
import json
import random
import socket
import time
from collections.abc import Iterator

import pytest
from daemon_process import LIMIT_S, Daemon, bash, eventually, payload, request_bytes

ALLOWED = "npm run build"
READ_TIMEOUT_S = 1
CHECKED = 0.1  # the part of the malformed requests whose answers are waited for


@pytest.fixture(scope="module")
def hasty() -> Iterator[Daemon]:
    """A daemon with little patience."""
    with Daemon("--read-timeout", str(READ_TIMEOUT_S), "--max-connections", "1100") as running:
        yield running


def received(connection: socket.socket) -> bytes:
    """All that comes until the other end closes."""
    found = b""
    with contextlib.suppress(ConnectionResetError):
        while chunk := connection.recv(65536):
            found += chunk
    return found


def test_a_body_that_is_too_long_is_refused_after_it_was_read(daemon: Daemon) -> None:
    long = b'{"tool": "Bash", "input": {"command": "' + b"x" * (3 << 20) + b'"}}'
    answer = daemon.post("/v1/decide", long)
    assert (answer.status_code, answer.json()["error"]) == (413, "too_large")
    assert daemon.decide(ALLOWED) == "allow"


def test_long_bodies_that_arrive_together_are_bounded(daemon: Daemon) -> None:
    head = f"POST /v1/decide HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {1 << 20}\r\n\r\n"
    with contextlib.ExitStack() as stack:
        connections = [stack.enter_context(daemon.connect()) for _ in range(90)]
        for connection in connections:
            with contextlib.suppress(OSError):
                connection.sendall(head.encode() + b" " * 1_000_000)
        assert daemon.decide(ALLOWED) == "allow"
        refused = []
        for connection in connections:
            connection.settimeout(0.05)
            with contextlib.suppress(OSError):
                refused += [connection.recv(12)]
        assert 10 <= refused.count(b"HTTP/1.1 503") < 90
    long = {"tool": "Bash", "input": {"command": "true", "more": "x" * 1_000_000}}
    eventually(lambda: daemon.post("/v1/decide", long).status_code == 200)


def test_chunks_without_end_are_refused(hasty: Daemon) -> None:
    with hasty.connect() as connection:
        head = "POST /v1/decide HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        connection.sendall(head.encode())
        with contextlib.suppress(OSError):
            for _ in range(200):
                connection.sendall(b"1\r\n \r\n")
                time.sleep(0.02)
        assert b"408" in received(connection)[:20]


def test_a_slow_body_is_cut(hasty: Daemon) -> None:
    with hasty.connect() as connection:
        connection.sendall(request_bytes("/v1/decide", b"{" * 100)[:-50])
        assert received(connection).startswith(b"HTTP/1.1 408 ")


def test_a_slow_hook_body_is_denied(hasty: Daemon) -> None:
    with hasty.connect() as connection:
        connection.sendall(request_bytes("/v1/hooks/claude-code", b"{" * 100)[:-50])
        said = received(connection)
        assert said.startswith(b"HTTP/1.1 200 ")
        assert b'"permissionDecision": "deny"' in said


@pytest.mark.parametrize("sent", [b"", b"POST /v1/decide HTTP/1.1\r\nHost: x\r\n", b"P"])
def test_a_slow_head_is_cut(hasty: Daemon, sent: bytes) -> None:
    with hasty.connect() as connection:
        connection.sendall(sent)
        assert received(connection) == b""


def test_a_head_that_trickles_is_cut_all_the_same(hasty: Daemon) -> None:
    with hasty.connect() as connection:
        started = time.monotonic()
        with contextlib.suppress(OSError):
            connection.sendall(b"GET /livez HTTP/1.1\r\n")
            while time.monotonic() - started < LIMIT_S:
                connection.sendall(b"X-A: b\r\n")
                time.sleep(0.05)
        assert time.monotonic() - started < LIMIT_S


def test_a_head_that_is_too_long_is_refused(daemon: Daemon) -> None:
    with daemon.connect() as connection:
        connection.sendall(b"GET /livez HTTP/1.1\r\nX: " + b"y" * 20_000)
        assert b"200 OK" not in received(connection)


def test_a_thousand_idle_connections_and_more_than_there_may_be(hasty: Daemon) -> None:
    """Past the bound, those that wait longest without a request are closed for those that come."""
    with contextlib.ExitStack() as stack:
        first = stack.enter_context(hasty.connect())
        for _ in range(1200):
            stack.enter_context(hasty.connect())
        assert hasty.decide(ALLOWED) == "allow"
        assert received(first) == b""
    assert hasty.decide(ALLOWED) == "allow"


def test_clients_that_never_read_their_answers(daemon: Daemon) -> None:
    one = request_bytes("/v1/decide", b'[{"tool": "Bash", "input": {"command": "npm run x"}}]')
    with contextlib.ExitStack() as stack:
        for _ in range(20):
            connection = stack.enter_context(daemon.connect())
            connection.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                for _ in range(2000):
                    connection.send(one)
        assert daemon.decide(ALLOWED) == "allow"


def mangled(whole: bytes, chance: random.Random) -> bytes:
    """A request with something wrong in it."""
    at = chance.randrange(len(whole))
    kind = chance.randrange(4)
    if kind == 0:
        return whole[:at]
    if kind == 1:
        return whole[:at] + bytes([chance.randrange(256)]) + whole[at + 1 :]
    if kind == 2:
        return whole[:at] + chance.randbytes(8) + whole[at:]
    return chance.randbytes(at + 1)


def is_allowed(answer: bytes) -> bool:
    """Whether an answer of any route permits the call."""
    head, _, body = answer.partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 200 ") or not body:
        return False
    found = json.JSONDecoder().raw_decode(body.decode())[0]  # a second answer may follow
    decided = found.get("result", found).get("decision")
    return decided in ("allow", True) or found.get("hookSpecificOutput", {}).get("permissionDecision") == "allow"


def test_ten_thousand_malformed_requests(daemon: Daemon) -> None:
    """No rule speaks of the command: a request that is still one is asked about. Nothing breaks, and what comes after is served."""
    chance = random.Random(4)
    bodies = [json.dumps(body).encode() for body in (bash("zz qq"), payload("zz qq"), {"input": bash("zz qq")})]
    paths = ("/v1/decide", "/v1/hooks/claude-code", "/v1/data/remit/decision", "/access/v1/evaluation")
    for _ in range(10_000):
        whole = request_bytes(chance.choice(paths), chance.choice(bodies))
        with daemon.connect() as connection:
            with contextlib.suppress(OSError):
                connection.sendall(mangled(whole, chance))
                connection.shutdown(socket.SHUT_WR)
            if chance.random() < CHECKED:
                assert not is_allowed(received(connection))
    assert daemon.decide(ALLOWED) == "allow"
    assert daemon.decide("git push -f") == "deny"
    assert "Traceback" not in daemon.said()


def test_memory_stays(daemon: Daemon) -> None:
    def resident_mb() -> float:
        assert daemon.process is not None
        with open(f"/proc/{daemon.process.pid}/statm") as file:
            return int(file.read().split()[1]) * 4096 / 1e6

    body = b'{"tool": "Bash", "input": {"command": "' + b"x" * 1_000_000 + b'"}}'
    daemon.post("/v1/decide", body)
    before = resident_mb()
    for _ in range(30):
        daemon.post("/v1/decide", body)
    eventually(lambda: resident_mb() < before + 30)
