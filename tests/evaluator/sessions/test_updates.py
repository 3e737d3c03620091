"""Updates and outcomes: pure functions from one state to the next."""

from __future__ import annotations

import pytest

from remit import Engine, Request
from remit.paths import NoFiles
from remit.sessions.outcome import after, call_of
from remit.sessions.state import MAX_PLACES, MAX_RULES, MAX_SKEW_S, Approval, State, without_expired
from remit.sessions.updates import Update, UpdateError, applied, approved
from remit.verdict import Reason, Verdict

ALLOW, DENY = "allow Bash(npm run *)", "deny Bash(rm *)"
STATE = State("s", rules=(ALLOW, DENY), directories=("/a",))


@pytest.mark.parametrize(
    ("update", "rules"),
    [
        (Update("addRules", ("ask Bash(ls)", ALLOW)), (ALLOW, DENY, "ask Bash(ls)")),
        (Update("removeRules", (ALLOW,)), (DENY,)),
        (Update("replaceRules", ("allow Bash(ls)",), effect="allow"), (DENY, "allow Bash(ls)")),
        (Update("replaceRules", (), effect="deny"), (ALLOW,)),
    ],
)
def test_rules(update: Update, rules: tuple[str, ...]) -> None:
    assert applied(STATE, update).rules == rules


def test_mode_and_directories() -> None:
    assert applied(STATE, Update("setMode", mode="plan")).mode == "plan"
    assert applied(STATE, Update("addDirectories", directories=("/b", "/a"))).directories == ("/a", "/b")
    assert applied(STATE, Update("removeDirectories", directories=("/a",))).directories == ()


@pytest.mark.parametrize(
    "update",
    [
        Update("addRule", (ALLOW,)),
        Update("addRules", ("nonsense",)),
        Update("addRules", ("allow Bash(a)\nallow Bash(b)",)),
        Update("addRules", ("default allow",)),
        Update("addRules", ("",)),
        Update("addRules", ("allow Bash(" + "x" * 5000 + ")",)),
        Update("addRules", tuple([f"allow Bash(x{at})" for at in range(MAX_RULES)])),
        Update("removeRules", ("allow Bash(other)",)),
        Update("replaceRules", (DENY,), effect="allow"),
        Update("addDirectories", directories=("relative",)),
    ],
)
def test_what_cannot_be_carried_out_changes_nothing(update: Update) -> None:
    with pytest.raises(UpdateError):
        applied(STATE, update)


def verdict(decision: str, code: str = "rule") -> Verdict:
    return Verdict(decision, Reason(code), (), (), "default", "", "")


def test_denials_are_counted_in_a_row_and_in_all() -> None:
    state, request = State("s"), Request("Bash", {"command": "x"})
    for decision, code in (("deny", "rule"), ("deny", "classifier"), ("ask", "no_rule"), ("deny", "error"), ("allow", "rule"),
                           ("deny", "uncertain")):  # fmt: skip
        state = after(state, request, verdict(decision, code), 5.0)
    assert (state.calls, state.denials, state.consecutive_denials, state.created, state.seen) == (6, 3, 1, 5.0, 5.0)


def test_repeats_count_the_same_call_in_a_row() -> None:
    state = State("s")
    seen = []
    for command in ("a", "a", "a", "b", "a"):
        state = after(state, Request("Bash", {"command": command}), verdict("allow"), 1.0)
        seen.append(state.repeats)
    assert seen == [0, 1, 2, 0, 0]


def test_a_call_without_fingerprint_equals_no_other() -> None:
    state = State("s")
    for _ in range(3):
        state = after(state, Request("x", {"y": {1, 2}}), verdict("allow"), 1.0)
    assert state.repeats == 0


def test_an_approval_is_used_once() -> None:
    request = Request("Bash", {"command": "x"})
    other = Approval("other", "u", 9.0)
    state = approved(approved(State("s"), other), Approval(call_of(request), "u", 9.0))
    assert after(state, request, verdict("allow", "approval"), 1.0).approvals == (other,)
    assert after(state, request, verdict("allow", "rule"), 1.0).approvals == state.approvals
    assert without_expired(state, 9.0).approvals == ()


def test_a_clock_that_is_set_back_ends_approvals() -> None:
    state = State("s", approvals=(Approval("x", "u", 1600.0),), seen=1000.0)
    assert without_expired(state, 1000.0 - MAX_SKEW_S).approvals
    assert without_expired(state, 999.0 - MAX_SKEW_S).approvals == ()


def test_what_was_touched_is_remembered_once_and_within_bounds() -> None:
    engine = Engine.from_source("policy x for org\nuse std\ndefault allow\n", files=NoFiles())
    state = State("s")
    for at in [*range(MAX_PLACES + 10), 5]:
        request = Request("Read", {"file_path": f"f{at}"}, cwd="/w", home="/h")
        state = after(state, request, engine.decide(request), 1.0)
    assert len(state.read) == MAX_PLACES
    assert state.read[-1] == "/w/f5"
    assert "/w/f6" not in state.read
    assert state.wrote == state.fetched == ()


def test_a_command_is_the_same_call_however_the_model_describes_it() -> None:
    plain = Request("Bash", {"command": "x"})
    assert call_of(plain) == call_of(Request("Bash", {"command": "x", "description": "says it anew"}))
    assert call_of(plain) != call_of(Request("Bash", {"command": "x", "timeout": 1}))
    assert call_of(Request("note", {"description": "a"})) != call_of(Request("note", {"description": "b"}))
