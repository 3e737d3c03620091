"""Gemini CLI's hooks: the JSON on standard input -> Request, Verdict -> the JSON on standard output. Pure.

Facts: google-gemini/gemini-cli docs/hooks/reference.md, and what the client was seen to do (version 0.61): JSON wins over the exit code,
its answers are flat, and one in the form of another client lets the call through.
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

AGENT = "gemini"
BEFORE_TOOL = "BeforeTool"
EVENT, PROJECT_VARIABLE = BEFORE_TOOL, "GEMINI_PROJECT_DIR"
OTHER_EVENTS = frozenset((
    "AfterAgent", "AfterModel", "AfterTool", "BeforeAgent", "BeforeModel", "BeforeToolSelection", "Notification",
    "PreCompress", "SessionEnd", "SessionStart",
))  # fmt: skip


def read_call(payload: bytes, environment: Mapping[str, str]) -> Call:
    """The call that a payload announces. Raises PayloadError when anything in it is not as the client sends it."""
    return call_of(read_object(payload), environment)


def call_of(fields: Mapping[str, Any], environment: Mapping[str, str]) -> Call:
    """As `read_call`, for JSON that has been read already."""
    event = text_of(fields, "hook_event_name")
    if event in OTHER_EVENTS:
        return Call(event, None)
    if event != BEFORE_TOOL:
        raise PayloadError(f"unknown hook event {event[:80]!r}")
    text_of(fields, "timestamp")  # Gemini sends it with every call
    cwd = folder_of(fields, "cwd")
    project = environment.get(PROJECT_VARIABLE, "")
    request = Request(
        tool=_tool(fields),
        input=object_of(fields, "tool_input"),
        cwd=cwd,
        workspace=(project if project.startswith("/") else cwd,),
        agent=AGENT,
        session=Session(id=text_of(fields, "session_id", "")),
    )
    return Call(event, request)


def _tool(fields: Mapping[str, Any]) -> str:
    """The tool's name; that of an MCP server's as policies name them, `mcp__SERVER__TOOL`."""
    name = text_of(fields, "tool_name")
    if "mcp_context" not in fields:
        return name
    context = object_of(fields, "mcp_context")
    return f"mcp__{text_of(context, 'server_name')}__{text_of(context, 'tool_name')}"


def answer(event: str, verdict: Verdict) -> str:
    """The answer to `event` as one JSON object in ASCII, or "": the client's own approval flow goes on."""
    return "" if is_silent(verdict) else _written(verdict.decision, why(verdict))


def is_answer(event: str, text: str) -> bool:
    """Whether a text, whoever wrote it, is what `answer` gives for some verdict."""
    if not text:
        return True
    try:
        decision, reason = loads(text)["decision"], loads(text)["reason"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return False
    return decision in ("allow", "ask", "deny") and isinstance(reason, str) and text == _written(decision, reason)


def _written(decision: str, reason: str) -> str:
    return written({"decision": decision, "reason": reason})
