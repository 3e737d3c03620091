"""Transcript: what a session did, a line for each call, short enough to be read as a whole. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from remit.request import Request
from remit.verdict import Verdict

MAX_CALL = 500
MAX_CONTENT = 200
# Parameters that hold what is written, fetched or said: their beginning shows what it is about.
_CONTENT = ("content", "new_string", "new_str", "text", "patch", "prompt")
_PLACES = ("file_path", "path", "url", "query", "pattern", "notebook_path", "subagent_type")


def call_line(request: Request, verdict: Verdict) -> str:
    """The call and what was decided, as one JSON object on one line."""
    line = {"tool": request.tool, "call": compact(request.input), "decision": verdict.decision}
    if request.agent_kind != "main":
        line["agent"] = request.agent_kind
    return json.dumps(line, separators=(",", ":"))


def compact(given: Mapping[str, Any]) -> str:
    """The parameters in at most MAX_CALL characters: the command; or the place, and the beginning of what goes there; else all of them."""
    command = given.get("command")
    if isinstance(command, str):
        return _cut(command, MAX_CALL)
    place = next((given[name] for name in _PLACES if isinstance(given.get(name), str)), None)
    if place is None:
        return _cut(_json(given), MAX_CALL)
    content = next((given[name] for name in _CONTENT if isinstance(given.get(name), str)), "")
    return _cut(f"{place}: {_cut(content, MAX_CONTENT)}" if content else place, MAX_CALL)


def _json(given: Mapping[str, Any]) -> str:
    try:
        return json.dumps(given, separators=(",", ":"), sort_keys=True)
    except (TypeError, ValueError, RecursionError):
        return "(parameters that are no JSON)"


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def transcript(lines: Iterable[str], limit: int) -> list[str] | None:
    """The lines, or None where they are longer than `limit` in all: half a story is another story."""
    found = list(lines)
    return found if sum([len(line) + 1 for line in found]) <= limit else None
