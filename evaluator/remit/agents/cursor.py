"""Cursor's hooks: the JSON on standard input -> Request, Verdict -> the JSON on standard output. Pure.

Facts: cursor.com/docs/reference/hooks (not tried with the program, which needs a login). Its answers are flat; where `failClosed` is set
it wants one for every call, so that silence is `allow` there only if something written allows; else it asks.
"""

from __future__ import annotations

from remit.agents.fields import Call, is_silent, object_of, text_of, why, written
from remit.payloads import PayloadError, read_object
from remit.request import Request, Session
from remit_dsl.json_text import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from remit.verdict import Verdict

AGENT = "cursor"
SHELL, MCP, READ, TOOL = "beforeShellExecution", "beforeMCPExecution", "beforeReadFile", "preToolUse"
EVENT, PROJECT_VARIABLE = TOOL, ""
OTHER_EVENTS = frozenset((
    "afterFileEdit", "afterMCPExecution", "afterShellExecution", "afterTabFileEdit", "beforeSubmitPrompt",
    "beforeTabFileRead", "postToolUse", "postToolUseFailure", "preCompact", "sessionEnd", "sessionStart", "stop",
    "subagentStart", "subagentStop",
))  # fmt: skip
HINT = " (Cursor shows no question here: a person may allow it with a rule)"


def read_call(payload: bytes, environment: Mapping[str, str]) -> Call:
    """The call that a payload announces. Raises PayloadError when anything in it is not as the client sends it."""
    return call_of(read_object(payload), environment)


def call_of(fields: Mapping[str, Any], _environment: Mapping[str, str]) -> Call:
    """As `read_call`, for JSON that has been read already."""
    event = text_of(fields, "hook_event_name")
    if event in OTHER_EVENTS:
        return Call(event, None)
    if event not in (SHELL, MCP, READ, TOOL):
        raise PayloadError(f"unknown hook event {event[:80]!r}")
    text_of(fields, "conversation_id")  # Cursor sends it with every event
    tool, given = _tool(event, fields)
    roots = _roots(fields)
    request = Request(
        tool=tool,
        input=given,
        cwd=_cwd(fields, roots),
        workspace=roots,
        agent=AGENT,
        session=Session(id=text_of(fields, "conversation_id")),
        user=text_of(fields, "user_email", ""),
    )
    return Call(event, request)


def _tool(event: str, fields: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    if event == SHELL:
        if not isinstance(fields.get("command"), str):
            raise PayloadError("the field command is missing or no text")
        return "Shell", {"command": fields["command"]}
    if event == READ:
        if not isinstance(fields.get("file_path"), str):
            raise PayloadError("the field file_path is missing or no text")
        return "Read", {"file_path": fields["file_path"]}
    name = text_of(fields, "tool_name")
    if event == MCP:  # the payload does not say which server it is
        given = fields.get("tool_input")
        if isinstance(given, str):
            return f"mcp__unknown__{name}", read_object(given.encode("utf-8", "surrogatepass"))
        return f"mcp__unknown__{name}", object_of(fields, "tool_input")
    if name.startswith("MCP:"):
        name = f"mcp__unknown__{name[4:]}"
    return name, object_of(fields, "tool_input")


def _roots(fields: Mapping[str, Any]) -> tuple[str, ...]:
    roots = fields.get("workspace_roots")
    if not isinstance(roots, list) or not roots:
        raise PayloadError("the field workspace_roots is missing or no list")
    if any(not isinstance(root, str) or not root.startswith("/") or "\0" in root for root in roots):
        raise PayloadError("workspace_roots holds what is no absolute path")
    return tuple(roots)


def _cwd(fields: Mapping[str, Any], roots: tuple[str, ...]) -> str:
    cwd = text_of(fields, "cwd", "") or roots[0]
    if not cwd.startswith("/") or "\0" in cwd:
        raise PayloadError("cwd is no absolute path")
    return cwd


def answer(event: str, verdict: Verdict) -> str:
    """The answer to `event` as one JSON object in ASCII, or "" (no opinion)."""
    if is_silent(verdict):
        return ""
    if verdict.decision == "ask" and event != SHELL:
        return _written("deny", why(verdict, HINT))
    return _written(verdict.decision, why(verdict))


def is_answer(event: str, text: str) -> bool:
    """Whether a text, whoever wrote it, is what `answer` gives for some verdict."""
    if not text:
        return True
    try:
        decision, reason = loads(text)["permission"], loads(text)["user_message"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return False
    known = ("allow", "deny", "ask") if event == SHELL else ("allow", "deny")
    return decision in known and isinstance(reason, str) and text == _written(decision, reason)


def _written(decision: str, reason: str) -> str:
    return written({"permission": decision, "user_message": reason, "agent_message": reason})
