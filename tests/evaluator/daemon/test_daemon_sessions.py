"""A daemon that decides within sessions: as the hook with the same store, and changed by nobody but administrators."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from daemon_process import POLICY, Daemon, bash, payload
from hook_place import LAUNCHED

from remit.sessions.store import Store

TOKEN = "a-token-of-enough-length"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
SESSIONS = POLICY + 'deny loops: Bash(*) when session.repeats >= 3 because "again"\nlower tiers may deny, ask, allow\n'


def with_sessions(policy: str | None = SESSIONS) -> Daemon:
    """A daemon, not started, that keeps sessions and has an admin token."""
    place = Daemon(policy=policy)
    token = place.root / "token"
    token.write_text(TOKEN)
    token.chmod(0o600)
    place._options += ["--sessions", str(place.root / "state" / "s.db"), "--admin-token-file", str(token)]
    return place


@pytest.fixture(scope="module")
def keeping() -> Iterator[Daemon]:
    with with_sessions() as running:
        yield running


@pytest.fixture
def run(request: pytest.FixtureRequest) -> str:
    """A session of its own for each test."""
    return str(request.node.name)


def store(daemon: Daemon) -> Store:
    return Store(daemon.root / "state" / "s.db")


def decided(daemon: Daemon, session: str, command: str) -> tuple[str, str]:
    verdict = daemon.post("/v1/decide", {**bash(command), "session": session}).json()
    return verdict["decision"], verdict["reason"]["code"]


def change(daemon: Daemon, session: str, value: Any) -> tuple[int, dict[str, Any]]:
    answer = daemon.post(f"/v1/sessions/{session}", value, BEARER)
    return answer.status_code, answer.json()


def test_calls_are_remembered(keeping: Daemon, run: str) -> None:
    assert [decided(keeping, run, "npm run x")[0] for _ in range(4)] == ["allow", "allow", "allow", "deny"]
    with keeping.client(admin=True) as client:
        told = client.get(f"/v1/sessions/{run}").json()
        listed = client.get("/v1/sessions").json()["sessions"]
    assert (told["calls"], told["denials"]) == (4, 1)
    assert run in [item["id"] for item in listed]
    assert json.loads(json.dumps(store(keeping).read(run).to_json())) == told


def test_a_call_without_a_session_is_judged_by_itself(keeping: Daemon) -> None:
    assert {keeping.decide("npm run y") for _ in range(5)} == {"allow"}


def test_hooks_of_the_daemon_and_of_a_process_share_the_store(keeping: Daemon, run: str) -> None:
    call = payload("npm run x", session_id=run)
    options = ["--policy", str(keeping.policies), "--sessions", str(keeping.root / "state" / "s.db")]
    said = []
    for at in range(4):
        if at % 2:
            said.append(keeping.post("/v1/hooks/claude-code", call).json())
        else:
            done = subprocess.run(
                [*LAUNCHED, *options], input=json.dumps(call).encode(), capture_output=True, timeout=60, check=True,
                env={"PATH": os.environ["PATH"], "HOME": str(keeping.home)},
            )  # fmt: skip
            said.append(json.loads(done.stdout))
    assert [answer["hookSpecificOutput"]["permissionDecision"] for answer in said] == ["allow"] * 3 + ["deny"]


def test_a_prompt_is_not_another_call(keeping: Daemon, run: str) -> None:
    for _ in range(3):
        for event in ("PreToolUse", "PermissionRequest"):
            keeping.post("/v1/hooks/claude-code", payload("npm run x", session_id=run, hook_event_name=event))
    assert (store(keeping).read(run).calls, store(keeping).read(run).repeats) == (3, 2)


def test_a_hook_that_knows_of_no_sessions_decides_by_itself(keeping: Daemon, run: str) -> None:
    """Else what it comes to would depend on whether the daemon is there."""
    fields = {"Remit-Policies": json.dumps([str(keeping.policies)])}
    answer = keeping.post("/v1/hooks/claude-code", payload(session_id=run), fields)
    assert (answer.status_code, answer.json()["error"]) == (409, "other_policies")
    assert store(keeping).read(run).calls == 0


@pytest.mark.parametrize("found", [False, True], ids=["own policies", "found policies"])
def test_a_sessions_rules(found: bool) -> None:
    place = with_sessions(None if found else SESSIONS)
    if found:
        folder = place.home / ".config" / "remit"
        folder.mkdir(parents=True)
        (folder / "own.remit").write_text(SESSIONS.replace("org.base for org", "base for user").replace(
            "lower tiers may deny, ask, allow\n", ""))  # fmt: skip
    with place as running:
        assert decided(running, "one", "deploy-docs") == ("ask", "no_rule")
        status, told = change(running, "one", {"update": {"kind": "addRules", "rules": ["allow Bash(deploy-docs *)"]}})
        assert (status, told["rules"]) == (200, ["allow Bash(deploy-docs *)"])
        for _ in range(2):
            assert decided(running, "one", "deploy-docs") == ("allow", "rule")
        assert decided(running, "one", "git push -f")[0] == "deny"
        assert decided(running, "two", "deploy-docs") == ("ask", "no_rule")
        if not found:
            running.write(SESSIONS.replace("deny not-eve", "deny no-docs: Bash(deploy-docs *)\ndeny not-eve"))
            running.post("/v1/admin/reload", {}, admin=True)
            assert decided(running, "one", "deploy-docs")[0] == "deny"


def test_a_mode_that_is_off_is_off_in_sessions_too(keeping: Daemon, run: str) -> None:
    change(keeping, run, {"update": {"kind": "setMode", "mode": "bypass"}})
    change(keeping, run, {"update": {"kind": "addRules", "rules": ["allow Bash(deploy-docs *)"]}})
    assert decided(keeping, run, "curl https://x.example") == ("allow", "mode")
    with keeping.client(admin=True) as client:
        client.put("/v1/admin/modes/bypass", json={"forbidden": True})
        assert decided(keeping, run, "curl https://x.example")[0] == "ask"
        client.put("/v1/admin/modes/bypass", json={"forbidden": False})
    assert decided(keeping, run, "curl https://x.example") == ("allow", "mode")


def test_an_approval_holds_once(keeping: Daemon, run: str) -> None:
    status, told = change(keeping, run, {"approve": {"call": bash("git push"), "seconds": 60}})
    assert (status, [item["by"].endswith(" by token") for item in told["approvals"]]) == (200, [True])
    assert [decided(keeping, run, "git push") for _ in range(2)] == [("allow", "approval"), ("ask", "rule")]


def test_a_change_happens_as_a_whole_or_not_at_all(keeping: Daemon, run: str) -> None:
    bad = {"update": {"kind": "removeRules", "rules": ["allow Bash(x)"]}, "cancelled": True}
    assert change(keeping, run, bad)[0] == 409
    assert store(keeping).read(run).cancelled is False
    assert change(keeping, run, {"cancelled": True})[1]["cancelled"] is True


@pytest.mark.parametrize("value", [
    {"update": {"kind": "forget"}}, {"rules": []}, {"approve": {"call": {}}}, {"approve": {"call": bash("x"), "seconds": 0}}, [],
])  # fmt: skip
def test_a_change_that_is_none(keeping: Daemon, run: str, value: Any) -> None:
    assert change(keeping, run, value)[0] == 400


@pytest.mark.parametrize(("method", "path"), [("GET", ""), ("GET", "/x"), ("POST", "/x")])
def test_not_for_everybody(keeping: Daemon, method: str, path: str) -> None:
    with keeping.client() as client:
        answer = client.request(method, f"/v1/sessions{path}", json={"cancelled": True} if method == "POST" else None)
    assert (answer.status_code, answer.json()["error"]) == (401, "unauthorised")
    assert store(keeping).read("x").cancelled is False


def test_the_admin_socket_is_not_enough_to_change_one(keeping: Daemon, daemon: Daemon) -> None:
    """An agent of this account can reach it, and would approve its own calls."""
    for running, status in ((keeping, 401), (daemon, 401)):
        answer = running.post("/v1/sessions/x", {"approve": {"call": bash("git push")}}, admin=True)
        assert answer.status_code == status
    assert store(keeping).read("x").approvals == ()


def test_a_daemon_without_sessions_has_none(daemon: Daemon) -> None:
    with daemon.client(admin=True) as client:
        assert client.get("/v1/sessions").json()["error"] == "no_sessions"


def test_a_store_that_cannot_be_used_refuses_the_calls_of_sessions(tmp_path: Path) -> None:
    place = with_sessions()
    (place.root / "state" / "s.db").mkdir(parents=True)
    with place as running:
        assert decided(running, "one", "npm run x") == ("deny", "error")
        assert running.decide("npm run x") == "allow"
        said = running.post("/v1/hooks/claude-code", payload("npm run x")).json()["hookSpecificOutput"]
        assert said["permissionDecision"] == "deny"
        assert [item["code"] for item in running.get("/readyz").json()["reasons"]] == ["sessions"]
        assert change(running, "one", {"cancelled": True})[0] == 503
