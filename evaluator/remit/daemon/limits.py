"""Bounds on requests, whatever route they are for: what a body may have, how long it may take, who may be addressed."""

from __future__ import annotations

import asyncio
from collections.abc import MutableMapping
from typing import Any

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from remit.daemon.wire import Refused
from remit.payloads import MAX_BYTES

# What is too long is read on, and thrown away, up to here: a client that is cut off while it writes does not see the answer.
MAX_DISCARDED_BYTES = 64 * MAX_BYTES
# Of a body so much may always be held while the rest arrives; of what is more there is this much for all connections together.
FREE_BYTES = 64 * 1024
MAX_HELD_BYTES = 64 * MAX_BYTES
MAX_ID = 128
_LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
_REQUEST_ID = b"x-request-id"


class Held:
    """How many bytes of bodies that are still arriving are held, beyond what is free. Belongs to the loop that serves."""

    def __init__(self) -> None:
        self.bytes = 0

    def grow(self, by: int) -> None:
        """Hold more. Raises Refused when that is too much for all connections together."""
        if self.bytes + by > MAX_HELD_BYTES:
            raise Refused(503, "busy", "too many long bodies are arriving at once")
        self.bytes += by


_held = Held()


async def body_of(request: Request, seconds: float) -> bytes:
    """The body, of at most 1 MiB. Raises Refused when it is longer, comes too slowly, or is not said to be JSON."""
    try:
        async with asyncio.timeout(seconds):
            body = await _read(request.receive)
    except TimeoutError:
        raise Refused(408, "too_slow", f"the body did not arrive within {seconds:g} seconds") from None
    if len(body) > MAX_BYTES:
        raise Refused(413, "too_large", f"the body is longer than {MAX_BYTES} bytes")
    # Browsers send other types across origins without asking first.
    kind = request.headers.get("content-type", "")
    if kind != "application/json" and kind.partition(";")[0].strip().lower() != "application/json":
        raise Refused(415, "not_json", "the Content-Type must be application/json")
    return body


async def _read(receive: Receive) -> bytes:
    """All of the body; of one that is too long at least one byte too many. Raises Refused when the client goes away, or others hold too
    much."""
    kept, size, counted = bytearray(), 0, 0
    try:
        while True:
            message = await receive()
            if message["type"] != "http.request":
                raise Refused(400, "bad_request", "the client went away")
            chunk = message.get("body", b"")
            size += len(chunk)
            if len(kept) <= MAX_BYTES:
                more = max(0, len(kept) + len(chunk) - FREE_BYTES) - counted
                _held.grow(more)
                counted += more
                kept += chunk
            if not message.get("more_body") or size > MAX_DISCARDED_BYTES:
                return bytes(kept)
    finally:
        _held.bytes -= counted


class Envelope:
    """Around every route: the client's X-Request-ID comes back, nothing is kept by proxies, and on plain TCP only the loopback's names
    are answered to, because a web page can make its own name lead there."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise RuntimeError(f"no {scope['type']} here")
        headers = dict(scope["headers"])
        more = [(b"cache-control", b"no-store")]
        request_id = headers.get(_REQUEST_ID, b"")
        if 0 < len(request_id) <= MAX_ID and request_id.isascii() and request_id.decode().isprintable():
            more.append((_REQUEST_ID, request_id))

        async def sending(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *more]}
            await send(message)

        if scope["state"]["entrance"] == "tcp" and scope["scheme"] == "http" and not _is_loopback(headers):
            await _misdirected(sending)
            return
        await self._app(scope, receive, sending)


def _is_loopback(headers: dict[bytes, bytes]) -> bool:
    host = headers.get(b"host", b"").decode("latin-1").lower()
    name, colon, port = host.rpartition(":")
    return host in _LOOPBACK or (bool(colon) and name in _LOOPBACK and port.isdecimal())


async def _misdirected(send: Send) -> None:
    body = b'{"error": "misdirected", "message": "the Host header names no address of this daemon"}'
    kind = (b"content-type", b"application/json")
    fields = [kind, (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 421, "headers": fields})
    await send({"type": "http.response.body", "body": body})
