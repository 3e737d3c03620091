"""One connection, within bounds: who may connect, how long a request may take to arrive, how many connections there are.

A web framework sees a request when its head is complete; so what is slow before that, or never reads its answer, is cut here.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from remit.daemon.peers import is_own, peer_of

MAX_HEAD_BYTES = 1 << 14
KEEP_ALIVE_S = 60
# Reading the body has a limit of its own; deciding takes milliseconds; the rest is for a client that does not read its answer.
EXCHANGE_S = 30.0
LINGER_S = 1.0


class Bounds:
    """What the connections of a daemon share. idle: those that wait for a request, the one that waits longest first."""

    def __init__(self, connections: int, head_s: float) -> None:
        self.connections, self.head_s = connections, head_s
        self.idle: dict[Connection, None] = {}


class Connection(H11Protocol):
    """HTTP/1.1 on one connection. entrance: which listener it came in by; the application finds it, and the peer, in its scope."""

    def __init__(self, config: Config, state: ServerState, bounds: Bounds, entrance: str) -> None:
        super().__init__(config, state, {})
        self._bounds, self._entrance = bounds, entrance
        self._timer: asyncio.TimerHandle | None = None
        self._served: Any = None  # the request for which the timer runs

    @property
    def is_busy(self) -> bool:
        """Whether a request is being answered."""
        return self.cycle is not None and not self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        peer = peer_of(transport.get_extra_info("socket"))
        self.app_state = {"entrance": self._entrance, "peer": peer}
        if self._entrance != "tcp" and peer is not None and not is_own(peer):
            transport.abort()
            return
        self._arm(self._bounds.head_s)
        self._bounds.idle[self] = None
        if len(self.connections) > self._bounds.connections:
            next(iter(self._bounds.idle)).cut()

    def connection_lost(self, exc: Exception | None) -> None:
        self._disarm()
        self._bounds.idle.pop(self, None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if not self._watch_exchange() and self._timer is None:
            self._arm(self._bounds.head_s)

    def eof_received(self) -> bool:  # type: ignore[override]
        """Whether the connection stays open: a client that says it has sent everything still reads its answer."""
        if not self.is_busy or self.cycle.more_body or self.scheme == "https":
            return False
        self.cycle.keep_alive = False
        return True

    def on_response_complete(self) -> None:
        self._disarm()
        super().on_response_complete()
        if self.cycle.more_body:  # the rest of a body that was refused is not waited for
            self._arm(LINGER_S)
        elif not self._watch_exchange() and not self.transport.is_closing():
            self._bounds.idle[self] = None

    def cut(self) -> None:
        """Close the connection at once, whatever it is doing."""
        self._bounds.idle.pop(self, None)
        self.transport.abort()

    def _watch_exchange(self) -> bool:
        """Whether a request is being answered; its time runs from when it was first seen."""
        if not self.is_busy:
            return False
        if self._served is not self.cycle:
            self._served = self.cycle
            self._bounds.idle.pop(self, None)
            self._arm(EXCHANGE_S)
        return True

    def _arm(self, seconds: float) -> None:
        self._disarm()
        self._timer = self.loop.call_later(seconds, self.cut)

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
