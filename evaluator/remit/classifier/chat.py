"""A classifier behind HTTP: any server that speaks OpenAI's chat completions (`POST …/chat/completions`), so that a model on the own
machine serves as well."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import ssl
import threading
from typing import Any
from urllib.parse import urlsplit

from remit.classifier.answers import MAX_ANSWER, TOO_LONG, UNAVAILABLE, Answer, read_answer
from remit.classifier.question import call_size, messages
from remit.request import Request
from remit.transcript import transcript
from remit_dsl.records import NamedTuple

MAX_BODY = 256 * 1024
MAX_TOKENS = 200


class Settings(NamedTuple):
    """Where the model is, and how long it may take. url: up to `/v1`, http only on this machine. key: for the Authorization header.
    seconds: for one answer, from connecting to its last byte. context: characters of the call and the session before it that the model
    can look at."""

    url: str
    model: str
    key: str = ""
    seconds: float = 10.0
    context: int = 200_000


class ChatClassifier:
    """Asks a model. Thread-safe, never raises: what goes wrong is an answer that says so. Follows no redirect."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        parts = urlsplit(settings.url)
        local = parts.hostname in ("127.0.0.1", "::1", "localhost")
        if parts.scheme not in ("http", "https") or not parts.hostname or (parts.scheme == "http" and not local):
            raise ValueError(f"the classifier needs an https URL, or http on this machine, not `{settings.url}`")
        self._secure, self._host, self._port = parts.scheme == "https", parts.hostname, parts.port
        self._path = parts.path.rstrip("/") + "/chat/completions"

    def classify(self, request: Request, history: list[str]) -> Answer:
        """What the model says of the call, given the session so far."""
        size = call_size(request)
        if size is None:
            return Answer(TOO_LONG, "the call cannot be shown to the model")
        lines = transcript(history, self._settings.context - size)
        if lines is None:
            return Answer(TOO_LONG, "the call or the session is longer than the model can look at")
        try:
            status, body = self._post(json.dumps(self._question(request, lines)).encode())
            return _answer_in(status, body)
        except (OSError, http.client.HTTPException, ValueError, RecursionError) as error:
            return Answer(UNAVAILABLE, f"no answer from the model ({type(error).__name__})")

    def _question(self, request: Request, lines: list[str]) -> dict[str, Any]:
        return {
            "model": self._settings.model,
            "messages": messages(request, lines),
            "temperature": 0,
            "max_tokens": MAX_TOKENS,
            "response_format": {"type": "json_object"},
        }

    def _post(self, body: bytes) -> tuple[int, bytes]:
        """Status and body of the answer, within the time. Raises OSError (TimeoutError among them), HTTPException or ValueError."""
        connection = self._connection()
        # A server that sends a byte now and then gets no more time than one that sends none.
        watch = threading.Timer(self._settings.seconds, _cut_off, [connection])
        watch.daemon = True
        watch.start()
        try:
            headers = {"Content-Type": "application/json", "Accept": "application/json"}
            if self._settings.key:
                headers["Authorization"] = f"Bearer {self._settings.key}"
            connection.request("POST", self._path, body, headers)
            response = connection.getresponse()
            content = response.read(MAX_BODY + 1)
            if len(content) > MAX_BODY:
                raise ValueError("the answer is too long")
            return response.status, content
        finally:
            watch.cancel()
            connection.close()

    def _connection(self) -> http.client.HTTPConnection:
        seconds = self._settings.seconds
        if self._secure:
            context = ssl.create_default_context()
            return http.client.HTTPSConnection(self._host, self._port, timeout=seconds, context=context)
        return http.client.HTTPConnection(self._host, self._port, timeout=seconds)


def _cut_off(connection: http.client.HTTPConnection) -> None:
    with contextlib.suppress(OSError):
        if connection.sock is not None:
            connection.sock.shutdown(socket.SHUT_RDWR)


def _answer_in(status: int, body: bytes) -> Answer:
    if status != http.client.OK:
        return Answer(UNAVAILABLE, f"the model's server answered with {status}")
    found = json.loads(body)
    try:
        [choice] = found["choices"]
        text = choice["message"]["content"]
        finished = choice.get("finish_reason", "stop")
    except (KeyError, TypeError, ValueError, AttributeError):
        return Answer(UNAVAILABLE, "the server's answer is no chat completion")
    if finished != "stop" or not isinstance(text, str) or len(text) > MAX_ANSWER:
        return Answer(UNAVAILABLE, "the model did not finish its answer")
    return read_answer(text)
