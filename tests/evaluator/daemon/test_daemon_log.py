"""What follows a decision: its record, which an allow waits for, and the metrics."""

from __future__ import annotations

import json
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from daemon_process import LIMIT_S, POLICY, SERVE, Daemon, bash, eventually, payload
from log_receiver import Receiving

ALLOWED = "npm run build"


@pytest.fixture(scope="module")
def logging() -> Iterator[Daemon]:
    place = Daemon()
    place._options += ["--log", str(log_of(place))]
    with place as running:
        yield running


def log_of(daemon: Daemon) -> Path:
    return daemon.root / "log" / "decisions.db"


def query(daemon: Daemon, text: str = "") -> tuple[int, dict[str, Any]]:
    with daemon.client(admin=True) as client:
        answer = client.get(f"/v1/admin/log{text}")
    return answer.status_code, answer.json()


def test_an_allow_is_recorded_before_it_is_answered(logging: Daemon) -> None:
    for _ in range(20):
        answer = logging.post("/v1/decide", bash(ALLOWED)).json()
        assert answer["decision"] == "allow"
        status, found = query(logging, f"?decision_id={answer['decision_id']}")
        assert (status, len(found["records"])) == (200, 1)


def test_records_are_asked_for_by_what_they_are(logging: Daemon) -> None:
    for command in (ALLOWED, "git push -f", "git push origin x"):
        logging.decide(command)
    eventually(lambda: len(query(logging, "?decision=ask")[1]["records"]) > 0)
    status, found = query(logging, "?decision=deny&rule=no-force-push&last=1")
    assert (status, len(found["records"])) == (200, 1)
    assert "git push -f" in json.dumps(found)
    assert "read the log: 1 records" in logging.said()


@pytest.mark.parametrize("text", ["?last=0", "?last=1001", "?last=x", "?colour=red", "?since=yesterday"])
def test_other_questions_are_refused(logging: Daemon, text: str) -> None:
    assert query(logging, text)[0] == 400


def test_not_for_everybody(logging: Daemon, daemon: Daemon) -> None:
    assert logging.get("/v1/admin/log").status_code == 403
    assert query(daemon)[0] == 404


def test_a_log_that_cannot_be_written_allows_nothing() -> None:
    place = Daemon()
    (place.root / "log").write_text("a file where the folder should be")
    place._options += ["--log", str(log_of(place))]
    with place as daemon:
        answer = daemon.post("/v1/decide", bash(ALLOWED)).json()
        assert (answer["decision"], answer["reason"]["code"]) == ("ask", "error")
        assert daemon.decide("git push -f") == "deny"
        hook = daemon.post("/v1/hooks/claude-code", payload(ALLOWED)).json()["hookSpecificOutput"]
        assert hook["permissionDecision"] == "ask"
        eventually(lambda: daemon.get("/readyz").status_code == 503)
        assert [item["code"] for item in daemon.get("/readyz").json()["reasons"]] == ["log"]


def test_no_acknowledged_allow_is_missing_after_a_kill() -> None:
    place = Daemon()
    place._options += ["--log", str(log_of(place))]
    with place as daemon:
        told: list[str] = []

        def ask() -> None:
            try:
                with daemon.client() as client:
                    while True:
                        answer = client.post("/v1/decide", json=bash(ALLOWED)).json()
                        assert answer["decision"] == "allow"
                        told.append(answer["decision_id"])
            except Exception:  # noqa: BLE001  (the daemon is dead)
                return

        threads = [threading.Thread(target=ask) for _ in range(3)]
        for thread in threads:
            thread.start()
        eventually(lambda: len(told) > 60)
        daemon.signal(signal.SIGKILL)
        daemon.wait()
        for thread in threads:
            thread.join(LIMIT_S)
        daemon.start()
        records = query(daemon, "?last=1000")[1]["records"]
        assert len(records) < 1000
        assert set(told) <= {record["body"]["decision_id"] for record in records}


def test_metrics(daemon: Daemon) -> None:
    daemon.decide("git push -f")
    daemon.post("/v1/decide", {"tool": "evil\nname", "input": {}})
    daemon.post("/v1/hooks/claude-code", payload())
    answer = daemon.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=")
    text = answer.text
    assert 'remit_rule_matches_total{effect="deny",enforced="true",rule="org.base/no-force-push"}' in text
    assert 'remit_hook_requests_total{agent="claude-code",outcome="deny"}' in text
    assert "remit_policy_info{revision=" in text
    assert "evil" not in text
    assert daemon.get("/metrics", Accept="application/openmetrics-text").text.endswith("# EOF\n")


def test_records_are_sent_to_a_receiver_and_counted() -> None:
    receiving = Receiving()
    try:
        place = Daemon()
        place._options += ["--log", str(log_of(place)), "--ship", receiving.url, "--log-durability", "normal"]
        with place as running:
            for _ in range(5):
                running.decide(ALLOWED)
            eventually(lambda: receiving.taken == [1, 2, 3, 4, 5])
            eventually(lambda: 'remit_audit_shipped_total{result="sent"} 5.0' in running.get("/metrics").text)
            assert "remit_audit_queue_records 0.0" in running.get("/metrics").text
    finally:
        receiving.close()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--ship", "https://log.example/"], "--log"),
        (["--log", "/tmp/x.db", "--ship", "ftp://log.example/"], "http or https"),
        (["--log", "/tmp/x.db", "--log-durability", "some"], "--log-durability"),
    ],
)
def test_what_cannot_be_a_log_is_refused_at_the_start(options: list[str], said: str) -> None:
    done = subprocess.run(
        [*SERVE, "--socket", "/nowhere/s.sock", *options], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert said in done.stderr


def test_what_a_policy_says_is_secret_is_in_no_record() -> None:
    place = Daemon(policy=POLICY + 'data redact from "redact.json"\n')
    place._options += ["--log", str(log_of(place))]
    (place.policies / "redact.json").write_text('{"texts": ["project-nightfall", "nightfall"]}')
    with place as running:
        running.decide("npm run build --project project-nightfall")
        (place.policies / "redact.json").write_text('{"texts": ["daybreak"]}')
        with running.client(admin=True) as client:
            assert client.post("/v1/admin/reload").status_code == 200
        running.decide("npm run build daybreak nightfall")
        eventually(lambda: len(query(running, "?last=10")[1]["records"]) == 2)
        shown = json.dumps(query(running, "?last=10"))
    assert "npm run build [masked] [masked]" in shown
    assert "nightfall" not in shown
    assert "daybreak" not in shown
