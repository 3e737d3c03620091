"""A model that follows a script: it is served on loopback, asks for one tool call, and ends the turn when it hears what became of it."""

from __future__ import annotations

import gzip
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, Protocol


class Outcome(NamedTuple):
    """What the client told the model about its tool call. is_error: None where the interface does not say."""

    is_error: bool | None
    text: str


class Dialect(Protocol):
    """An interface of models, as far as a script needs it."""

    def speaks(self, path: str) -> bool:
        """Whether a request to this path is a turn of the conversation."""

    def outcome(self, body: dict[str, Any]) -> Outcome | None:
        """What a request tells about the call; None when nothing."""

    def offers(self, body: dict[str, Any]) -> bool:
        """Whether the model may call tools; requests without them (titles, summaries) are side talk."""

    def reply(self, path: str, body: dict[str, Any], call: dict[str, Any] | None) -> tuple[str, str]:
        """Content type and body of the answer: the tool call, or a text that ends the turn."""

    def side_reply(self, path: str) -> str:
        """The JSON that answers any other request."""


class ScriptedModel(ThreadingHTTPServer):
    """Answers the first turn with `call`, every later one with text. outcome: what came back, None when nothing did."""

    daemon_threads = True

    def __init__(self, dialect: Dialect, call: dict[str, Any]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.dialect, self.call = dialect, call
        self.outcome: Outcome | None = None
        self.turns = 0

    @property
    def url(self) -> str:
        """Where the client finds it."""
        return f"http://127.0.0.1:{self.server_port}"

    def answer(self, path: str, body: dict[str, Any]) -> tuple[str, str]:
        """The answer to a turn."""
        found = self.dialect.outcome(body)
        self.outcome = found or self.outcome
        asks = found is None and self.dialect.offers(body)
        self.turns += asks
        return self.dialect.reply(path, body, self.call if asks else None)


class _Handler(BaseHTTPRequestHandler):
    server: ScriptedModel

    def log_message(self, format: str, *args: Any) -> None:
        """Silent: the result is what is reported."""

    def do_POST(self) -> None:
        path, dialect = self.path.partition("?")[0], self.server.dialect
        body = json.loads(self._body() or b"{}")
        if dialect.speaks(path):
            self._send(*self.server.answer(path, body))
        else:
            self._send("application/json", dialect.side_reply(path))

    def do_GET(self) -> None:
        self._send("application/json", json.dumps({"object": "list", "data": [], "models": []}))

    def do_HEAD(self) -> None:
        self._send("text/plain", "")

    def _body(self) -> bytes:
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            raw = b"".join(iter(self._chunk, b""))
        else:
            raw = self.rfile.read(int(self.headers.get("content-length", "0")))
        return gzip.decompress(raw) if self.headers.get("content-encoding") == "gzip" else raw

    def _chunk(self) -> bytes:
        size = int(self.rfile.readline().partition(b";")[0], 16)
        data = self.rfile.read(size)
        self.rfile.readline()
        return data

    def _send(self, kind: str, text: str) -> None:
        raw = text.encode()
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)
