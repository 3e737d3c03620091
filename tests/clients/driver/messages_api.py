"""The Messages API, as Claude Code, Copilot CLI and OpenCode speak it.

Shape of the stream: the event types that the API documents for streaming (message_start, content_block_start, content_block_delta,
content_block_stop, message_delta, message_stop).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from driver.model import Outcome

USE_ID = "toolu_scripted"


class MessagesApi:
    """`Dialect`."""

    def speaks(self, path: str) -> bool:
        return path.endswith("/messages")

    def outcome(self, body: dict[str, Any]) -> Outcome | None:
        found = [part for part in _parts(body) if part.get("tool_use_id") == USE_ID]
        return Outcome(bool(found[-1].get("is_error")), _text(found[-1].get("content"))) if found else None

    def offers(self, body: dict[str, Any]) -> bool:
        return bool(body.get("tools"))

    def reply(self, path: str, body: dict[str, Any], call: dict[str, Any] | None) -> tuple[str, str]:
        if call is None:
            block = {"type": "text", "text": "done"}
        else:
            block = {"type": "tool_use", "id": USE_ID, "name": call["tool"], "input": call["input"]}
        if body.get("stream"):
            return "text/event-stream", "".join(_stream(block))
        return "application/json", json.dumps({**_message(), "content": [block], "stop_reason": _stop(block)})

    def side_reply(self, path: str) -> str:
        return json.dumps({"input_tokens": 1})


def _parts(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for message in body.get("messages", []):
        if isinstance(message.get("content"), list):
            yield from message["content"]


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content)
    return str(content or "")


def _stop(block: dict[str, Any]) -> str:
    return "tool_use" if block["type"] == "tool_use" else "end_turn"


def _message() -> dict[str, Any]:
    usage = {"input_tokens": 1, "output_tokens": 1}
    return {"id": "msg_scripted", "type": "message", "role": "assistant", "model": "scripted", "content": [],
            "stop_reason": None, "stop_sequence": None, "usage": usage}  # fmt: skip


def _stream(block: dict[str, Any]) -> Iterator[str]:
    if block["type"] == "tool_use":
        opening = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    else:
        opening = {**block, "text": ""}
        delta = {"type": "text_delta", "text": block["text"]}
    stop = {"stop_reason": _stop(block), "stop_sequence": None}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": _message()},
        {"type": "content_block_start", "index": 0, "content_block": opening},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ]
    for event in events:
        yield f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"
