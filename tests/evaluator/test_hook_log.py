"""The decision log of a hook: a call that may run is on record before it does, or does not run unasked."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path

import pytest
from daemon_stub import DaemonStub, http
from hook_place import LAUNCHED, Place, make_place, refused

from remit.hook_log import unrecorded
from remit.verdict import Reason, Verdict


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return make_place(tmp_path_factory.mktemp("log"))


@pytest.fixture
def log(tmp_path: Path) -> Path:
    tmp_path.chmod(0o700)
    return tmp_path / "log" / "decisions.db"


def logging(place: Place, log: Path, *more: str) -> tuple[str, ...]:
    return ("--policy", str(place.policy), "--log", str(log), *more)


def records(log: Path) -> int:
    with sqlite3.connect(f"file:{log}?mode=ro", uri=True) as connection:
        return int(connection.execute("SELECT count(*) FROM remit_records").fetchone()[0])


@pytest.mark.parametrize("command", [None, LAUNCHED])
def test_every_decision_is_recorded(place: Place, log: Path, command: list[str] | None) -> None:
    for at, called in enumerate(["git push -f", "git push", "npm run x", "some-tool"]):
        with_log = place.run(place.payload(called), *logging(place, log), command=command)
        without = place.run(place.payload(called))
        assert (with_log.returncode, with_log.stdout, with_log.stderr) == (0, without.stdout, b"")
        assert records(log) == at + 1


def test_an_event_without_a_call_is_not_recorded(place: Place, log: Path) -> None:
    assert place.run(place.payload(hook_event_name="Stop"), *logging(place, log)).returncode == 0
    assert not log.exists()


def test_a_daemon_is_not_asked(place: Place, log: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """It keeps a log of its own, and this process would not know whether the call is in there."""
    with DaemonStub(tmp_path_factory.mktemp("s") / "s", http("")) as daemon:
        place.run(place.payload(), *logging(place, log, "--socket", str(daemon.path)))
    assert (len(daemon.requests), records(log)) == (0, 1)


UNWRITABLE = pytest.mark.parametrize("kind", ["folder", "link", "writable by others", "no database"])


def broken(log: Path, kind: str) -> Path:
    """A log that cannot be used."""
    log.parent.mkdir(mode=0o700)
    if kind == "folder":
        log.mkdir()
    elif kind == "link":
        (log.parent / "other.db").touch(0o600)
        log.symlink_to("other.db")
    elif kind == "writable by others":
        log.touch()
        log.chmod(0o666)
    else:
        log.touch(0o600)
        log.write_bytes(b"no database at all" * 100)
    return log


@UNWRITABLE
@pytest.mark.parametrize("called", ["npm run x", "some-tool"])
@pytest.mark.parametrize(
    ("arguments", "decision"), [((), "ask"), (("--on-log-failure=ask",), "ask"), (("--on-log-failure=deny",), "deny")]
)
def test_without_a_record_a_call_does_not_run_unasked(
    place: Place, log: Path, kind: str, called: str, arguments: tuple[str, ...], decision: str
) -> None:
    said = place.decision(place.payload(called), *logging(place, broken(log, kind), *arguments))
    assert said[0] == decision
    assert said[1].startswith("remit: the decision could not be recorded (")


@UNWRITABLE
def test_unless_it_is_said_that_it_may(place: Place, log: Path, kind: str) -> None:
    given = logging(place, broken(log, kind), "--on-log-failure=allow")
    assert place.decision(place.payload("npm run x"), *given)[0] == "allow"
    assert place.run(place.payload("some-tool"), *given).stdout == b""


@UNWRITABLE
def test_what_holds_a_call_up_stays(place: Place, log: Path, kind: str) -> None:
    given = logging(place, broken(log, kind))
    assert place.decision(place.payload(), *given) == place.decision(place.payload())
    assert place.decision(place.payload("git push"), *given) == place.decision(place.payload("git push"))


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
def test_a_device_is_no_log(place: Place) -> None:
    assert place.decision(place.payload("npm run x"), *logging(place, Path("/dev/full")))[0] == "ask"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--log", "decisions.db"), "absolute path"),
        (("--log", "/x.db", "--on-log-failure", "pass"), "--on-log-failure takes ask, deny, allow"),
        (("--log", "/x.db", "--on-log-failure="), "--on-log-failure takes ask, deny, allow"),
    ],
)
def test_options_that_are_not_understood(place: Place, arguments: tuple[str, ...], said: str) -> None:
    assert said in refused(place.run(place.payload("npm run x"), "--policy", str(place.policy), *arguments))


@pytest.mark.parametrize(
    ("decision", "code", "unwritable", "becomes"),
    [
        ("allow", "rule", "ask", "ask"),
        ("allow", "mode", "deny", "deny"),
        ("allow", "rule", "allow", "allow"),
        ("ask", "no_rule", "deny", "deny"),
        ("ask", "rule", "deny", "ask"),
        ("ask", "uncertain", "allow", "ask"),
        ("deny", "rule", "ask", "deny"),
        ("deny", "error", "allow", "deny"),
    ],
)
def test_what_becomes_of_a_verdict(decision: str, code: str, unwritable: str, becomes: str) -> None:
    verdict = Verdict(decision, Reason(code), (), (), "default", "", "1")
    found = unrecorded(verdict, unwritable, "OSError")
    assert found.decision == becomes
    assert (found == verdict) == (decision == becomes and code != "no_rule")


def test_the_record_names_its_source(place: Place, log: Path) -> None:
    place.run(place.payload(), *logging(place, log))
    with sqlite3.connect(f"file:{log}?mode=ro", uri=True) as connection:
        ((text,),) = connection.execute("SELECT body FROM remit_records").fetchall()
    body = json.loads(text)
    assert (body["source"], body["decision"], body["tool"]) == ("hook", "deny", "Bash")


def test_what_a_policy_says_is_secret_is_not_recorded(place: Place, log: Path, tmp_path: Path) -> None:
    (tmp_path / "p.remit").write_text('policy s.x for org\nuse std\ndata redact from "r.json"\n', encoding="utf-8")
    (tmp_path / "r.json").write_text('["nightfall"]', encoding="utf-8")
    done = place.run(place.payload("make nightfall"), "--policy", str(tmp_path / "p.remit"), "--log", str(log))
    assert done.returncode == 0
    assert records(log) == 1
    assert b"nightfall" not in b"".join([path.read_bytes() for path in log.parent.iterdir()])
