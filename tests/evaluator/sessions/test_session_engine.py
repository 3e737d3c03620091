"""Decisions within a session: its rules, mode, directories and approvals count, its history is kept, and nothing that fails permits."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from remit import Engine, Request
from remit.loader import Loader
from remit.paths import NoFiles
from remit.sessions.deciding import SessionEngine, loading_with
from remit.sessions.outcome import call_of
from remit.sessions.state import Approval, State
from remit.sessions.store import Store
from remit.sessions.updates import Update, UpdateError, applied, approved

POLICY = """\
policy org.p for org
use std
use std.reading
deny no-push: Bash(git push *) because "no"
deny loops: Bash(*) when session.repeats >= 3 because "the same call again"
deny cancelled: Bash(*) when session.cancelled
ask after-secrets: net.connect(*) when "/w/secret" in session.read
lower tiers may deny, ask, allow
"""
REQUEST = Request("Bash", {"command": "npm run build"}, cwd="/w", workspace=["/w"], home="/h", session="s")


class Run:
    """A session engine over a policy file and a store of its own."""

    def __init__(self, folder: Path, policy: str = POLICY) -> None:
        (folder / "p.remit").write_text(policy, encoding="utf-8")
        loader = Loader([str(folder / "p.remit")], cached=False)
        engine = Engine(loader.load(), files=NoFiles())
        self.now = 1000.0
        self.store = Store(folder / "state" / "s.db", clock=lambda: self.now)
        with_rules = loading_with(loader, self.store.path, NoFiles())
        self.engine = SessionEngine(lambda: engine, self.store, with_rules, clock=lambda: self.now)

    def decide(self, command: str = "", **changes: object) -> str:
        request = REQUEST._replace(input={"command": command}) if command else REQUEST
        return self.engine.decide(request._replace(**changes)).decision  # type: ignore[arg-type]

    def change(self, change: Callable[[State], State]) -> None:
        self.store.change("s", change)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run(tmp_path)


def test_a_sessions_rules_hold_for_it_and_nobody_else(run: Run) -> None:
    assert run.decide() == "ask"
    run.change(lambda state: applied(state, Update("addRules", ("allow Bash(npm run *)", "deny Bash(make *)"))))
    assert run.decide() == "allow"
    assert run.decide("make x") == "deny"
    assert run.decide(session="other") == "ask"
    run.change(lambda state: applied(state, Update("removeRules", ("allow Bash(npm run *)",))))
    assert run.decide() == "ask"


def test_no_rule_of_a_session_lifts_a_deny_or_what_its_tier_may_not_say(run: Run, tmp_path: Path) -> None:
    run.change(lambda state: applied(state, Update("addRules", ("allow Bash(git push *)", "allow Bash(npm run *)"))))
    assert run.decide("git push") == "deny"
    (tmp_path / "strict").mkdir()
    strict = Run(tmp_path / "strict", POLICY.replace("lower tiers may deny, ask, allow", "lower tiers may deny, ask"))
    strict.change(lambda state: applied(state, Update("addRules", ("allow Bash(npm run *)",))))
    assert strict.decide() == "ask"


def test_mode_and_directories(run: Run) -> None:
    run.change(lambda state: applied(state, Update("setMode", mode="plan")))
    assert run.decide("touch x") == "deny"
    run.change(lambda state: applied(state, Update("setMode", mode="acceptEdits")))
    assert run.decide("", tool="Write", input={"file_path": "/other/x"}) == "ask"
    run.change(lambda state: applied(state, Update("addDirectories", directories=("/other",))))
    assert run.decide("", tool="Write", input={"file_path": "/other/x"}) == "allow"
    assert run.decide("", tool="Write", input={"file_path": "/w/x"}) == "allow"


def approval(request: Request, expires: float = 2000.0) -> Approval:
    return Approval(call_of(request), "u", expires)


def test_an_approval_lets_exactly_one_call_happen_once(run: Run) -> None:
    run.change(lambda state: approved(state, approval(REQUEST)))
    assert run.decide("npm run other") == "ask"
    assert run.decide(cwd="/elsewhere") == "ask"
    assert run.decide() == "allow"
    assert run.decide() == "ask"


def test_an_approval_ends_and_never_lifts_a_deny(run: Run) -> None:
    run.change(lambda state: approved(state, approval(REQUEST, expires=1001.0)))
    push = REQUEST._replace(input={"command": "git push"})
    run.change(lambda state: approved(state, approval(push)))
    run.now = 1001.0
    assert run.decide() == "ask"
    assert run.decide("git push") == "deny"


def test_setting_the_clock_back_does_not_make_an_approval_last(run: Run) -> None:
    run.change(lambda state: approved(state, approval(REQUEST, expires=1600.0)))
    run.now = 100.0
    assert run.decide("npm run other") == "ask"
    assert run.decide() == "ask"
    run.change(lambda state: approved(state, approval(REQUEST._replace(cwd="/x"), expires=700.0)))
    assert run.decide() == "ask"
    assert run.decide(cwd="/x") == "allow"


def test_of_many_at_once_only_one_has_the_approval(run: Run) -> None:
    run.change(lambda state: approved(state, approval(REQUEST)))
    answers: list[str] = []
    threads = [threading.Thread(target=lambda: answers.append(run.decide())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert answers.count("allow") == 1
    assert len(answers) == 8


def test_history_is_there_for_conditions(run: Run) -> None:
    assert [run.decide("ls") for _ in range(4)] == ["allow", "allow", "allow", "deny"]
    run.change(lambda state: state._replace(cancelled=True))
    assert run.decide("ls") == "deny"


def test_what_was_read_counts_later(tmp_path: Path) -> None:
    policy = POLICY + "allow net.connect(*), exec(*)\n"
    run = Run(tmp_path, policy)
    assert run.decide("curl https://a.example/") == "allow"
    assert run.decide("cat secret") == "allow"
    assert run.decide("curl https://b.example/") == "ask"


def test_a_request_without_session_is_decided_by_itself(run: Run) -> None:
    assert run.decide("ls", session="") == "allow"
    assert run.store.ids() == []


@pytest.mark.parametrize("spoil", ["store", "rules"])
def test_a_session_that_cannot_be_used_is_refused(run: Run, spoil: str) -> None:
    assert run.decide("ls") == "allow"
    if spoil == "store":
        run.store.close()
        Path(run.store.path).write_bytes(b"spoilt")
    else:
        run.change(lambda state: state._replace(rules=("nonsense",)))
    verdict = run.engine.decide(REQUEST._replace(input={"command": "ls"}))
    assert (verdict.decision, verdict.reason.code) == ("deny", "error")


def test_a_read_only_store_permits_nothing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run.decide("ls") == "allow"

    def full(session: str, change: object) -> State:
        from remit.sessions.store import StoreError

        raise StoreError(f"{session}: disk full")

    monkeypatch.setattr(run.store, "change", full)
    assert run.decide("ls") == "deny"


def test_std_limits_end_a_run_that_goes_round_in_circles(tmp_path: Path) -> None:
    run = Run(tmp_path, "policy org.q for org\nuse std\nuse std.limits\nallow Bash(ls *)\n")
    verdicts = [run.engine.decide(REQUEST._replace(input={"command": "ls"})) for _ in range(4)]
    assert [verdict.decision for verdict in verdicts] == ["allow", "allow", "allow", "deny"]
    assert verdicts[-1].reason.rule == "same-call-again"
    assert run.decide("ls x") == "allow"
    run.change(lambda state: state._replace(cancelled=True))
    assert run.decide("ls x") == "deny"


def test_what_is_considered_leaves_nothing_behind(run: Run) -> None:
    """A client that is about to ask a person tells of a call that was judged before: it is no repetition of itself."""
    request = REQUEST._replace(input={"command": "ls"})
    for repeats in range(3):
        assert run.decide("ls") == run.engine.consider(request).decision == "allow"
        assert (run.store.read("s").calls, run.store.read("s").repeats) == (repeats + 1, repeats)
    assert run.decide("ls") == run.engine.consider(request).decision == "deny"
    assert len(run.store.history("s")) == 4


def test_no_approval_counts_for_what_is_considered(run: Run) -> None:
    """It would not be used up."""
    call = call_of(REQUEST)
    run.change(lambda state: approved(state, Approval(call, "ann", 2000.0)))
    assert run.engine.consider(REQUEST).decision == "ask"
    assert run.decide() == "allow"


def test_the_sessions_rules_hold_for_what_is_considered(run: Run) -> None:
    run.change(lambda state: applied(state, Update("addRules", ("deny Bash(ls)",))))
    assert run.engine.consider(REQUEST._replace(input={"command": "ls"})).decision == "deny"


def test_what_a_change_raises_is_not_the_stores(run: Run) -> None:
    with pytest.raises(UpdateError, match="no rule"):
        run.change(lambda state: applied(state, Update("removeRules", ("allow Bash(x)",))))
