"""How a daemon starts, reloads, stops, dies and comes back."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from daemon_process import LIMIT_S, POLICY, Daemon, bash, eventually, payload, request_bytes

from remit.daemon.systemd import notify, watchdog_s

ALLOWED = "npm run build"


def started(*options: str) -> subprocess.CompletedProcess[str]:
    """A daemon that is expected not to start."""
    return subprocess.run(
        [sys.executable, "-I", "-m", "remit", "serve", *options],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def answer_of(connection: socket.socket) -> bytes:
    """All that comes after everything is sent."""
    connection.shutdown(socket.SHUT_WR)
    answer = b""
    while chunk := connection.recv(1 << 16):
        answer += chunk
    return answer


# --- sockets -----------------------------------------------------------------------------------------------------------


def test_the_sockets_are_the_accounts_own(daemon: Daemon) -> None:
    for path in (daemon.socket, daemon.admin):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_second_daemon_does_not_take_the_place(daemon: Daemon) -> None:
    done = started("--policy", str(daemon.policies), "--socket", str(daemon.socket))
    assert done.returncode == 2
    assert "another daemon listens there" in done.stderr
    assert daemon.decide(ALLOWED) == "allow"


def test_a_socket_on_which_somebody_else_answers_is_left_alone(daemon: Daemon, tmp_path: Path) -> None:
    path = daemon.root / "else.sock"
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(path))
        other.listen()
        done = started("--policy", str(daemon.policies), "--socket", str(path))
    assert (done.returncode, "somebody answers there" in done.stderr) == (2, True)


def test_a_file_is_not_replaced(daemon: Daemon) -> None:
    path = daemon.root / "file.sock"
    path.write_text("mine")
    done = started("--policy", str(daemon.policies), "--socket", str(path))
    assert (done.returncode, path.read_text()) == (2, "mine")


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o1777])
def test_a_folder_in_which_others_can_write_is_refused(daemon: Daemon, mode: int) -> None:
    folder = daemon.root / f"open{mode}"
    folder.mkdir()
    folder.chmod(mode)
    done = started("--policy", str(daemon.policies), "--socket", str(folder / "s.sock"))
    assert (done.returncode, "others can write there" in done.stderr) == (2, True)


@pytest.mark.parametrize("options", [
    ("--listen", "0.0.0.0:0", "--socket", "none"),
    ("--listen", "localhost", "--socket", "none"),
    ("--socket", "none"),
    ("--tls-key", "x"),
    ("--listen", "127.0.0.1:0", "--tls-cert", "/nonexistent"),
    ("--label", "x"),
])  # fmt: skip
def test_what_cannot_be_served_is_said(daemon: Daemon, options: tuple[str, ...]) -> None:
    place = () if "--socket" in options else ("--socket", str(daemon.root / "n.sock"))
    done = started("--policy", str(daemon.policies), *place, *options)
    assert (done.returncode, done.stderr.count("\n") <= 2, "Traceback" in done.stderr) == (2, True, False), done.stderr


@pytest.mark.parametrize(
    "package", ["starlette", "uvicorn", "pydantic", "prometheus_client", "sqlalchemy", "watchfiles"]
)
def test_without_the_extra_it_says_how_to_install_it(package: str) -> None:
    code = f"import sys; sys.modules[{package!r}] = None; from remit.cli.main import run; sys.exit(run(['serve']))"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr == f"error: this needs the package {package}: pip install 'remit[daemon]'\n"


# --- policies ----------------------------------------------------------------------------------------------------------


def test_a_hangup_loads_the_policies_anew_and_broken_ones_change_nothing() -> None:
    with Daemon() as daemon:
        before = daemon.get("/readyz").json()["revision"]
        daemon.write(POLICY.replace("allow building", "deny building").replace("npm run *)", 'npm run *) because "no"'))
        daemon.signal(signal.SIGHUP)
        eventually(lambda: daemon.decide(ALLOWED) == "deny")
        assert daemon.get("/readyz").json()["revision"] != before
        daemon.write("deny broken(")
        daemon.signal(signal.SIGHUP)
        eventually(lambda: daemon.get("/readyz").status_code == 503)
        found = daemon.get("/readyz").json()
        assert (found["status"], {item["code"] for item in found["reasons"]}) == ("degraded", {"reload_failed"})
        assert found["reasons"][0]["message"].startswith("org.remit:1: ")
        assert daemon.decide(ALLOWED) == "deny"
        daemon.write(POLICY)
        daemon.signal(signal.SIGHUP)
        eventually(lambda: daemon.get("/readyz").status_code == 200)
        assert daemon.get("/readyz").json()["revision"] == before


def test_with_broken_policies_it_refuses_until_they_are_right() -> None:
    with Daemon(policy="deny broken(") as daemon:
        found = daemon.get("/readyz")
        assert (found.status_code, found.json()["status"], found.json()["revision"]) == (503, "refusing", "")
        answer = daemon.post("/v1/decide", bash(ALLOWED)).json()
        assert (answer["decision"], answer["reason"]["code"]) == ("deny", "error")
        assert daemon.get("/v1/program").status_code == 503
        daemon.write(POLICY)
        daemon.signal(signal.SIGHUP)
        eventually(lambda: daemon.get("/readyz").status_code == 200)
        assert daemon.decide(ALLOWED) == "allow"


def test_policies_that_were_read_long_ago() -> None:
    with Daemon("--max-policy-age", "0.5") as daemon:
        eventually(lambda: [item["code"] for item in daemon.get("/readyz").json()["reasons"]] == ["stale_policy"])
        assert daemon.decide(ALLOWED) == "allow"


# --- the end -----------------------------------------------------------------------------------------------------------


def test_calls_under_way_are_answered_before_it_ends() -> None:
    with Daemon() as daemon:
        body = b"[" + b", ".join([b'{"tool": "Bash", "input": {"command": "cd src && npm run build"}}'] * 300) + b"]"
        asked, idle = [daemon.connect() for _ in range(30)], [daemon.connect() for _ in range(30)]
        for connection in asked:
            connection.sendall(request_bytes("/v1/decide", body))
        daemon.signal(signal.SIGTERM)
        for connection in asked:
            answer = answer_of(connection)
            assert answer.startswith(b"HTTP/1.1 200 OK"), answer[:200]
            assert answer.count(b'"decision_id"') == 300
        for connection in [*asked, *idle]:
            connection.close()
        assert daemon.wait() == 0
        assert not daemon.socket.exists()


def test_every_call_of_busy_clients_has_an_answer_or_was_not_taken() -> None:
    """A client that gets no answer knows that none was under way: it could not connect, or its connection was closed before it asked."""
    with Daemon() as daemon:
        stop, broken, answers = threading.Event(), [], []

        def ask() -> None:
            request = request_bytes("/v1/decide", b'{"tool": "Bash", "input": {"command": "npm run x"}}')
            while not stop.is_set():
                try:
                    with daemon.connect() as connection:
                        connection.sendall(request)
                        answer = answer_of(connection)
                except (FileNotFoundError, ConnectionRefusedError):
                    return
                except OSError as error:
                    broken.append(error)
                    return
                answers.append(answer)

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        eventually(lambda: len(answers) > 50)
        daemon.signal(signal.SIGTERM)
        assert daemon.wait() == 0
        stop.set()
        for thread in threads:
            thread.join(LIMIT_S)
        assert broken == []
        assert all(answer.startswith(b"HTTP/1.1 200 OK") for answer in answers)


def test_killed_under_load_it_comes_back() -> None:
    with Daemon() as daemon:
        stop, seen = threading.Event(), []
        request = request_bytes("/v1/decide", b'{"tool": "Bash", "input": {"command": "git push -f"}}')

        def ask() -> None:
            while not stop.is_set():
                with contextlib.suppress(OSError), daemon.connect() as connection:
                    connection.sendall(request)
                    answer = answer_of(connection)
                    if answer:
                        seen.append(b'"allow"' not in answer)

        threads = [threading.Thread(target=ask) for _ in range(3)]
        for thread in threads:
            thread.start()
        for _ in range(2):
            count = len(seen)
            eventually(lambda: len(seen) > count + 20)  # noqa: B023
            daemon.signal(signal.SIGKILL)
            daemon.wait()
            assert daemon.socket.exists()
            daemon.start()
        assert daemon.decide(ALLOWED) == "allow"
        stop.set()
        for thread in threads:
            thread.join(LIMIT_S)
        assert all(seen)


# --- systemd -----------------------------------------------------------------------------------------------------------


def test_systemd_is_told() -> None:
    with Daemon() as place, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told:
        place.signal(signal.SIGTERM)
        place.wait()
        path = place.root / "notify"
        told.bind(str(path))
        told.settimeout(LIMIT_S)
        place._environment |= {"NOTIFY_SOCKET": str(path), "WATCHDOG_USEC": "200000"}
        place.start()
        said = [told.recv(4096).decode() for _ in range(6)]
        assert "READY=1\nSTATUS=deciding" in said
        assert said.count("WATCHDOG=1") >= 3
        place.signal(signal.SIGTERM)
        while (line := told.recv(4096).decode()) == "WATCHDOG=1":
            pass
        assert line == "STOPPING=1"
        assert place.wait() == 0


def test_without_systemd_nothing_is_told() -> None:
    assert not notify({}, "READY=1")
    assert not notify({"NOTIFY_SOCKET": "relative"}, "READY=1")
    assert not notify({"NOTIFY_SOCKET": "/nonexistent/notify"}, "READY=1")
    assert notify({"NOTIFY_SOCKET": "@remit-test-nobody-listens"}, "READY=1") is False


@pytest.mark.parametrize(("environment", "seconds"), [
    ({}, 0.0),
    ({"WATCHDOG_USEC": "30000000"}, 30.0),
    ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"}, 0.0),
    ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": str(os.getpid())}, 30.0),
    ({"WATCHDOG_USEC": "soon"}, 0.0),
])  # fmt: skip
def test_the_watchdogs_time(environment: dict[str, str], seconds: float) -> None:
    assert watchdog_s(environment) == seconds


# --- the hook process asks it ------------------------------------------------------------------------------------------


def test_the_hook_process_uses_it(daemon: Daemon) -> None:
    """The daemon's label is not the hook's: what is answered shows who was asked about what."""
    import json

    done = subprocess.run(
        [sys.executable, "-I", "-m", "remit", "hook", "claude-code", f"--policy={daemon.policies}", f"--socket={daemon.socket}"],
        input=json.dumps(payload()).encode(), capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"
