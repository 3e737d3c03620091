"""A model that follows a script: the Messages API on loopback, one tool call, then the end of the turn.

Shape of the stream: the event types that the Messages API documents for streaming (message_start, content_block_start,
content_block_delta, content_block_stop, message_delta, message_stop).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

USE_ID = "toolu_scripted"


class Outcome(NamedTuple):
    """What the client told the model about its tool call."""

    is_error: bool
    text: str


class ScriptedModel(ThreadingHTTPServer):
    """Answers the first turn with `call`, every later one with text. outcome: what came back, None when nothing did."""

    daemon_threads = True

    def __init__(self, call: dict[str, Any]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.call = call
        self.outcome: Outcome | None = None

    @property
    def url(self) -> str:
        """Where the client finds it."""
        return f"http://127.0.0.1:{self.server_port}"

    def answer(self, body: dict[str, Any]) -> dict[str, Any]:
        """The content block that answers a request. Requests without tools (titles, summaries) are side talk."""
        found = [part for part in _parts(body) if part.get("tool_use_id") == USE_ID]
        if found:
            self.outcome = Outcome(bool(found[-1].get("is_error")), _text(found[-1].get("content")))
        if found or not body.get("tools"):
            return {"type": "text", "text": "done"}
        return {"type": "tool_use", "id": USE_ID, "name": self.call["tool"], "input": self.call["input"]}


class _Handler(BaseHTTPRequestHandler):
    server: ScriptedModel

    def log_message(self, format: str, *args: Any) -> None:
        """Silent: the result is what is reported."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", "0"))) or b"{}")
        if "/messages" not in self.path or "count_tokens" in self.path:
            self._send("application/json", json.dumps({"input_tokens": 1}))
            return
        block = self.server.answer(body)
        if body.get("stream"):
            self._send("text/event-stream", "".join(_stream(block)))
        else:
            self._send("application/json", json.dumps({**_message(), "content": [block], "stop_reason": _stop(block)}))

    def do_GET(self) -> None:
        self._send("application/json", json.dumps({"data": []}))

    def do_HEAD(self) -> None:
        self._send("text/plain", "")

    def _send(self, kind: str, text: str) -> None:
        raw = text.encode()
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)


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
