"""GitHub Copilot CLI's hooks: the JSON on standard input -> Request, Verdict -> the JSON on standard output. Pure.

Facts: docs.github.com/copilot, "Hooks reference", and what the client was seen to do (version 1.0.102): hooks named in camelCase get
payloads in camelCase without the event's name, those in PascalCase get Claude Code's tool names with Copilot's own parameters; an allow
overrides the user's --deny-tool, so that it is only given where something written says so.
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

AGENT = "copilot"
PRE_TOOL_USE, PERMISSION_REQUEST = "preToolUse", "permissionRequest"
EVENT, PROJECT_VARIABLE = PRE_TOOL_USE, "COPILOT_PROJECT_DIR"
_PASCAL = {"PreToolUse": PRE_TOOL_USE, "PermissionRequest": PERMISSION_REQUEST}
OTHER_EVENTS = frozenset((
    "agentStop", "errorOccurred", "notification", "postToolUse", "postToolUseFailure", "preCompact", "sessionEnd",
    "sessionStart", "subagentStart", "subagentStop", "userPromptSubmitted", "userPromptTransformed",
))  # fmt: skip
# Tools of Copilot's own whose names have a dash; every other such name is SERVER-TOOL of an MCP server.
_OWN = frozenset(("apply-patch", "ask-user", "report-intent", "web-fetch", "web-search"))


def read_call(payload: bytes, environment: Mapping[str, str]) -> Call:
    """The call that a payload announces. Raises PayloadError when anything in it is not as the client sends it."""
    return call_of(read_object(payload), environment)


def call_of(fields: Mapping[str, Any], environment: Mapping[str, str]) -> Call:
    """As `read_call`, for JSON that has been read already."""
    event = _event(fields)
    if event in OTHER_EVENTS:
        return Call(event, None)
    if event not in (PRE_TOOL_USE, PERMISSION_REQUEST):
        raise PayloadError(f"unknown hook event {event[:80]!r}")
    snake = "tool_name" in fields
    cwd = folder_of(fields, "cwd")
    project = environment.get(PROJECT_VARIABLE, "")
    request = Request(
        tool=_tool(text_of(fields, "tool_name" if snake else "toolName")),
        input=_input(fields, snake),
        cwd=cwd,
        workspace=(project if project.startswith("/") else cwd,),
        agent=AGENT,
        session=Session(id=text_of(fields, "session_id" if snake else "sessionId", "")),
    )
    return Call(event, request)


def _event(fields: Mapping[str, Any]) -> str:
    """The event: named by PascalCase payloads and by permissionRequest; a camelCase one that announces a tool is a preToolUse."""
    for name in ("hook_event_name", "hookName"):
        if name in fields:
            event = text_of(fields, name)
            if name == "hook_event_name":
                text_of(fields, "timestamp")  # Copilot sends it as text with these, and others do not
            return _PASCAL.get(event, event[:1].lower() + event[1:])
    text_of(fields, "toolName")
    return PRE_TOOL_USE


def _input(fields: Mapping[str, Any], snake: bool) -> Mapping[str, Any]:
    """The parameters; camelCase payloads may hold them as JSON text."""
    name = "tool_input" if snake else "toolInput" if "toolInput" in fields else "toolArgs"
    value = fields.get(name)
    return read_object(value.encode("utf-8", "surrogatepass")) if isinstance(value, str) else object_of(fields, name)


def _tool(name: str) -> str:
    """The tool's name; that of an MCP server's (`SERVER-TOOL`, `SERVER/TOOL`) as policies name them. A server whose own name has a dash
    cannot be told from its tool: the first dash counts."""
    for sign in ("/", "-"):
        server, found, tool = name.partition(sign)
        if found and server and tool and name.lower() not in _OWN:
            return f"mcp__{server}__{tool}"
    return name


def answer(event: str, verdict: Verdict) -> str:
    """The answer to `event` as one JSON object in ASCII, or "": the client's own approval flow goes on."""
    if is_silent(verdict):
        return ""
    if event == PERMISSION_REQUEST:
        return "" if verdict.decision == "ask" else _written(event, verdict.decision, why(verdict))
    return _written(event, verdict.decision, why(verdict))


def is_answer(event: str, text: str) -> bool:
    """Whether a text, whoever wrote it, is what `answer` gives for some verdict."""
    if not text:
        return True
    names = (
        ("behavior", "message") if event == PERMISSION_REQUEST else ("permissionDecision", "permissionDecisionReason")
    )
    try:
        decision, reason = loads(text)[names[0]], loads(text)[names[1]]
    except (ValueError, TypeError, KeyError, RecursionError):
        return False
    known = ("allow", "deny") if event == PERMISSION_REQUEST else ("allow", "deny", "ask")
    return decision in known and isinstance(reason, str) and text == _written(event, decision, reason)


def _written(event: str, decision: str, reason: str) -> str:
    if event == PERMISSION_REQUEST:
        return written({"behavior": decision, "message": reason})
    return written({"permissionDecision": decision, "permissionDecisionReason": reason})
