"""What asking over the socket costs, as ratios of what the same server needs for an empty answer: they hold on a busy machine too."""

from __future__ import annotations

import json
import socket
import statistics
import threading
import time

from daemon_process import Daemon, bash, request_bytes

ROUNDS, REQUESTS = 5, 150
CALL = bash("npm run build")


def exchange(connection: socket.socket, request: bytes) -> bytes:
    """One request and its whole answer on a connection that stays open."""
    connection.sendall(request)
    answer = b""
    while True:
        answer += connection.recv(1 << 20)
        head, end, body = answer.partition(b"\r\n\r\n")
        if end and len(body) >= int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]):
            return body


def median_s(connection: socket.socket, request: bytes, times: int) -> float:
    found = []
    for _ in range(times):
        started = time.perf_counter()
        exchange(connection, request)
        found.append(time.perf_counter() - started)
    return statistics.median(found)


def test_a_decision_costs_little_more_than_an_empty_answer(daemon: Daemon) -> None:
    """Throughput is 0.6 of the empty answer's on a quiet machine; here the best of several rounds counts, and less of it."""
    empty = b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n"
    request = request_bytes("/v1/decide", json.dumps(CALL).encode())
    with daemon.connect() as connection:
        assert b'"allow"' in exchange(connection, request)
        rounds = [
            (median_s(connection, empty, REQUESTS), median_s(connection, request, REQUESTS)) for _ in range(ROUNDS)
        ]
    assert max(idle / busy for idle, busy in rounds) > 0.35
    assert min(busy - idle for idle, busy in rounds) < 0.001


def test_a_batch_costs_less_than_its_calls(daemon: Daemon) -> None:
    one = request_bytes("/v1/decide", json.dumps([CALL]).encode())
    many = request_bytes("/v1/decide", json.dumps([CALL] * 100).encode())
    with daemon.connect() as connection:
        rounds = [(median_s(connection, one, 40), median_s(connection, many, 4)) for _ in range(ROUNDS)]
    assert min(batch / single for single, batch in rounds) < 50


def test_large_batches_do_not_hold_up_small_calls(daemon: Daemon) -> None:
    """While batches are decided one after the other, a small call takes a small part of the time of one."""
    small = request_bytes("/v1/decide", json.dumps(CALL).encode())
    large = request_bytes("/v1/decide", json.dumps([CALL] * 1000).encode())
    stop, took = threading.Event(), []

    def ask_for_many() -> None:
        with daemon.connect() as connection:
            while not stop.is_set():
                took.append(median_s(connection, large, 1))

    thread = threading.Thread(target=ask_for_many)
    thread.start()
    with daemon.connect() as connection:
        waited = median_s(connection, small, 50)
    stop.set()
    thread.join()
    assert waited < statistics.median(took) / 4
