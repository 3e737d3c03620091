"""The hook and a daemon: what it is told counts if it is an answer, and whatever else comes, the hook decides by itself."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from daemon_stub import DaemonStub, http
from hook_place import LAUNCHED, Place, make_place, patched, refused

ALLOW = '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow", "permissionDecisionReason": "remit: told"}}'


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return make_place(tmp_path_factory.mktemp("hook"))


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("s")  # a short name: sockets have paths of 107 bytes at most (unix(7))


def asking(place: Place, path: Path) -> tuple[str, ...]:
    return ("--policy", str(place.policy), "--socket", str(path))


# --- a daemon that answers -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [None, LAUNCHED])
def test_what_the_daemon_says_is_printed(place: Place, folder: Path, command: list[str] | None) -> None:
    with DaemonStub(folder / "s", http(ALLOW)) as daemon:
        done = place.run(place.payload(), *asking(place, daemon.path), command=command)
    assert (done.returncode, done.stdout.decode(), done.stderr) == (0, ALLOW, b"")


def test_no_opinion(place: Place, folder: Path) -> None:
    with DaemonStub(folder / "s", http("")) as daemon:
        done = place.run(place.payload("npm run x"), *asking(place, daemon.path))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize("reason", ["the policies cannot be used", "remit: the policies cannot be used"])
def test_a_refusal(place: Place, folder: Path, reason: str) -> None:
    with DaemonStub(folder / "s", http(reason, "200 OK", "Remit-Exit: 2")) as daemon:
        done = place.run(place.payload("npm run x"), *asking(place, daemon.path))
    assert refused(done) == "remit: the policies cannot be used\n"


def test_a_permission_request(place: Place, folder: Path) -> None:
    said = '{"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "allow"}}}'
    with DaemonStub(folder / "s", http(said)) as daemon:
        call = place.payload(hook_event_name="PermissionRequest")
        assert place.run(call, *asking(place, daemon.path)).stdout.decode() == said


def test_what_the_daemon_is_told(place: Place, folder: Path) -> None:
    project = f"{folder}/project"
    told = place._replace(environment={**place.environment, "CLAUDE_PROJECT_DIR": project})
    call = place.payload("npm run 'é'", permission_mode="plan")
    with DaemonStub(folder / "s", http(ALLOW)) as daemon:
        told.run(call, *asking(place, daemon.path), "--policy=/é", "--label", 'a="b\n', "--label=c=d=e")
    head, _, body = daemon.requests[0].partition(b"\r\n\r\n")
    first, *lines = head.decode("ascii").split("\r\n")
    fields = dict(line.split(": ", 1) for line in lines)
    assert first == "POST /v1/hooks/claude-code HTTP/1.1"
    assert json.loads(fields["Remit-Policies"]) == [str(place.policy), "/é"]
    assert json.loads(fields["Remit-Labels"]) == {"a": '"b\n', "c": "d=e"}
    assert fields["Remit-Home"] == place.environment["HOME"]
    assert fields["Remit-Project-Dir"] == project
    assert body == call


def test_a_home_that_the_project_chose_is_not_passed_on(place: Place, folder: Path) -> None:
    told = place._replace(environment={**place.environment, "HOME": str(place.workspace / "home")})
    arguments = (*asking(place, folder / "s"), "--home", place.environment["HOME"])
    with DaemonStub(folder / "s", http(ALLOW)) as daemon:
        told.run(place.payload(), *arguments)
    assert str(place.workspace / "home").encode() not in daemon.requests[0].partition(b"\r\n\r\n")[0]


# --- one that cannot be relied on ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(http('{"error":"other_policies"}', "409 Conflict"), id="other policies"),
        pytest.param(http("{}", "500 Internal Server Error"), id="broken"),
        pytest.param(http("{}", "503 Service Unavailable"), id="not ready"),
        pytest.param(http(ALLOW)[:-1], id="a cut answer"),
        pytest.param(b"", id="none"),
        pytest.param(http("{}"), id="an empty object"),
        pytest.param(http("null"), id="null"),
        pytest.param(http("allow"), id="a word"),
        pytest.param(http(ALLOW[:-1]), id="broken JSON"),
        pytest.param(http("[" * 60_000), id="nested JSON"),
        pytest.param(http(ALLOW + "\n" + ALLOW), id="two answers"),
        pytest.param(http(ALLOW.replace("PreToolUse", "PermissionRequest")), id="of another event"),
        pytest.param(http(ALLOW.replace('"allow"', '"yes"')), id="another word"),
        pytest.param(http(ALLOW.replace('"remit: told"', "1")), id="no reason"),
        pytest.param(http(ALLOW.replace('"permissionDecision"', '"updatedInput": {}, "permissionDecision"')), id="more keys"),
        pytest.param(http(ALLOW.replace('"permissionDecision":', '"permissionDecision": "deny", "permissionDecision":')), id="a key twice"),
        pytest.param(http('{"continue": true}'), id="another form"),
        pytest.param(http(ALLOW.replace("told", "tolé")), id="not ASCII"),
        pytest.param(http(" " * (1 << 17)), id="oversized"),
    ],
)  # fmt: skip
def test_what_is_no_answer_is_not_believed(place: Place, folder: Path, reply: bytes) -> None:
    with DaemonStub(folder / "s", reply) as daemon:
        done = place.run(place.payload(), *asking(place, daemon.path))
        assert len(daemon.requests) == 1
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_where_deciding_alone_fails_too_the_call_is_refused(place: Place, folder: Path) -> None:
    with DaemonStub(folder / "s", b"") as daemon:
        done = place.run(place.payload(), "--policy", "/nowhere", "--socket", str(daemon.path))
        assert len(daemon.requests) == 1
    assert "E501" in refused(done)


def test_a_daemon_that_never_answers(place: Place, folder: Path) -> None:
    """It may cost a part of the hook's time, and no more than that."""
    started = time.monotonic()
    with DaemonStub(folder / "s", b"", hold=True) as daemon:
        assert place.decision(place.payload(), *asking(place, daemon.path))[0] == "deny"
    assert time.monotonic() - started < 30


def test_the_hooks_own_limit_holds_while_it_waits(place: Place, folder: Path) -> None:
    code = "import remit.hook, remit.daemon_client\nremit.hook.DEADLINE_S = 0.3\nremit.daemon_client.TIMEOUT_S = 60"
    with DaemonStub(folder / "s", b"", hold=True) as daemon:
        done = place.run(place.payload("npm run x"), *asking(place, daemon.path), command=patched(code))
    assert "in time" in refused(done)


def test_a_payload_that_is_none_is_not_passed_on(place: Place, folder: Path) -> None:
    with DaemonStub(folder / "s", http(ALLOW)) as daemon:
        refused(place.run(b'{"hook_event_name": "PreToolUse"}', *asking(place, daemon.path)))
        refused(place.run(place.payload(cwd="here"), *asking(place, daemon.path)))
        assert place.run(place.payload(hook_event_name="Stop"), *asking(place, daemon.path)).stdout == b""
    assert not daemon.requests


# --- where it is looked for ------------------------------------------------------------------------------------------

LURES = ("HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "REMIT_SOCKET", "TMPDIR", "CLAUDE_PROJECT_DIR")


@pytest.mark.parametrize("name", LURES)
def test_variables_do_not_say_where(place: Place, folder: Path, name: str) -> None:
    """A project's settings may set variables."""
    for place_below in ("remit", ".local/state/remit"):
        (folder / place_below).mkdir(parents=True)
    lured = place._replace(environment={**place.environment, name: str(folder)})
    arguments = ("--policy", str(place.policy), "--home", place.environment["HOME"])
    with (
        DaemonStub(folder / "remit.sock", http(ALLOW)) as beside,
        DaemonStub(folder / "remit/remit.sock", http(ALLOW)) as below,
        DaemonStub(folder / ".local/state/remit/remit.sock", http(ALLOW)) as deep,
    ):
        assert lured.decision(place.payload(), *arguments)[0] == "deny"
        assert [daemon.requests for daemon in (beside, below, deep)] == [[], [], []]


def test_the_working_directory_does_not_say_where(place: Place, folder: Path) -> None:
    lured = place._replace(workspace=folder)
    with DaemonStub(folder / "remit.sock", http(ALLOW)) as daemon:
        assert lured.decision(place.payload(cwd=str(folder)), "--policy", str(place.policy))[0] == "deny"
        said = refused(lured.run(place.payload(), "--policy", str(place.policy), "--socket", "remit.sock"))
        assert "absolute path" in said
    assert not daemon.requests


def test_the_call_does_not_say_where(place: Place, folder: Path) -> None:
    with DaemonStub(folder / "s", http(ALLOW)) as daemon:
        path = str(daemon.path)
        call = place.payload(
            socket=path, transcript_path=path, session_id=path, **{"--socket": path, "Remit-Home": path}
        )
        assert place.decision(call)[0] == "deny"
    assert not daemon.requests


def test_the_accounts_own_daemon_is_found(place: Place, folder: Path) -> None:
    """Below the home folder that the account database says, whatever HOME is."""
    state = folder / ".local/state/remit"
    state.mkdir(parents=True)
    code = f"import remit.hook, remit.sockets as s\nremit.hook._account_home = lambda: {str(folder)!r}\ns.SYSTEM_SOCKET = '/nowhere'"
    with DaemonStub(state / "remit.sock", http(ALLOW)) as daemon:
        done = place.run(place.payload(), "--policy", str(place.policy), command=patched(code))
        assert len(daemon.requests) == 1
    assert done.stdout.decode() == ALLOW


def test_another_place_for_the_users_policies_is_not_the_daemons(place: Place, folder: Path) -> None:
    """What the daemon finds without --policy, it finds in the account's home."""
    with DaemonStub(folder / "s", http(ALLOW)) as daemon:
        refused(
            place.run(place.payload(), "--home", str(folder), "--socket", str(daemon.path))
        )  # E502: no policy there
    assert not daemon.requests


@pytest.mark.parametrize("kind", ["link", "folder", "owner"])
def test_a_socket_that_others_could_have_put_there(place: Place, folder: Path, kind: str) -> None:
    if kind == "owner" and os.geteuid() != 0:
        pytest.skip("only root can give files away")
    with DaemonStub(folder / "s", http(ALLOW)) as daemon:
        path = daemon.path
        if kind == "link":
            path = folder / "link"
            path.symlink_to(daemon.path)
        elif kind == "folder":
            folder.chmod(0o770)
        else:
            os.chown(path, 65534, -1)
        assert place.decision(place.payload(), *asking(place, path))[0] == "deny"
    assert not daemon.requests
