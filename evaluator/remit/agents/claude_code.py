"""Claude Code's hooks: the JSON on standard input -> Request, Verdict -> the JSON on standard output. Pure.

Facts: code.claude.com/docs/en/hooks, and what the client was seen to do (version 2.1): it ignores what it does not understand, so
every answer here is one object with exactly the keys that its event needs. Exit code 2 refuses a call before it runs.
"""

from __future__ import annotations

from remit.agents.fields import is_silent
from remit.payloads import PayloadError, read_object
from remit.request import Request, Session
from remit_dsl.json_text import loads, quoted
from remit_dsl.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from remit.verdict import Verdict

AGENT = "claude-code"
PRE_TOOL_USE, PERMISSION_REQUEST = "PreToolUse", "PermissionRequest"
EVENT, PROJECT_VARIABLE = PRE_TOOL_USE, "CLAUDE_PROJECT_DIR"

# Events at which no call waits for a decision.
OTHER_EVENTS = frozenset((
    "ConfigChange", "CwdChanged", "DirectoryAdded", "Elicitation", "ElicitationResult", "FileChanged",
    "InstructionsLoaded", "MessageDisplay", "Notification", "PermissionDenied", "PostCompact",
    "PostModelSwitch", "PostToolBatch", "PostToolUse", "PostToolUseFailure", "PreCompact", "PreModelSwitch",
    "SessionEnd", "SessionStart", "Setup", "Stop", "StopFailure", "SubagentStart", "SubagentStop",
    "TaskCompleted", "TaskCreated", "TeammateIdle", "UserPromptExpansion", "UserPromptSubmit", "WorktreeCreate",
    "WorktreeRemove",
))  # fmt: skip

MAX_NAME = 512


class Call(NamedTuple):
    """An event of the hook. request: None where nothing waits for a decision."""

    event: str
    request: Request | None


def read_call(payload: bytes, environment: Mapping[str, str]) -> Call:
    """The call that a payload announces. Raises PayloadError when anything in it is not as the client sends it."""
    return call_of(read_object(payload), environment)


def call_of(fields: Mapping[str, Any], environment: Mapping[str, str]) -> Call:
    """As `read_call`, for JSON that has been read already."""
    event = _text(fields, "hook_event_name")
    if event in OTHER_EVENTS:
        return Call(event, None)
    if event not in (PRE_TOOL_USE, PERMISSION_REQUEST):
        raise PayloadError(f"unknown hook event {event[:80]!r}")
    cwd = _folder(_text(fields, "cwd"), "cwd")
    project = environment.get("CLAUDE_PROJECT_DIR", "")
    request = Request(
        tool=_text(fields, "tool_name"),
        input=_input(fields),
        cwd=cwd,
        workspace=(_folder(project, "CLAUDE_PROJECT_DIR") if project.startswith("/") else cwd,),
        mode=_text(fields, "permission_mode", "default"),
        agent=AGENT,
        agent_kind="subagent" if _text(fields, "agent_id", "") else "main",
        session=Session(id=_text(fields, "session_id", "")),
    )
    return Call(event, request)


def answer(event: str, verdict: Verdict) -> str:
    """The answer to `event` as one JSON object in ASCII, or "": no opinion, so that the client's own permission flow goes on."""
    decision = verdict.decision
    if is_silent(verdict) or (event == PERMISSION_REQUEST and decision == "ask"):
        return ""
    from remit.phrasing import sentence

    return _written(event, decision, f"remit: {sentence(verdict)}")


def is_answer(event: str, text: str) -> bool:
    """Whether a text, whoever wrote it, is what `answer` gives for some verdict."""
    if not text:
        return True
    try:
        output = loads(text)["hookSpecificOutput"]
        if event == PERMISSION_REQUEST:
            decision, why = output["decision"]["behavior"], output["decision"].get("message", "")
        else:
            decision, why = output["permissionDecision"], output["permissionDecisionReason"]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return False
    known = ("allow", "deny") if event == PERMISSION_REQUEST else ("allow", "deny", "ask")
    return decision in known and isinstance(why, str) and text == _written(event, decision, why)


def _written(event: str, decision: str, why: str) -> str:
    if event == PERMISSION_REQUEST:
        said = {"behavior": decision} if decision == "allow" else {"behavior": decision, "message": why}
        return f'{{"hookSpecificOutput": {{"hookEventName": {quoted(event)}, "decision": {_object(said)}}}}}'
    output = {"hookEventName": event, "permissionDecision": decision, "permissionDecisionReason": why}
    return f'{{"hookSpecificOutput": {_object(output)}}}'


def _object(texts: Mapping[str, str]) -> str:
    """A JSON object of texts, as json.dumps writes it."""
    return "{" + ", ".join([f"{quoted(name)}: {quoted(text)}" for name, text in texts.items()]) + "}"


def _text(fields: Mapping[str, Any], name: str, missing: str | None = None) -> str:
    """A text field; `missing` when it is not there, if it may be."""
    value = fields.get(name, missing)
    if not isinstance(value, str) or (missing is None and not value):
        raise PayloadError(f"the field {name} is missing or no text")
    if name != "cwd" and len(value) > MAX_NAME:
        raise PayloadError(f"the field {name} is longer than {MAX_NAME} characters")
    return value


def _folder(path: str, name: str) -> str:
    if not path.startswith("/") or "\0" in path:
        raise PayloadError(f"{name} is no absolute path")
    return path


def _input(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    value = fields.get("tool_input")
    if not isinstance(value, dict):
        raise PayloadError("the field tool_input is missing or no object")
    return value
