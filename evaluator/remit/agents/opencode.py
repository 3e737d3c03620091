"""OpenCode's plugin bridge: the JSON that the bridge (`opencode.js` beside this file) writes -> Request, Verdict -> its JSON. Pure.

Facts: opencode.ai/docs/plugins, and what the program was seen to do (version 1.18): `tool.execute.before` runs before every tool; an
error thrown there blocks the call and is what the model reads; a plugin cannot ask.
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

AGENT = "opencode"
EVENT, PROJECT_VARIABLE = "tool.execute.before", ""
HINT = " (OpenCode's plugins cannot ask: a person may allow it with a rule, or once with `remit session approve`)"
# Tools of OpenCode's own whose names have an underscore; every other such name is SERVER_TOOL of an MCP server.
_OWN = frozenset(("apply_patch", "batch", "plan_enter", "plan_exit", "question"))


def read_call(payload: bytes, environment: Mapping[str, str]) -> Call:
    """The call that a payload announces. Raises PayloadError when anything in it is not as the bridge sends it."""
    return call_of(read_object(payload), environment)


def call_of(fields: Mapping[str, Any], _environment: Mapping[str, str]) -> Call:
    """As `read_call`, for JSON that has been read already."""
    event = text_of(fields, "event")
    if event != EVENT:
        raise PayloadError(f"unknown event {event[:80]!r}")
    request = Request(
        tool=_tool(text_of(fields, "tool")),
        input=object_of(fields, "args"),
        cwd=folder_of(fields, "directory"),
        workspace=(folder_of(fields, "worktree"),),
        agent=AGENT,
        session=Session(id=text_of(fields, "sessionID", "")),
    )
    return Call(event, request)


def _tool(name: str) -> str:
    """The tool's name; that of an MCP server's (`SERVER_TOOL`) as policies name them. A server whose own name has an underscore cannot be
    told from its tool: the first one counts."""
    server, found, tool = name.partition("_")
    return f"mcp__{server}__{tool}" if found and server and tool and name not in _OWN else name


def answer(event: str, verdict: Verdict) -> str:
    """The answer as one JSON object in ASCII, or "": OpenCode's own permissions go on."""
    if is_silent(verdict) or verdict.decision == "allow":
        return ""
    return _written(why(verdict, HINT if verdict.decision == "ask" else ""))


def is_answer(event: str, text: str) -> bool:
    """Whether a text, whoever wrote it, is what `answer` gives for some verdict."""
    if not text:
        return True
    try:
        reason = loads(text)["reason"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return False
    return isinstance(reason, str) and text == _written(reason)


def _written(reason: str) -> str:
    return written({"decision": "deny", "reason": reason})
