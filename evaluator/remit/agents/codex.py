"""OpenAI Codex's hooks: the JSON on standard input -> Request, Verdict -> the JSON on standard output. Pure.

Facts: developers.openai.com/codex/hooks, and what the client was seen to do (version 0.171): an answer with any key that its schema does
not have, an `ask`, or a deny without a reason lets the call through; an `allow` grants nothing. So this module says deny or nothing.
"""

from __future__ import annotations

from remit.agents.fields import Call, folder_of, is_silent, object_of, text_of, why, written
from remit.payloads import PayloadError, read_object
from remit.request import Request, Session
from remit_dsl.json_text import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from remit.verdict import Verdict

AGENT = "codex"
PRE_TOOL_USE, PERMISSION_REQUEST = "PreToolUse", "PermissionRequest"
EVENT, PROJECT_VARIABLE = PRE_TOOL_USE, ""
OTHER_EVENTS = frozenset((
    "Interrupt", "PostCompact", "PostToolUse", "PreCompact", "SessionEnd", "SessionStart", "Stop", "SubagentStart",
    "SubagentStop", "UserPromptSubmit",
))  # fmt: skip
HINT = " (Codex's hooks cannot ask: a person may allow it with a rule, or once with `remit session approve`)"


def read_call(payload: bytes, environment: Mapping[str, str]) -> Call:
    """The call that a payload announces. Raises PayloadError when anything in it is not as the client sends it."""
    return call_of(read_object(payload), environment)


def call_of(fields: Mapping[str, Any], _environment: Mapping[str, str]) -> Call:
    """As `read_call`, for JSON that has been read already."""
    event = text_of(fields, "hook_event_name")
    if event in OTHER_EVENTS:
        return Call(event, None)
    if event not in (PRE_TOOL_USE, PERMISSION_REQUEST):
        raise PayloadError(f"unknown hook event {event[:80]!r}")
    text_of(fields, "turn_id")  # Codex sends it with every call, and others do not
    cwd = folder_of(fields, "cwd")
    request = Request(
        tool=text_of(fields, "tool_name"),
        input=object_of(fields, "tool_input"),
        cwd=cwd,
        workspace=(cwd,),
        mode=text_of(fields, "permission_mode", "default"),
        agent=AGENT,
        agent_kind="subagent" if text_of(fields, "agent_id", "") else "main",
        session=Session(id=text_of(fields, "session_id", "")),
    )
    return Call(event, request)


def answer(event: str, verdict: Verdict) -> str:
    """The answer to `event` as one JSON object in ASCII, or "": the client's own approval flow goes on."""
    decision = verdict.decision
    if is_silent(verdict):
        return ""
    if event == PERMISSION_REQUEST:
        return "" if decision == "ask" else _written(event, decision, why(verdict))
    return "" if decision == "allow" else _written(event, "deny", why(verdict, HINT if decision == "ask" else ""))


def is_answer(event: str, text: str) -> bool:
    """Whether a text, whoever wrote it, is what `answer` gives for some verdict."""
    if not text:
        return True
    try:
        output = loads(text)["hookSpecificOutput"]
        if event == PERMISSION_REQUEST:
            decision, reason = output["decision"]["behavior"], output["decision"].get("message", "")
        else:
            decision, reason = output["permissionDecision"], output["permissionDecisionReason"]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return False
    known = ("allow", "deny") if event == PERMISSION_REQUEST else ("deny",)
    return decision in known and isinstance(reason, str) and text == _written(event, decision, reason)


def _written(event: str, decision: str, reason: str) -> str:
    name = written({"hookEventName": event})[1:-1]
    if event == PERMISSION_REQUEST:
        said = {"behavior": decision} if decision == "allow" else {"behavior": decision, "message": reason}
        return f'{{"hookSpecificOutput": {{{name}, "decision": {written(said)}}}}}'
    output = {"hookEventName": event, "permissionDecision": decision, "permissionDecisionReason": reason}
    return f'{{"hookSpecificOutput": {written(output)}}}'
