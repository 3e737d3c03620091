"""The hook protocols of Codex, Gemini CLI, Copilot CLI, Cursor and OpenCode: what each sends, what each is told."""

from __future__ import annotations

import json
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.agents import codex, copilot, cursor, gemini, opencode
from remit.agents.fields import Call
from remit.payloads import PayloadError
from remit.verdict import Reason, Verdict

MODULES = {module.AGENT: module for module in (codex, gemini, copilot, cursor, opencode)}
CODEX = {
    "session_id": "s", "turn_id": "t", "transcript_path": None, "cwd": "/w", "hook_event_name": "PreToolUse", "model": "m",
    "permission_mode": "default", "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "u",
}  # fmt: skip
GEMINI = {
    "session_id": "s", "transcript_path": "/t", "cwd": "/w", "hook_event_name": "BeforeTool",
    "timestamp": "2026-12-01T10:00:00Z", "tool_name": "run_shell_command", "tool_input": {"command": "ls"},
}  # fmt: skip
COPILOT = {"sessionId": "s", "timestamp": 1, "cwd": "/w", "toolName": "bash", "toolArgs": {"command": "ls"}}
PASCAL = {
    "hook_event_name": "PreToolUse", "session_id": "s", "timestamp": "2026-12-01T10:00:00Z", "cwd": "/w",
    "tool_name": "Write", "tool_input": {"path": "a", "file_text": "x"},
}  # fmt: skip
ASKED = {
    "hookName": "permissionRequest",
    "sessionId": "s",
    "timestamp": 1,
    "cwd": "/w",
    "toolName": "gh/x",
    "toolInput": {},
}
CURSOR = {
    "conversation_id": "c", "generation_id": "g", "model": "m", "hook_event_name": "beforeShellExecution",
    "cursor_version": "3", "workspace_roots": ["/w", "/v"], "command": "ls", "cwd": "/w/x", "user_email": "u@x.example",
}  # fmt: skip
OPENCODE = {
    "event": "tool.execute.before", "tool": "bash", "args": {"command": "ls"}, "sessionID": "s", "directory": "/w/x",
    "worktree": "/w",
}  # fmt: skip
SAMPLES: dict[str, dict[str, Any]] = {
    "codex": CODEX, "gemini": GEMINI, "copilot": COPILOT, "cursor": CURSOR, "opencode": OPENCODE,
}  # fmt: skip


def read(agent: str, fields: Any) -> Call:
    return MODULES[agent].read_call(json.dumps(fields).encode(), {})  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("agent", "fields", "tool", "given", "cwd"),
    [
        ("codex", CODEX, "Bash", {"command": "ls"}, "/w"),
        ("codex", {**CODEX, "tool_name": "mcp__gh__x", "tool_input": {}}, "mcp__gh__x", {}, "/w"),
        ("gemini", GEMINI, "run_shell_command", {"command": "ls"}, "/w"),
        ("gemini", {**GEMINI, "tool_name": "mcp_gh_do_x", "mcp_context": {"server_name": "gh", "tool_name": "do_x"}},
         "mcp__gh__do_x", {"command": "ls"}, "/w"),
        ("copilot", COPILOT, "bash", {"command": "ls"}, "/w"),
        ("copilot", {**COPILOT, "toolArgs": '{"command": "ls"}'}, "bash", {"command": "ls"}, "/w"),
        ("copilot", {**COPILOT, "toolName": "gh-do_x"}, "mcp__gh__do_x", {"command": "ls"}, "/w"),
        ("copilot", {**COPILOT, "toolName": "web-fetch"}, "web-fetch", {"command": "ls"}, "/w"),
        ("copilot", PASCAL, "Write", {"path": "a", "file_text": "x"}, "/w"),
        ("copilot", ASKED, "mcp__gh__x", {}, "/w"),
        ("cursor", CURSOR, "Shell", {"command": "ls"}, "/w/x"),
        ("cursor", {**CURSOR, "hook_event_name": "beforeReadFile", "file_path": "/w/a"}, "Read", {"file_path": "/w/a"}, "/w/x"),
        ("cursor", {**CURSOR, "hook_event_name": "beforeMCPExecution", "tool_name": "do_x", "tool_input": '{"a": 1}'},
         "mcp__unknown__do_x", {"a": 1}, "/w/x"),
        ("cursor", {**CURSOR, "hook_event_name": "preToolUse", "tool_name": "MCP:do_x", "tool_input": {}, "cwd": ""},
         "mcp__unknown__do_x", {}, "/w"),
        ("opencode", OPENCODE, "bash", {"command": "ls"}, "/w/x"),
        ("opencode", {**OPENCODE, "tool": "gh_do_x"}, "mcp__gh__do_x", {"command": "ls"}, "/w/x"),
        ("opencode", {**OPENCODE, "tool": "apply_patch"}, "apply_patch", {"command": "ls"}, "/w/x"),
    ],
)  # fmt: skip
def test_calls(agent: str, fields: Any, tool: str, given: Any, cwd: str) -> None:
    request = read(agent, fields).request
    assert request is not None
    assert (request.tool, request.input, request.cwd, request.agent) == (tool, given, cwd, agent)
    assert request.workspace[0] == "/w"


@pytest.mark.parametrize("agent", MODULES)
@pytest.mark.parametrize("other", list(MODULES))
def test_the_payload_of_another_agent_is_refused(agent: str, other: str) -> None:
    if agent != other:
        with pytest.raises(PayloadError):
            read(agent, SAMPLES[other])


@pytest.mark.parametrize(
    ("agent", "field"),
    [(agent, field) for agent, sample in SAMPLES.items() for field in sample
     if field not in ("session_id", "transcript_path", "model", "permission_mode", "tool_use_id", "timestamp", "sessionId",
                      "generation_id", "cursor_version", "user_email", "sessionID") or (agent, field) == ("gemini", "timestamp")],
)  # fmt: skip
@pytest.mark.parametrize("value", ["absent", 7, None, [], "relative\0"])
def test_a_field_that_is_not_as_the_client_sends_it(agent: str, field: str, value: Any) -> None:
    fields = {name: item for name, item in SAMPLES[agent].items() if name != field}
    if value != "absent":
        fields[field] = value
    if field in ("cwd", "tool_name", "toolName", "tool", "turn_id", "timestamp", "conversation_id", "command") and (
        value == "relative\0" and field != "cwd"
    ):
        return  # any text is one
    if (agent, field, value) == ("cursor", "cwd", "absent"):
        assert read(agent, fields).request is not None  # the first root then
        return
    with pytest.raises(PayloadError):
        read(agent, fields)


@pytest.mark.parametrize(
    ("agent", "fields"),
    [
        ("codex", {**CODEX, "hook_event_name": "PostToolUse"}),
        ("gemini", {**GEMINI, "hook_event_name": "AfterTool"}),
        ("copilot", {**PASCAL, "hook_event_name": "PostToolUse"}),
        ("cursor", {**CURSOR, "hook_event_name": "stop"}),
    ],
)
def test_where_nothing_waits(agent: str, fields: Any) -> None:
    assert read(agent, fields).request is None


def verdict(decision: str, code: str = "rule") -> Verdict:
    return Verdict(decision, Reason(code, "r", at="p:1", message="no"), (), (), "default", "", "")


WHY = "remit: rule r (p:1): no"


def hook(event: str, decision: str, reason: str) -> dict[str, Any]:
    said = {"hookEventName": event, "permissionDecision": decision, "permissionDecisionReason": reason}
    return {"hookSpecificOutput": said}


def asked(decision: dict[str, str]) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}}


@pytest.mark.parametrize(
    ("agent", "event", "deny", "ask", "allow"),
    [
        ("codex", "PreToolUse", hook("PreToolUse", "deny", WHY), hook("PreToolUse", "deny", WHY + codex.HINT), None),
        ("codex", "PermissionRequest", asked({"behavior": "deny", "message": WHY}), None, asked({"behavior": "allow"})),
        ("gemini", "BeforeTool", {"decision": "deny", "reason": WHY}, {"decision": "ask", "reason": WHY},
         {"decision": "allow", "reason": WHY}),
        ("copilot", "preToolUse", {"permissionDecision": "deny", "permissionDecisionReason": WHY},
         {"permissionDecision": "ask", "permissionDecisionReason": WHY},
         {"permissionDecision": "allow", "permissionDecisionReason": WHY}),
        ("copilot", "permissionRequest", {"behavior": "deny", "message": WHY}, None, {"behavior": "allow", "message": WHY}),
        ("cursor", "beforeShellExecution", {"permission": "deny", "user_message": WHY, "agent_message": WHY},
         {"permission": "ask", "user_message": WHY, "agent_message": WHY},
         {"permission": "allow", "user_message": WHY, "agent_message": WHY}),
        ("cursor", "preToolUse", {"permission": "deny", "user_message": WHY, "agent_message": WHY},
         {"permission": "deny", "user_message": WHY + cursor.HINT, "agent_message": WHY + cursor.HINT},
         {"permission": "allow", "user_message": WHY, "agent_message": WHY}),
        ("opencode", opencode.EVENT, {"decision": "deny", "reason": WHY}, {"decision": "deny", "reason": WHY + opencode.HINT},
         None),
    ],
)  # fmt: skip
def test_answers(agent: str, event: str, deny: Any, ask: Any, allow: Any) -> None:
    module = MODULES[agent]
    for decision, expected in (("deny", deny), ("ask", ask), ("allow", allow)):
        text = module.answer(event, verdict(decision))
        assert (json.loads(text) if text else None) == expected, decision
        assert module.is_answer(event, text)
        assert text.isascii()
    assert module.answer(event, verdict("ask", "no_rule")) == ""
    assert module.answer(event, verdict("allow", "no_rule")) == ""
    assert module.answer(event, verdict("deny", "no_rule")) != ""


@pytest.mark.parametrize("module", MODULES.values(), ids=list(MODULES))
@pytest.mark.parametrize(
    "text", ["{}", "[]", "x", '{"decision": "allow"}', '{"decision": "deny", "reason": "x", "more": 1}', "{" * 9999]
)
def test_what_is_no_answer(module: ModuleType, text: str) -> None:
    for event in ("PreToolUse", "PermissionRequest", "permissionRequest", "beforeShellExecution", "BeforeTool"):
        assert not module.is_answer(event, text)


@given(st.sampled_from(list(MODULES)), st.binary())
def test_any_bytes_are_a_call_or_refused(agent: str, payload: bytes) -> None:
    with pytest.raises(PayloadError):
        MODULES[agent].read_call(payload, {})


@given(st.sampled_from(list(MODULES)), st.text(), st.sampled_from(["deny", "ask"]))
def test_a_refusal_is_never_empty_and_always_json(agent: str, message: str, decision: str) -> None:
    said = Verdict(decision, Reason("rule", "r", message=message), (), (), "default", "", "")
    text = MODULES[agent].answer("PreToolUse", said)
    assert json.loads(text)
