"""The engine as its host uses it: answers in every case, one program per decision, the last good one after a failed reload."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pytest

from remit import Engine, LoadError, Request, Session, Verdict
from remit.request import fingerprint

POLICY = """policy hosts.own "What the host allows"
use std
deny no-force: Bash(git push --force *) because "No."
ask pushing: Bash(git push *)
allow reading: Read(./**), Bash(git status *)
"""


def request(command: str, **more: Any) -> Request:
    return Request(tool="Bash", input={"command": command}, cwd="/w", workspace=["/w"], home="/home/u", **more)


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine.from_source(POLICY)


@pytest.mark.parametrize(
    ("command", "decision", "code"),
    [
        ("git push --force", "deny", "rule"),
        ("git push", "ask", "rule"),
        ("git status", "allow", "rule"),
        ("make", "ask", "no_rule"),
        ("echo 'x", "ask", "unparseable"),
        ("echo " + "x" * 40_000, "ask", "budget"),
    ],
)
def test_decisions(engine: Engine, command: str, decision: str, code: str) -> None:
    verdict = engine.decide(request(command))
    assert (verdict.decision, verdict.reason.code) == (decision, code)


def test_the_json_form(engine: Engine) -> None:
    answer = engine.decide(request("cd a && git push --force")).to_json()
    assert answer["decision"] == "deny"
    assert answer["reason"] == {
        "code": "rule", "rule": "no-force", "policy": "hosts.own", "at": "policy.remit:3", "tier": "user", "message": "No.",
    }  # fmt: skip
    assert [unit["text"] for unit in answer["units"]] == ["cd a", "git push --force"]
    assert set(answer) == {
        "decision", "reason", "units", "shadow", "suggestions", "risk", "mode", "revision", "decision_id",
    }  # fmt: skip
    assert answer["revision"] == engine.program.revision


def test_every_decision_has_a_name_of_its_own(engine: Engine) -> None:
    names = {engine.decide(request("git status")).decision_id for _ in range(100)}
    assert len(names) == 100


@pytest.mark.parametrize(
    "bad",
    [
        pytest.param("not a request", id="no request"),
        pytest.param(Request(tool=7), id="tool"),  # type: ignore[arg-type]
        pytest.param(Request(tool="Bash", input=["x"]), id="input"),  # type: ignore[arg-type]
        pytest.param(Request(tool="Bash", cwd="relative"), id="relative folder"),
        pytest.param(Request(tool="Bash", workspace="/w"), id="workspace is one text"),
        pytest.param(Request(tool="Bash", mode=None), id="mode"),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_judged_is_denied(engine: Engine, bad: Any) -> None:
    verdict = engine.decide(bad)
    assert (verdict.decision, verdict.reason.code) == ("deny", "error")


@pytest.mark.parametrize(
    "given",
    [{}, {"command": 7}, {"command": None}, {"command": ["git", "status"]}, {"cmd": "git status"}],
    ids=["missing", "a number", "null", "a list", "another name"],
)
def test_a_subject_that_is_not_known_permits_nothing(engine: Engine, given: dict[str, Any]) -> None:
    verdict = engine.decide(Request(tool="Bash", input=given, cwd="/w", home="/home/u"))
    assert (verdict.decision, verdict.reason.code) == ("ask", "unparseable")


def test_an_approval_holds_for_the_exact_call_only(engine: Engine) -> None:
    call = request("git push")
    approved = Session(approved=frozenset((fingerprint(call),)))
    assert engine.decide(call._replace(session=approved)).reason.code == "approval"
    assert engine.decide(request("git push origin", session=approved)).decision == "ask"
    denied = request("git push --force")
    assert (
        engine.decide(denied._replace(session=Session(approved=frozenset((fingerprint(denied),))))).decision == "deny"
    )


def test_many_threads_get_the_answers_of_one(engine: Engine) -> None:
    commands = [f"git {word} x{number}" for number in range(50) for word in ("push", "status", "push --force")]
    due = [engine.decide(request(command)).decision for command in commands]
    found: dict[int, list[str]] = {}

    def work(number: int) -> None:
        found[number] = [engine.decide(request(command)).decision for command in commands]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(answers == due for answers in found.values())


def test_a_failed_reload_leaves_the_last_good_program(tmp_path: Path) -> None:
    path = tmp_path / "own.remit"
    path.write_text(POLICY)
    engine = Engine.load(tmp_path)
    before = engine.program.revision
    path.write_text(POLICY + "deny fs.raed(x)\n")
    with pytest.raises(LoadError, match=r"own\.remit:6"):
        engine.reload()
    assert engine.program.revision == before
    assert engine.decide(request("git push --force")).decision == "deny"
    path.write_text(POLICY.replace("--force", "--tags"))
    assert engine.reload()
    assert engine.decide(request("git push --force")).decision == "ask"
    assert not engine.reload()


def test_patterns_hold_behind_links(tmp_path: Path) -> None:
    """A restricting pattern through a symlink holds for the place that the link leads to, and the other way round."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    engine = Engine.from_source(
        f"policy p\nuse std.tools\ndeny kept: fs.read({tmp_path}/link/**)\nallow all: Bash(*)\n"
    )
    plain = Engine.from_source(f"policy p\nuse std.tools\ndeny kept: fs.read({tmp_path}/real/**)\nallow all: Bash(*)\n")
    for place in ("real", "link"):
        for one in (engine, plain):
            assert one.decide(request(f"cat {tmp_path}/{place}/x")).reason.rule == "kept"
    assert engine.decide(request(f"cat {tmp_path}/other")).decision == "allow"
    assert engine.program.revision.startswith("sha256:")


def test_links_are_looked_at_anew_for_each_request(tmp_path: Path) -> None:
    engine = Engine.from_source(f"policy p\nuse std.tools\ndeny kept: fs.read({tmp_path}/secret)\nallow all: Bash(*)\n")
    name = tmp_path / "name"
    name.write_text("")
    assert engine.decide(request(f"cat {name}")).decision == "allow"
    name.unlink()
    name.symlink_to(tmp_path / "secret")
    assert engine.decide(request(f"cat {name}")).decision == "deny"


def test_trees_are_looked_into(tmp_path: Path) -> None:
    policy = "policy p\nuse std.tools\ndeny kept: fs.read(**/.env)\nallow all: Bash(*), Grep\n"
    engine = Engine.from_source(policy)
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)

    def decide(command: str) -> Verdict:
        return engine.decide(Request(tool="Bash", input={"command": command}, cwd=str(tmp_path), home="/home/u"))

    assert decide("grep -r x .").decision == "allow"
    (folder / ".env").write_text("")
    assert decide("grep -r x .").reason.code == "uncertain"
    assert decide("grep x a").decision == "allow"
    assert decide("tar c a").reason.code == "uncertain"
    (folder / ".env").unlink()
    for number in range(2100):
        (folder / str(number)).write_text("")
    assert decide("grep -r x .").reason.code == "uncertain"  # too many to look at


def test_the_own_folders_stand_in_for_missing_ones(engine: Engine) -> None:
    facts = engine.observe(Request(tool="Read", input={"file_path": "x"}))
    assert facts.subject.paths[0] == os.path.join(os.getcwd(), "x")


def test_suggestions_generalise_but_never_to_what_runs_anything() -> None:
    engine = Engine.from_source("policy p\nuse std.tools\n")

    def suggested(command: str) -> list[str]:
        return [item["rule"] for item in engine.decide(request(command)).suggestions]

    assert suggested("npm run build") == ["allow Bash(npm run *)"]
    assert suggested("git log --oneline") == ["allow Bash(git log *)"]
    assert suggested("python3 x.py") == []
    assert suggested("bash -c 'make x'") == ["allow Bash(make *)"]
    assert suggested("sudo make") == ["allow Bash(make *)"]
    assert suggested("./run.sh x") == []
