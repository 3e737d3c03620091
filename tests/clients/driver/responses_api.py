"""The Responses API, as Codex speaks it: an item of the output is announced, done, and part of the completed response."""

from __future__ import annotations

import json
from typing import Any

from driver.model import Outcome

CALL_ID = "call_scripted"


class ResponsesApi:
    """`Dialect`."""

    def speaks(self, path: str) -> bool:
        return path.endswith("/responses")

    def outcome(self, body: dict[str, Any]) -> Outcome | None:
        found = [item for item in _items(body) if item.get("call_id") == CALL_ID and "output" in item]
        return Outcome(None, _text(found[-1]["output"])) if found else None

    def offers(self, body: dict[str, Any]) -> bool:
        return bool(body.get("tools"))

    def reply(self, path: str, body: dict[str, Any], call: dict[str, Any] | None) -> tuple[str, str]:
        item = _message() if call is None else _call(call)
        usage = {
            "input_tokens": 1, "output_tokens": 1, "total_tokens": 2,
            "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0},
        }  # fmt: skip
        response = {"id": "resp_scripted", "object": "response", "created_at": 0, "model": "scripted", "output": []}
        events: list[dict[str, Any]] = [
            {"type": "response.created", "response": {**response, "status": "in_progress"}},
            {"type": "response.output_item.added", "output_index": 0, "item": item},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {
                "type": "response.completed",
                "response": {**response, "status": "completed", "output": [item], "usage": usage},
            },
        ]
        return "text/event-stream", "".join([f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events])

    def side_reply(self, path: str) -> str:
        return "{}"


def _items(body: dict[str, Any]) -> list[dict[str, Any]]:
    given = body.get("input")
    return [item for item in given if isinstance(item, dict)] if isinstance(given, list) else []


def _call(call: dict[str, Any]) -> dict[str, Any]:
    arguments = json.dumps(call["input"])
    return {"type": "function_call", "id": "fc_1", "call_id": CALL_ID, "name": call["tool"], "arguments": arguments,
            "status": "completed"}  # fmt: skip


def _message() -> dict[str, Any]:
    content = [{"type": "output_text", "text": "done", "annotations": []}]
    return {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}


def _text(output: Any) -> str:
    return output if isinstance(output, str) else json.dumps(output)
