"""A server on loopback that speaks chat completions and answers by script."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

# What to do with one request: the handler and the question -> nothing; it writes the answer itself.
Answering = Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]


def says(content: Any, status: int = 200, **choice: Any) -> Answering:
    """A completion with this content."""
    body = {"choices": [{"message": {"role": "assistant", "content": content}, "finish_reason": "stop", **choice}]}
    return sends(json.dumps(body).encode(), status)


def sends(body: bytes, status: int = 200, **headers: str) -> Answering:
    """These bytes."""

    def answer(handler: BaseHTTPRequestHandler, _question: dict[str, Any]) -> None:
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)

    return answer


class Model(ThreadingHTTPServer):
    """The server; questions holds what it was asked."""

    daemon_threads = True

    def __init__(self, answering: Answering) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answering = answering
        self.questions: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.keys: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: Model

    def do_POST(self) -> None:
        question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.questions.append(question)
        self.server.paths.append(self.path)
        self.server.keys.append(self.headers.get("Authorization", ""))
        try:
            self.server.answering(self, question)
        except OSError:
            self.close_connection = True

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def model(answering: Answering) -> Iterator[Model]:
    """The server while the block runs."""
    server = Model(answering)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)
