"""The hook within sessions: what happened before counts, an approval lets one call happen once, and a store that fails refuses the call."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from daemon_stub import DaemonStub, http
from hook_place import HOOK, LAUNCHED, Place, make_place, refused

from remit.sessions.state import State
from remit.sessions.store import Store
from remit.sessions.updates import Update, applied

SESSION = "748e"
CODEX = [*HOOK[:-1], "codex"]
POLICY = """\
policy org.base for org
use std
use std.limits
deny no-force-push: Bash(git push -f *) because "no"
ask publishing: Bash(git push *) because "Publishing leaves the machine."
ask after-secrets: Bash(make *) when "/w/secret" in session.read
allow building: Bash(npm run *), Bash(make *), Bash(cat *), fs.read(/w/**)
lower tiers may deny, ask, allow
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    found = make_place(tmp_path_factory.mktemp("sessions"))
    (found.policy / "org.remit").write_text(POLICY)
    return found


@pytest.fixture
def store(tmp_path: Path) -> Path:
    tmp_path.chmod(0o700)
    return tmp_path / "state" / "sessions.db"


def options(place: Place, store: Path | str) -> tuple[str, ...]:
    return ("--policy", str(place.policy), "--sessions", str(store))


def decided(place: Place, store: Path, command: str, **changes: object) -> str:
    """The decision of a hook process, "" where it says nothing."""
    done = place.run(place.payload(command, **changes), *options(place, store), command=LAUNCHED)
    assert (done.returncode, done.stderr) == (0, b"")
    if not done.stdout:
        return ""
    output = json.loads(done.stdout)["hookSpecificOutput"]
    return str(output["decision"]["behavior"] if "decision" in output else output["permissionDecision"])


def remit_session(place: Place, store: Path, *words: str) -> None:
    command = [sys.executable, "-I", "-m", "remit", "session", *words, "--store", str(store)]
    subprocess.run(command, cwd=place.workspace, env=place.environment, timeout=60, check=True, capture_output=True)


def approve(place: Place, store: Path, call: bytes, agent: str = "claude-code") -> None:
    """Let the call of a payload happen once."""
    given = ["--tool", "Bash", "--input", json.dumps(json.loads(call)["tool_input"]), "--cwd", str(place.workspace)]
    remit_session(place, store, "approve", SESSION, *given, "--agent", agent)


def test_what_happened_before_counts(place: Place, store: Path) -> None:
    assert decided(place, store, "make all") == "allow"
    assert decided(place, store, "cat /w/secret") == "allow"
    assert decided(place, store, "make all") == "ask"
    assert decided(place, store, "make all", session_id="another") == "allow"


def test_denials_are_counted(place: Place, store: Path) -> None:
    for command in ("git push -f", "npm run x", "git push -f a", "git push -f b"):
        decided(place, store, command)
    state = Store(store).read(SESSION)
    assert (state.calls, state.denials, state.consecutive_denials) == (4, 3, 2)


def test_a_call_that_repeats_itself_is_denied(place: Place, store: Path) -> None:
    assert [decided(place, store, "npm run x") for _ in range(4)] == ["allow", "allow", "allow", "deny"]


def test_a_prompt_about_a_call_is_not_another_call(place: Place, store: Path) -> None:
    for _ in range(3):
        assert decided(place, store, "npm run x") == "allow"
        assert decided(place, store, "npm run x", hook_event_name="PermissionRequest") == "allow"
    assert (Store(store).read(SESSION).calls, Store(store).read(SESSION).repeats) == (3, 2)


def test_rules_and_mode_of_the_session(place: Place, store: Path) -> None:
    assert decided(place, store, "deploy-docs") == ""
    remit_session(place, store, "allow", SESSION, "Bash(deploy-docs *)")
    assert decided(place, store, "deploy-docs") == "allow"
    assert decided(place, store, "git push -f") == "deny"
    remit_session(place, store, "deny", SESSION, "Bash(deploy-docs *)")
    assert decided(place, store, "deploy-docs") == "deny"
    remit_session(place, store, "mode", SESSION, "plan")
    assert decided(place, store, "npm run touch") != ""


def test_a_sessions_rule_may_ask_for_labels(place: Place, store: Path) -> None:
    rule = Update("addRules", ('deny Bash(npm run *) when request.labels.env == "prod"',))
    Store(store).change(SESSION, lambda state: applied(state, rule))
    assert decided(place, store, "npm run x") == "allow"
    done = place.run(place.payload("npm run x"), *options(place, store), "--label", "env=prod")
    assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_an_approval_lets_a_call_happen_once(place: Place, store: Path) -> None:
    assert decided(place, store, "git push") == "ask"
    approve(place, store, place.payload("git push"))
    assert decided(place, store, "git push origin") == "ask"
    assert [decided(place, store, "git push") for _ in range(2)] == ["allow", "ask"]


def test_no_approval_lifts_a_deny(place: Place, store: Path) -> None:
    approve(place, store, place.payload("git push -f"))
    assert decided(place, store, "git push -f") == "deny"


def test_an_approval_does_not_count_where_it_is_not_used_up(place: Place, store: Path) -> None:
    approve(place, store, place.payload("git push"))
    assert decided(place, store, "git push", hook_event_name="PermissionRequest") == ""
    assert decided(place, store, "git push") == "allow"


def test_of_calls_at_the_same_moment_one_has_the_approval(place: Place, store: Path) -> None:
    approve(place, store, place.payload("git push"))
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda _: decided(place, store, "git push"), range(2)))
    assert sorted(found) == ["allow", "ask"]


def test_codex_is_told_how_to_go_on_and_an_approval_does_it(place: Place, store: Path) -> None:
    """Its hooks cannot ask: nothing said is how Codex goes on."""
    call = place.payload("git push", turn_id="t", tool_input={"command": "git push"})
    done = place.run(call, *options(place, store), command=CODEX)
    output = json.loads(done.stdout)["hookSpecificOutput"]
    assert output["permissionDecision"] == "deny"
    assert "remit session approve" in output["permissionDecisionReason"]
    approve(place, store, call, "codex")
    answers = [place.run(call, *options(place, store), command=CODEX).stdout for _ in range(2)]
    assert answers[0] == b""
    assert json.loads(answers[1])["hookSpecificOutput"]["permissionDecision"] == "deny"


def _folder(store: Path) -> None:
    store.mkdir(mode=0o700, parents=True)


def _writable_by_others(store: Path) -> None:
    Store(store).read("x")
    store.chmod(0o666)


def _not_a_database(store: Path) -> None:
    store.parent.mkdir(mode=0o700)
    store.write_text("no database" * 100)
    store.chmod(0o600)


def _spoilt(store: Path) -> None:
    Store(store).change(SESSION, lambda state: state)
    with sqlite3.connect(store) as connection:
        connection.execute("UPDATE sessions SET state = '{}'")
    connection.close()


def _rules_that_do_not_compile(store: Path) -> None:
    Store(store).change(SESSION, lambda state: state._replace(rules=("allow Nonsense(((",)))


@pytest.mark.parametrize(
    "breaking", [_folder, _writable_by_others, _not_a_database, _spoilt, _rules_that_do_not_compile]
)
def test_a_store_that_cannot_be_used_refuses(place: Place, store: Path, breaking: Callable[[Path], None]) -> None:
    breaking(store)
    refused(place.run(place.payload("npm run x"), *options(place, store), command=LAUNCHED))


@pytest.mark.parametrize("given", ["sessions.db", "./account", "~/s.db", ""])
def test_a_store_elsewhere_is_no_option(place: Place, given: str) -> None:
    assert "absolute path" in refused(place.run(place.payload("npm run x"), *options(place, given)))


def test_a_daemon_is_not_asked(place: Place, store: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """It would not know the sessions of this store."""
    with DaemonStub(tmp_path_factory.mktemp("s") / "s", http("")) as daemon:
        place.run(place.payload(), *options(place, store), "--socket", str(daemon.path))
    assert daemon.requests == []
    assert Store(store).read(SESSION).denials == 1


def test_other_events_leave_no_session_behind(place: Place, store: Path) -> None:
    assert place.run(place.payload(hook_event_name="Stop"), *options(place, store)).returncode == 0
    assert not store.exists()


def test_what_a_session_engine_keeps_is_one_state(store: Path) -> None:
    """So that the tests above look at the same file as the hook."""
    assert Store(store).read(SESSION) == State(SESSION)
