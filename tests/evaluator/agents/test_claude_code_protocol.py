from __future__ import annotations

import json
from typing import Any

import pytest

from remit.agents.claude_code import OTHER_EVENTS, answer, call_of, read_call
from remit.payloads import PayloadError
from remit.request import Session
from remit.verdict import REASON_CODES, Reason, Verdict

FIELDS: dict[str, Any] = {
    "session_id": "748e",
    "cwd": "/w/sub",
    "permission_mode": "acceptEdits",
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "ls"},
}


def verdict(decision: str, code: str, message: str = "why") -> Verdict:
    return Verdict(decision, Reason(code, message=message), (), (), "default", "sha256:0", "1")


def test_request_of_a_payload() -> None:
    request = call_of(FIELDS, {"CLAUDE_PROJECT_DIR": "/w"}).request
    assert request is not None
    assert (request.tool, request.input, request.cwd, request.workspace) == (
        "Bash",
        {"command": "ls"},
        "/w/sub",
        ("/w",),
    )
    assert (request.mode, request.agent, request.agent_kind) == ("acceptEdits", "claude-code", "main")
    assert request.session == Session(id="748e")


@pytest.mark.parametrize("project", ["", "w", "./w", "~/w"])
def test_a_project_folder_that_is_not_absolute_is_none(project: str) -> None:
    request = call_of(FIELDS, {"CLAUDE_PROJECT_DIR": project}).request
    assert request is not None
    assert request.workspace == ("/w/sub",)


def test_a_subagent() -> None:
    request = call_of({**FIELDS, "agent_id": "a1", "agent_type": "explorer"}, {}).request
    assert request is not None
    assert request.agent_kind == "subagent"


def test_mode_and_session_may_be_absent() -> None:
    fields = {key: value for key, value in FIELDS.items() if key not in ("permission_mode", "session_id")}
    request = call_of(fields, {}).request
    assert request is not None
    assert (request.mode, request.session) == ("default", Session())


def test_a_byte_order_mark_is_let_through() -> None:
    assert read_call(b"\xef\xbb\xbf" + json.dumps(FIELDS).encode(), {}).event == "PreToolUse"


@pytest.mark.parametrize("event", sorted(OTHER_EVENTS))
def test_events_without_a_decision_need_no_other_field(event: str) -> None:
    assert call_of({"hook_event_name": event}, {}) == (event, None)


def test_an_unknown_event_is_an_error() -> None:
    with pytest.raises(PayloadError, match="PreToolUs"):
        call_of({**FIELDS, "hook_event_name": "PreToolUs"}, {})


@pytest.mark.parametrize("code", REASON_CODES)
@pytest.mark.parametrize("decision", ["allow", "ask", "deny"])
def test_answers_to_a_call(decision: str, code: str) -> None:
    """A deny is always said; an allow only where something written speaks; an ask unless nothing does."""
    text = answer("PreToolUse", verdict(decision, code))
    said = decision == "deny" or (decision == "ask" and code != "no_rule")
    said = said or (decision == "allow" and code in ("rule", "mode", "default", "approval", "classifier"))
    if not said:
        assert text == ""
        return
    output = json.loads(text)
    assert list(output) == ["hookSpecificOutput"]
    assert output["hookSpecificOutput"].pop("permissionDecisionReason").startswith("remit: ")
    assert output["hookSpecificOutput"] == {"hookEventName": "PreToolUse", "permissionDecision": decision}


@pytest.mark.parametrize(
    ("decision", "expected"),
    [
        ("allow", {"behavior": "allow"}),
        ("deny", {"behavior": "deny", "message": "remit: why"}),
        ("ask", None),
    ],
)
def test_answers_to_a_permission_request(decision: str, expected: Any) -> None:
    text = answer("PermissionRequest", verdict(decision, "rule"))
    if expected is None:
        assert text == ""
    else:
        assert json.loads(text) == {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": expected}}


def test_an_answer_is_one_line_of_ascii_and_bounded() -> None:
    text = answer("PreToolUse", verdict("deny", "rule", "a\r\n\x1b\ud800\u2028é" * 5000))
    assert text.isascii()
    assert "\n" not in text
    assert len(text) < 8000
