"""A server on loopback that takes events of a decision log, and answers by script."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[int, list[dict[str, Any]]], int]


class Receiving:
    """A server on this machine. answer: the status for the n-th request; 0 = the connection is cut before an answer, -1 = after the events
    were taken."""

    def __init__(self) -> None:
        self.answer: Answer = lambda number, events: 204
        self.taken: list[int] = []
        self.headers: list[dict[str, str]] = []
        self.requests = 0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                outer.take(self)

            def log_message(self, format: str, *args: Any) -> None:
                """Says nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self.thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}/logs?a=b"

    def take(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers["Content-Length"]))
        events = json.loads(gzip.decompress(body))
        self.requests += 1
        self.headers.append({name.lower(): value for name, value in handler.headers.items()} | {"path": handler.path})
        status = self.answer(self.requests, events)
        if status == -1 or 200 <= status < 300:
            self.taken += [event["custom"]["sequence"] for event in events]
        if status <= 0:
            handler.close_connection = True
            return
        handler.send_response(status)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
