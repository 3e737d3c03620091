"""The writer: an allow waits for its record, and does not happen without one; afterwards all goes on by itself."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from audit_log import decided

from remit.effects.audit.database import Database
from remit.effects.audit.light import append_light
from remit.effects.audit.outcome import MESSAGE
from remit.effects.audit.settings import LogSettings
from remit.effects.audit.verifying import Verified, verify
from remit.effects.audit.writer import DecisionLog

SUPPORT = Path(__file__).parents[3] / "support"
ROOT = Path(__file__).parents[4]
QUICK = LogSettings(busy_s=0.05, wait_s=2.0)


class Watched:
    """A log whose results are counted."""

    def __init__(self, place: Path, settings: LogSettings = QUICK) -> None:
        self.place = str(place)
        self.results: Counter[str] = Counter()
        self.log = DecisionLog(self.place, settings, count=self._count)

    def _count(self, result: str, number: int) -> None:
        self.results[result] += number

    def decide(self, command: str = "make test", **fields: Any) -> str:
        return self.log.settle(decided(command, **fields)).decision

    def recovers(self) -> None:
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            if self.decide() == "allow" and not self.log.problem():
                return
            time.sleep(0.1)
        pytest.fail("the log did not come back")

    def verified(self) -> Verified:
        database = Database(self.place, read_only=True)
        return verify(database.rows(), noted=database.noted_head())


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    found = Watched(tmp_path / "log" / "decisions.db")
    yield found
    found.log.stop()


def test_decisions_are_recorded_in_order(watched: Watched) -> None:
    tickets = [watched.log.append(decided(f"make {number}")) for number in range(500)]
    assert all(ticket.wait(10) for ticket in tickets)
    assert [f'"make {number}"' in row.body for number, row in enumerate(Database(watched.place).rows())] == [True] * 500
    assert watched.results == {"written": 500}
    assert watched.verified().findings == ()


def test_a_coroutine_waits_too(watched: Watched) -> None:
    async def all_of_them() -> list[str]:
        found = await asyncio.gather(*[watched.log.settled(decided(f"make {number}")) for number in range(100)])
        return [verdict.decision for verdict in found]

    assert asyncio.run(all_of_them()) == ["allow"] * 100
    assert watched.verified().records == 100


def lock(place: str) -> sqlite3.Connection:
    connection = sqlite3.connect(place, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    return connection


def test_a_locked_log_makes_an_allow_an_ask_and_comes_back(watched: Watched) -> None:
    assert watched.decide() == "allow"
    holder = lock(watched.place)
    verdict = watched.log.settle(decided())
    assert (verdict.decision, verdict.reason.code, verdict.reason.message) == ("ask", "error", MESSAGE)
    assert watched.decide("git push") == "deny"
    assert "locked" in watched.log.problem()
    assert watched.log.queued() >= 1
    holder.close()
    watched.recovers()
    watched.log.stop()
    decisions = [row.decision for row in Database(watched.place).rows()]
    assert {"allow", "ask", "deny"} == set(decisions)
    assert watched.verified().findings == ()
    assert watched.results["failed"] >= 1


@pytest.mark.parametrize(
    ("settings", "fields", "decision"),
    [
        ({"unwritable": "ask"}, {}, "ask"),
        ({"unwritable": "ask"}, {"interactive": False}, "deny"),
        ({"unwritable": "ask"}, {"agent_kind": "silent"}, "deny"),
        ({"unwritable": "deny"}, {}, "deny"),
        ({"unwritable": "allow"}, {}, "allow"),
    ],
)
def test_what_an_allow_becomes(tmp_path: Path, settings: dict[str, Any], fields: dict[str, Any], decision: str) -> None:
    watched = Watched(tmp_path / "log" / "decisions.db", QUICK._replace(**settings))
    assert watched.decide() == "allow"
    holder = lock(watched.place)
    assert watched.decide(**fields) == decision
    holder.close()
    watched.log.stop()
    # What was answered is recorded once that is possible, also an allow that had to go without.
    assert [row.decision for row in Database(watched.place).rows()][-1] == decision


def test_what_would_be_left_to_the_agent_is_held_up_too(watched: Watched) -> None:
    silent = watched.log.settle(decided("unheard of"))
    assert (silent.decision, silent.reason.code) == ("ask", "no_rule")
    holder = lock(watched.place)
    held = watched.log.settle(decided("unheard of"))
    assert (held.decision, held.reason.code) == ("ask", "error")
    holder.close()


def test_the_recorder_of_a_daemon_raises(watched: Watched) -> None:
    asyncio.run(watched.log.record(decided()))
    holder = lock(watched.place)
    asyncio.run(watched.log.record(decided("git push")))
    with pytest.raises(OSError):
        asyncio.run(watched.log.record(decided()))
    holder.close()


def test_an_allow_that_waited_too_long_is_not_recorded_as_one(tmp_path: Path) -> None:
    watched = Watched(tmp_path / "log" / "decisions.db", LogSettings(busy_s=5.0, wait_s=0.1))
    assert watched.log.append(decided("make first")).wait(5)
    holder = lock(watched.place)
    first = watched.log.append(decided("git push"))  # the thread waits for the lock with this one
    time.sleep(0.1)
    assert watched.decide("make late") == "ask"
    holder.close()
    assert first.wait(5)
    watched.log.stop()
    assert [row.decision for row in Database(watched.place).rows()] == ["allow", "deny", "ask"]


def test_a_head_that_cannot_be_noted_does_not_hold_up_what_is_recorded(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(path: str, head: object) -> None:
        raise OSError("no room")

    for module in ("database", "light"):
        monkeypatch.setattr(f"remit.effects.audit.{module}.write_head", fails)
    assert watched.decide() == "allow"
    assert append_light(watched.place, decided()).sequence == 2
    monkeypatch.undo()
    assert watched.decide() == "allow"
    assert watched.verified().findings == ()


def test_a_writer_that_ended_is_a_problem(watched: Watched) -> None:
    assert watched.decide() == "allow"
    watched.log.stop()
    assert watched.log.problem() == "the writer has ended"
    started = time.monotonic()
    assert watched.decide() == "ask"
    assert time.monotonic() - started < 1


def test_the_queue_is_bounded(tmp_path: Path) -> None:
    watched = Watched(tmp_path / "log" / "decisions.db", LogSettings(busy_s=0.3, queue=5))
    assert watched.decide() == "allow"
    holder = lock(watched.place)
    tickets = [watched.log.append(decided("git push")) for _ in range(50)]
    holder.close()
    written = sum(ticket.wait(5) for ticket in tickets)
    watched.log.stop()
    assert watched.results["dropped"] >= 39
    assert written + watched.results["dropped"] == 50


def test_a_log_that_is_taken_away_is_made_anew_and_missed(watched: Watched) -> None:
    assert watched.decide() == "allow"
    assert watched.decide() == "allow"
    for name in ("", "-wal", "-shm"):
        os.unlink(watched.place + name)
    assert watched.decide() == "allow"
    assert [item.kind for item in watched.verified().findings] == ["cut_off"]


def test_a_folder_that_is_taken_away_is_made_anew(watched: Watched) -> None:
    assert watched.decide() == "allow"
    shutil.rmtree(Path(watched.place).parent)
    assert watched.decide() == "allow"
    assert watched.verified().records == 1


def test_a_place_that_is_no_folder_and_becomes_one(tmp_path: Path) -> None:
    blocked = tmp_path / "log"
    blocked.write_text("")
    watched = Watched(blocked / "decisions.db")
    assert watched.decide() == "ask"
    blocked.unlink()
    watched.recovers()
    watched.log.stop()
    assert watched.verified().findings == ()


def test_retention_keeps_the_log_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("remit.effects.audit.writer.RETENTION_S", 0.0)
    watched = Watched(tmp_path / "log" / "decisions.db", QUICK._replace(segment=10, keep_records=25))
    for number in range(100):
        assert watched.decide(f"make {number}") == "allow"
    watched.log.stop()
    found = watched.verified()
    assert found.findings == ()
    assert found.first % 10 == 1
    assert 25 <= found.records < 50


def test_retention_by_age_keeps_what_is_young(tmp_path: Path) -> None:
    from remit.effects.audit.record import body_of
    from remit.effects.audit.retention import removable

    database = Database(str(tmp_path / "log" / "decisions.db"))
    # A clock that was set back once: record 6 seems old, and stays for the sake of record 5.
    database.append([body_of(decided(at=86_400.0 * day)) for day in (1, 1, 2, 2, 9, 1, 9, 9)])
    settings = LogSettings(segment=2, keep_days=3.0)
    assert removable(database, settings, 10 * 86_400.0) == 4
    assert removable(database, settings, 1 * 86_400.0) == 0
    assert removable(database, settings, 100 * 86_400.0) == 6
    assert removable(database, LogSettings(), 100 * 86_400.0) == 0


# --- processes -----------------------------------------------------------------------------------------------------


def start(*arguments: str, before: tuple[str, ...] = ()) -> subprocess.Popen[str]:
    path = os.pathsep.join(str(folder) for folder in (ROOT / "dsl", ROOT / "evaluator", SUPPORT))
    return subprocess.Popen(
        [*before, sys.executable, str(SUPPORT / "audit_writers.py"), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": path},
    )


def ended(process: subprocess.Popen[str], timeout_s: float = 120.0) -> tuple[list[str], str]:
    try:
        out, err = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        pytest.fail(f"too slow: {err}")
    return out.splitlines(), err


def verified(place: Path) -> Verified:
    database = Database(str(place), read_only=True)
    return verify(database.rows(), noted=database.noted_head())


def test_eight_processes_write_one_chain(tmp_path: Path) -> None:
    place = tmp_path / "log" / "decisions.db"
    running = [start("light" if number % 2 else "log", str(place), "200") for number in range(8)]
    results = [ended(process) for process in running]
    assert [err for _, err in results if err] == []
    assert [len(lines) for lines, _ in results] == [200] * 8
    found = verified(place)
    assert (found.findings, found.records) == ((), 1600)


@pytest.mark.parametrize("kind", ["log", "light"])
def test_a_killed_process_loses_nothing_that_was_acknowledged(tmp_path: Path, kind: str) -> None:
    place = tmp_path / "log" / "decisions.db"
    process = start(kind, str(place), "100000")
    assert process.stdout is not None
    for _ in range(100):
        process.stdout.readline()
    os.killpg(process.pid, signal.SIGKILL)
    lines, _ = ended(process)
    found = verified(place)
    assert found.findings == ()
    assert 100 + len(lines) <= found.records <= 100 + len(lines) + 1


def test_a_full_disk_stops_every_allow_and_keeps_the_chain(tmp_path: Path) -> None:
    place = tmp_path / "log" / "decisions.db"
    process = start("log", str(place), "400", str(2_000_000))
    lines, _ = ended(process)
    allowed = sum(line.startswith("allow") for line in lines)
    assert len(lines) == 400
    assert 20 < allowed < 400
    found = verified(place)
    assert found.findings == ()
    assert sum(row.decision == "allow" for row in Database(str(place)).rows()) == allowed
    # There is room again.
    results, err = ended(start("log", str(place), "5"))
    assert [line.split()[0] for line in results] == ["allow"] * 5, err
    assert verified(place).findings == ()


@pytest.mark.skipif(os.geteuid() == 0 and not shutil.which("setpriv"), reason="needs a user who is not root: setpriv")
def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    folder = tmp_path / "log"
    folder.mkdir(mode=0o700)
    for parent in tmp_path.parents[:2]:
        parent.chmod(0o755)
    tmp_path.chmod(0o755)
    before: tuple[str, ...] = ()
    if os.geteuid() == 0:
        os.chown(folder, 54321, 54321)
        before = ("setpriv", "--reuid=54321", "--regid=54321", "--clear-groups")
    folder.chmod(0o500)
    lines, err = ended(start("log", str(folder / "decisions.db"), "3", before=before))
    assert [line.split()[0] for line in lines] == ["ask"] * 3, err
    folder.chmod(0o700)
    lines, err = ended(start("log", str(folder / "decisions.db"), "3", before=before))
    assert [line.split()[0] for line in lines] == ["allow"] * 3, err
