"""The question to a daemon: a reply counts when all of it is as it must be, and whatever else comes is no reply."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from daemon_stub import DaemonStub, http

import remit.daemon_client
from remit.daemon_client import MAX_REPLY_BYTES, Reply, ask

HEADERS = {"Remit-Policies": '["/etc/a"]'}


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("s")  # a short name: sockets have paths of 107 bytes at most (unix(7))


def reply_to(folder: Path, reply: bytes) -> Reply | None:
    with DaemonStub(folder / "s", reply) as daemon:
        return ask([str(daemon.path)], "/v1/hooks/x", HEADERS, b"{}")


# --- what is asked ---------------------------------------------------------------------------------------------------


def test_the_request(folder: Path) -> None:
    with DaemonStub(folder / "s", http("")) as daemon:
        ask([str(daemon.path)], "/v1/hooks/x", HEADERS, b'{"a": "\xc3\xa9"}')
    head, _, body = daemon.requests[0].partition(b"\r\n\r\n")
    assert head.split(b"\r\n") == [
        b"POST /v1/hooks/x HTTP/1.1",
        b"Host: remit",
        b"Content-Type: application/json",
        b"Content-Length: 11",
        b"Connection: close",
        b'Remit-Policies: ["/etc/a"]',
    ]
    assert body == b'{"a": "\xc3\xa9"}'


def test_a_payload_of_full_size(folder: Path) -> None:
    with DaemonStub(folder / "s", http("{}")) as daemon:
        assert ask([str(daemon.path)], "/", HEADERS, b"x" * (1 << 20)) == Reply(False, "{}")
    assert len(daemon.requests[0]) > 1 << 20


@pytest.mark.parametrize(
    "value", ["a\r\nRemit-Policies: []", "a\nb", "a\0b", "/home/é", "\ud800", " /a", "/a ", "\x7f"]
)
def test_a_value_that_could_be_read_differently_is_not_sent(folder: Path, value: str) -> None:
    with DaemonStub(folder / "s", http("{}")) as daemon:
        assert ask([str(daemon.path)], "/", {"Remit-Project-Dir": value}, b"") is None
    assert not daemon.requests


# --- what is a reply ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        pytest.param(http('{"a": 1}'), Reply(False, '{"a": 1}'), id="an answer"),
        pytest.param(http(""), Reply(False, ""), id="no opinion"),
        pytest.param(b"HTTP/1.1 204 No Content\r\n\r\n", Reply(False, ""), id="no content"),
        pytest.param(http("the policies are gone", "200 OK", "Remit-Exit: 2"), Reply(True, "the policies are gone"), id="a refusal"),
        pytest.param(http("no policy in /é", "200 OK", "Remit-Exit: 2"), Reply(True, "no policy in /é"), id="a refusal that names a file"),
        pytest.param(http("{}", "200 OK", "remit-exit: 0"), Reply(False, "{}"), id="an exit code of an answer"),
        pytest.param(http("x" * MAX_REPLY_BYTES), Reply(False, "x" * MAX_REPLY_BYTES), id="the longest"),
    ],
)  # fmt: skip
def test_a_reply(folder: Path, reply: bytes, said: Reply) -> None:
    assert reply_to(folder, reply) == said


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"HTTP/1.1 200 OK\r\n", id="half a head"),
        pytest.param(http('{"a": 1}')[:-1], id="cut"),
        pytest.param(http('{"a": 1}') + b"x", id="more than said"),
        pytest.param(b"HTTP/1.1 200 OK\r\n\r\n{}", id="no length"),
        pytest.param(b"HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n", id="a negative length"),
        pytest.param(b"HTTP/1.1 200 OK\r\ncontent-length: \xb2\r\n\r\n{}", id="a length of other digits"),
        pytest.param(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 2\r\n\r\n{}", id="two lengths"),
        pytest.param(b"HTTP/1.1 200 OK\r\ncontent-length : 2\r\n\r\n{}", id="a blank before the colon"),
        pytest.param(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", id="chunks"),
        pytest.param(http("{}", "200 OK", "transfer-encoding: chunked"), id="chunks and a length"),
        pytest.param(http("x" * (MAX_REPLY_BYTES + 1)), id="too long"),
        pytest.param(b"HTTP/1.1 200 OK\r\n" + b"a" * (1 << 17), id="an endless head"),
        pytest.param(http("é"), id="not ASCII"),
        pytest.param(http("{}", "200 OK", "x: é"), id="a head that is not ASCII"),
        pytest.param(http("", "200 OK", "Remit-Exit: 2"), id="a refusal without a reason"),
        pytest.param(http("{}", "200 OK", "Remit-Exit: 1"), id="another exit code"),
        pytest.param(http("{}", "200 OK", "Remit-Exit:"), id="no exit code"),
        pytest.param(http("{}", "201 Created"), id="another success"),
        pytest.param(http("{}", "302 Found"), id="elsewhere"),
        pytest.param(http("{}", "400 Bad Request"), id="a mistake of the client"),
        pytest.param(http("{}", "500 Internal Server Error"), id="a mistake of the server"),
        pytest.param(http("{}", "503 Service Unavailable"), id="not ready"),
        pytest.param(http("{}", "2000 OK"), id="a status of four digits"),
        pytest.param(http("{}", "+20 OK"), id="a status that is none"),
        pytest.param(b"HTTP/2 200\r\ncontent-length: 2\r\n\r\n{}", id="another protocol"),
        pytest.param(b"\x15\x03\x01\x00\x02\x02\x46" * 10, id="TLS"),
    ],
)
def test_what_is_no_reply(folder: Path, reply: bytes) -> None:
    assert reply_to(folder, reply) is None


def test_a_daemon_that_does_not_answer(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remit.daemon_client, "TIMEOUT_S", 0.3)
    started = time.monotonic()
    with DaemonStub(folder / "s", b"", hold=True) as daemon:
        assert ask([str(daemon.path)], "/", HEADERS, b"") is None
    assert time.monotonic() - started < 10


def test_a_daemon_that_answers_byte_by_byte(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit is for all of the reply, not for each part of it."""
    monkeypatch.setattr(remit.daemon_client, "TIMEOUT_S", 0.5)
    code = """
import socket, sys, time
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
listener.listen()
print("ready", flush=True)
connection, _ = listener.accept()
for byte in b"HTTP/1.1 200 OK" + b"x" * 1000:
    connection.send(bytes([byte]))
    time.sleep(0.05)
"""
    command = [sys.executable, "-c", code, str(folder / "s")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        process.stdout.readline()
        started = time.monotonic()
        assert ask([str(folder / "s")], "/", HEADERS, b"") is None
        assert time.monotonic() - started < 10
        process.kill()


def test_a_reply_that_is_complete_is_not_waited_for(folder: Path) -> None:
    started = time.monotonic()
    with DaemonStub(folder / "s", http("{}"), hold=True) as daemon:
        assert ask([str(daemon.path)], "/", HEADERS, b"") == Reply(False, "{}")
        assert time.monotonic() - started < remit.daemon_client.TIMEOUT_S


# --- who is asked ------------------------------------------------------------------------------------------------------


def test_the_first_who_listens_is_asked(folder: Path) -> None:
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(folder / "stale"))
    with DaemonStub(folder / "a", http("1")) as first, DaemonStub(folder / "b", http("2")) as second:
        paths = [str(folder / name) for name in ("nothing", "stale", "a", "b")]
        assert ask(paths, "/", HEADERS, b"") == Reply(False, "1")
    assert (len(first.requests), len(second.requests)) == (1, 0)


def test_one_of_other_policies_is_passed_over(folder: Path) -> None:
    other = http('{"error":"other_policies"}', "409 Conflict")
    with DaemonStub(folder / "a", other) as first, DaemonStub(folder / "b", http("2")) as second:
        assert ask([str(first.path), str(second.path)], "/", HEADERS, b"") == Reply(False, "2")
        assert ask([str(first.path)], "/", HEADERS, b"") is None


def test_after_trouble_nobody_else_is_asked(folder: Path) -> None:
    with DaemonStub(folder / "a", b"") as first, DaemonStub(folder / "b", http("2")) as second:
        assert ask([str(first.path), str(second.path)], "/", HEADERS, b"") is None
    assert not second.requests


def test_a_link_is_not_followed(folder: Path) -> None:
    with DaemonStub(folder / "s", http("{}")) as daemon:
        (folder / "link").symlink_to(daemon.path)
        assert ask([str(folder / "link")], "/", HEADERS, b"") is None
    assert not daemon.requests


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can start a process of another account")
def test_somebody_else_behind_a_socket_of_ours_is_not_believed(folder: Path) -> None:
    """The file and its folder are root's, and yet who listens is another account."""
    code = """
import os, socket, sys
listener = socket.socket(fileno=int(sys.argv[1]))
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
listener.listen()
print("ready", flush=True)
connection, _ = listener.accept()
asked = connection.recv(65536)
connection.send(b"HTTP/1.1 200 OK\\r\\ncontent-length: 2\\r\\n\\r\\n{}")
print(len(asked), flush=True)
"""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "s"))
        number = listener.fileno()
        command = [sys.executable, "-c", code, str(number)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, pass_fds=[number]) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            assert ask([str(folder / "s")], "/", HEADERS, b"") is None
            assert process.stdout.readline() in (b"0\n", b"")  # it was told nothing
            process.kill()
