"""`remit audit`: records are found, printed, exported and verified."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from audit_log import decided
from remit_calls import Remit

from remit.effects.audit.database import Database
from remit.effects.audit.light import append_light
from remit.effects.audit.record import body_of


@pytest.fixture
def place(tmp_path: Path) -> str:
    """Six decisions, one each minute."""
    path = str(tmp_path / "log" / "decisions.db")
    database = Database(path)
    calls = ["make one", "git push", "make two", "curl x | sh", "git push -f", "make \x1b[31mred"]
    database.append([body_of(decided(call, at=1_800_000_000.0 + 60 * index)) for index, call in enumerate(calls)])
    database.append([body_of(decided(tool="mcp__notes__add", input={"text": "hi"}, agent="other", session="s2"))])
    database.close()
    return path


def numbers(out: str) -> list[int]:
    return [row["sequence"] for row in json.loads(out)]


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ([], [1, 2, 3, 4, 5, 6, 7]),
        (["--decision", "deny"], [2, 5]),
        (["--rule", "building"], [1, 3]),
        (["--code", "rule", "--tool", "mcp__notes__add"], [7]),
        (["--agent", "other"], [7]),
        (["--session", "s2"], [7]),
        (["--limit", "2"], [6, 7]),
        (["--since", "2027-01-15T08:02:00+00:00"], [3, 4, 5, 6]),
        (["--until", "2027-01-15T08:01:00+00:00"], [1, 7]),
        (["--rule", "nothing' OR 1=1 --"], []),
    ],
)
def test_query_finds_what_is_asked_for(remit: Remit, place: str, options: list[str], found: list[int]) -> None:
    assert numbers(remit("audit", "query", "--log", place, "--json", *options).out) == found


def test_query_by_decision_id(remit: Remit, place: str) -> None:
    (row,) = [row for row in Database(place).rows() if row.sequence == 3]
    assert numbers(remit("audit", "query", "--log", place, "--json", "--decision-id", row.decision_id).out) == [3]


def test_lines_are_safe_to_print(remit: Remit, place: str) -> None:
    done = remit("audit", "tail", "--log", place, "-n", "3")
    assert done.code == 0
    assert "\x1b" not in done.out
    lines = done.out.splitlines()
    assert len(lines) == 3
    assert lines[0].endswith("deny   Bash  git push -f  (rule no-push)")
    assert "\\u{1B}" in lines[1]


def test_tail_as_json_is_one_record_a_line(remit: Remit, place: str) -> None:
    rows = [json.loads(line) for line in remit("audit", "tail", "--log", place, "-n", "2", "--json").out.splitlines()]
    assert [row["sequence"] for row in rows] == [6, 7]
    assert rows[1]["body"]["input"] == {"text": "hi"}


def test_tail_follows_what_is_written(place: str) -> None:
    arguments = ["audit", "tail", "-f", "-n", "1", "--json", "--log", place]
    following = subprocess.Popen(
        [sys.executable, "-m", "remit", *arguments], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    watchdog = threading.Timer(60, following.kill)
    watchdog.start()
    try:
        assert following.stdout is not None
        assert json.loads(following.stdout.readline())["sequence"] == 7
        append_light(place, decided("make more"))
        assert json.loads(following.stdout.readline())["body"]["input"] == {"command": "make more"}
    finally:
        watchdog.cancel()
        following.kill()
        following.communicate()


def test_what_is_exported_can_be_verified(remit: Remit, place: str, tmp_path: Path) -> None:
    exported = tmp_path / "out.jsonl"
    exported.write_text(remit("audit", "export", "--log", place).out)
    done = remit("audit", "verify", str(exported), "--json")
    assert (done.code, done.json["records"], done.json["findings"]) == (0, 7, [])
    lines = exported.read_text().splitlines()
    exported.write_text("\n".join([*lines[:2], lines[2].replace("make two", "make big"), *lines[3:]]))
    done = remit("audit", "verify", str(exported), "--json")
    assert (done.code, [item["sequence"] for item in done.json["findings"]]) == (1, [3])
    exported.write_text("[]\n")
    done = remit("audit", "verify", str(exported))
    assert (done.code, done.err) == (2, f"error: {exported}:1: no exported record (TypeError)\n")


def test_events_of_opa(remit: Remit, place: str) -> None:
    events = [json.loads(line) for line in remit("audit", "export", "--log", place, "--format", "opa").out.splitlines()]
    assert len(events) == 7
    assert events[1]["result"]["decision"] == "deny"
    assert events[1]["path"] == "remit/decision"
    assert events[1]["timestamp"] == "2027-01-15T08:01:00.000000Z"
    assert events[1]["input"]["input"] == {"command": "git push"}
    assert events[1]["metrics"] == {"timer_server_handler_ns": 1_000_000}
    assert events[1]["bundles"]["remit"]["revision"].startswith("sha256:")


def test_verify_names_the_record(remit: Remit, place: str) -> None:
    assert remit("audit", "verify", "--log", place).code == 0
    head = remit("audit", "verify", "--log", place, "--json").json["head"]
    assert remit("audit", "verify", "--log", place, "--expect-head", head["hash"]).code == 0
    assert remit("audit", "verify", "--log", place, "--expect-head", f"7:{head['hash']}").code == 0
    assert remit("audit", "verify", "--log", place, "--expect-head", f"6:{head['hash']}").code == 1
    with sqlite3.connect(place) as connection:
        connection.execute("UPDATE remit_records SET body = replace(body, '\"deny\"', '\"allow\"') WHERE sequence = 2")
    connection.close()
    done = remit("audit", "verify", "--log", place)
    assert done.code == 1
    assert done.out.startswith("changed  record 2: ")
    assert "not whole" in done.err


def test_a_broken_head_file_is_a_finding(remit: Remit, place: str) -> None:
    Path(place + ".head").write_text("nonsense")
    done = remit("audit", "verify", "--log", place, "--json")
    assert (done.code, [item["kind"] for item in done.json["findings"]]) == (1, ["head_file"])


@pytest.mark.parametrize("value", ["body = '{'", "body = '[]'", "at = 'x'", "body = x'00ff'"])
def test_a_record_that_cannot_be_read_is_named(remit: Remit, place: str, value: str) -> None:
    with sqlite3.connect(place) as connection:
        connection.execute(f"UPDATE remit_records SET {value} WHERE sequence = 7")
    connection.close()
    for arguments in (["tail"], ["query", "--json"], ["export"], ["export", "--format", "opa"]):
        done = remit("audit", *arguments, "--log", place)
        assert (done.code, done.err.splitlines()[-1]) == (
            2,
            "error: record 7 cannot be read; `remit audit verify` says more",
        )
    assert remit("audit", "verify", "--log", place).code == 1


def test_stats_count(remit: Remit, place: str) -> None:
    counts = remit("audit", "stats", "--log", place, "--json").json
    assert counts["decision rule"][0] == {"decision": "allow", "rule": "building", "count": 2}
    assert {"tool": "Bash", "decision": "deny", "count": 2} in counts["tool decision"]
    assert "2  allow  building" in remit("audit", "stats", "--log", place).out


def test_retention_is_shown(remit: Remit, place: str) -> None:
    database = Database(place)
    database.remove(3, 1_800_000_000.0)
    database.close()
    assert "retention: removed the records up to 3" in remit("audit", "tail", "--log", place).out
    assert remit("audit", "verify", "--log", place).code == 0
    assert remit("audit", "export", "--log", place, "--format", "opa").out.count("\n") == 4


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["verify", "--log", "/nowhere/x.db"], "there is no decision log at /nowhere/x.db"),
        (["query", "--since", "yesterday"], "`yesterday` is no ISO time"),
        (["verify", "--expect-head", "abc"], "a head is a hash"),
        (["query", "--decision", "maybe"], "'maybe' is not one of"),
    ],
)
def test_what_cannot_be_done(remit: Remit, arguments: list[str], said: str) -> None:
    done = remit("audit", *arguments)
    assert done.code == 2
    assert said in done.err
