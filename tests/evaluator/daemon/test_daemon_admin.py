"""Who may change a running daemon, and what a change does."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator

import pytest
from daemon_process import POLICY, Daemon, bash

TOKEN = "a-token-of-enough-length"
BYPASS = {**bash("curl https://x.example"), "mode": "bypass"}


@pytest.fixture(scope="module")
def managed() -> Iterator[Daemon]:
    place = Daemon()
    token = place.root / "token"
    token.write_text(TOKEN + "\n")
    token.chmod(0o600)
    place._options += ["--admin-token-file", str(token)]
    with place as running:
        yield running


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def test_not_on_the_socket_for_everybody(daemon: Daemon) -> None:
    answer = daemon.post("/v1/admin/reload", {})
    assert (answer.status_code, answer.json()["error"]) == (403, "forbidden")
    assert daemon.post("/v1/admin/reload", {}, bearer(TOKEN)).status_code == 403
    assert "refused: not authorised" in daemon.said()


@pytest.mark.parametrize("given", ["wrong", TOKEN[:-1], TOKEN + "x", TOKEN.upper(), "\xe9"])
def test_not_with_another_token(managed: Daemon, given: str) -> None:
    with managed.client() as client:
        answer = client.post("/v1/admin/reload", headers=[(b"Authorization", b"Bearer " + given.encode("latin-1"))])
    assert answer.status_code == 401
    with managed.client() as client:
        assert client.post("/v1/admin/reload", headers={"Authorization": f"Basic {TOKEN}"}).status_code == 401


def test_the_token_is_enough(managed: Daemon) -> None:
    answer = managed.post("/v1/admin/reload", {}, bearer(TOKEN))
    assert (answer.status_code, answer.json()["changed"]) == (200, False)
    assert "by token: reload: unchanged" in managed.said()


def test_a_token_that_others_can_read_is_refused(managed: Daemon) -> None:
    token = managed.root / "open"
    token.write_text(TOKEN)
    token.chmod(0o644)
    done = subprocess.run(
        [sys.executable, "-I", "-m", "remit", "serve", f"--socket={managed.root}/n.sock", f"--admin-token-file={token}"],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, "chmod 600" in done.stderr) == (2, True)


def remit_reload(daemon: Daemon, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", "-m", "remit", "reload", "--admin-socket", str(daemon.admin), *options],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def test_remit_reload(managed: Daemon) -> None:
    try:
        assert remit_reload(managed).stdout.startswith("unchanged  sha256:")
        before = managed.get("/readyz").json()["revision"]
        managed.write(POLICY.replace("allow building", "ask building"))
        done = remit_reload(managed, "--json")
        assert (done.returncode, json.loads(done.stdout)["revision"] != before) == (0, True)
        assert managed.decide("npm run build") == "ask"
        managed.write("deny broken(")
        done = remit_reload(managed)
        assert done.returncode == 1
        assert "org.remit" in done.stderr
        assert managed.decide("npm run build") == "ask"
    finally:
        managed.write(POLICY)
        remit_reload(managed)
    assert managed.decide("npm run build") == "allow"


def test_remit_reload_without_a_daemon(managed: Daemon) -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-m", "remit", "reload", "--admin-socket", str(managed.root / "none.sock")],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, "no daemon answers" in done.stderr) == (2, True)


def switch(daemon: Daemon, mode: str, value: object) -> tuple[int, dict[str, object]]:
    with daemon.client(admin=True) as client:
        answer = client.put(f"/v1/admin/modes/{mode}", json=value)
    return answer.status_code, answer.json()


def test_a_mode_is_switched_off_and_on(managed: Daemon) -> None:
    before = managed.post("/v1/decide", BYPASS).json()
    assert (before["decision"], before["reason"]["code"]) == ("allow", "mode")
    status, told = switch(managed, "bypassPermissions", {"forbidden": True})
    assert (status, told["forbidden"]) == (200, ["bypass"])
    after = managed.post("/v1/decide", BYPASS).json()
    assert after["decision"] == "ask"
    assert after["revision"] == told["revision"] != before["revision"]
    remit_reload(managed)
    assert managed.post("/v1/decide", BYPASS).json()["decision"] == "ask"
    assert switch(managed, "bypass", {"forbidden": False})[1]["forbidden"] == []
    assert managed.post("/v1/decide", BYPASS).json()["revision"] == before["revision"]
    assert "forbid mode bypassPermissions: done" in managed.said()


@pytest.mark.parametrize(("mode", "value", "status"), [
    ("plan", {"forbidden": True}, 409),
    ("dont_ask", {"forbidden": True}, 409),
    ("nothing", {"forbidden": True}, 409),
    ("bypass", {"forbidden": 1}, 400),
    ("bypass", {"forbidden": True, "for": 5}, 400),
    ("bypass", [], 400),
])  # fmt: skip
def test_what_would_loosen_or_is_not_understood_is_refused(
    managed: Daemon, mode: str, value: object, status: int
) -> None:
    assert switch(managed, mode, value)[0] == status
    assert managed.post("/v1/decide", BYPASS).json()["decision"] == "allow"
