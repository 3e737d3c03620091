"""The process: listeners opened, connections served, signals obeyed, and at the end no call without an answer."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import resource
import select
import signal
import socket
import sys
import time
from collections.abc import Iterator

from uvicorn.config import Config
from uvicorn.server import ServerState

from remit.daemon.app import application
from remit.daemon.listeners import BACKLOG, UnixListener, listen_tcp, tls_context
from remit.daemon.options import Options
from remit.daemon.protocol import KEEP_ALIVE_S, MAX_HEAD_BYTES, Bounds, Connection
from remit.daemon.service import Service
from remit.daemon.systemd import notify, watchdog_s
from remit.phrasing import one_line
from remit_dsl.records import NamedTuple

HANDSHAKE_S = 5.0
# How long calls under way may take once the daemon is to stop; deciding one takes milliseconds.
STOP_S = 10.0
# A thread that decides a large batch gives way this often (5 ms by default), so that the loop answers small calls meanwhile.
SWITCH_S = 0.0005
_PASS_S = 0.02
# What the process needs beside a descriptor for each connection.
SPARE_FILES = 256

log = logging.getLogger("remit.daemon")


class Entrance(NamedTuple):
    """A socket that listens, and what is known of those who come in by it."""

    name: str
    socket: socket.socket
    address: str
    encrypted: bool


def serve(options: Options, service: Service) -> None:
    """Serve until SIGTERM or SIGINT. Raises ListenError when a socket cannot be had."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # until there is something to load anew, it must not end the process
    sys.setswitchinterval(SWITCH_S)
    _allow_files(options.max_connections)
    _quiet()
    with contextlib.ExitStack() as stack:
        unix = [
            (name, stack.enter_context(UnixListener(path)))
            for name, path in (("socket", options.socket), ("admin", options.admin_socket))
            if path
        ]
        entrances = [Entrance(name, listener.socket, listener.path, False) for name, listener in unix]
        if options.listen is not None:
            bound = listen_tcp(*options.listen, encrypted=bool(options.certificate))
            stack.callback(bound.close)
            entrances.append(Entrance("tcp", bound, _address(bound), bool(options.certificate)))
        stack.callback(service.stop)
        service.start()
        gc.collect()
        gc.freeze()  # what is there now stays: the collector need not look at it again and again
        asyncio.run(_Server(options, service, entrances, [listener for _, listener in unix]).run())


def _allow_files(connections: int) -> None:
    """Raises the limit on open files (getrlimit(2)) as far as the system lets it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + SPARE_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def _quiet() -> None:
    """Malformed requests are the clients' business: they must not fill the disk."""
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)


def _address(bound: socket.socket) -> str:
    host, port = bound.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


class _Server:
    """One run of the daemon."""

    def __init__(
        self, options: Options, service: Service, entrances: list[Entrance], listeners: list[UnixListener]
    ) -> None:
        self._options, self._service = options, service
        self._entrances, self._listeners = entrances, listeners
        self._state = ServerState()
        self._bounds = Bounds(options.max_connections, options.read_timeout_s)
        self._config = Config(
            application(service),
            http=Connection,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            timeout_keep_alive=KEEP_ALIVE_S,
            h11_max_incomplete_event_size=MAX_HEAD_BYTES,
        )
        self._stopping = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        self._config.load()
        loop = asyncio.get_running_loop()
        for name in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(name, self._stopping.set)
        loop.add_signal_handler(signal.SIGHUP, lambda: self._keep(self._reload()))
        servers = [await self._open(entrance) for entrance in self._entrances]
        self._keep(self._watchdog())
        for entrance in self._entrances:
            print(f"remit: {entrance.name}: {entrance.address}", file=sys.stderr, flush=True)
        notify(os.environ, "READY=1", f"STATUS={self._status()}")
        await self._stopping.wait()
        notify(os.environ, "STOPPING=1")
        await self._finish(servers)

    async def _open(self, entrance: Entrance) -> asyncio.Server:
        options = self._options
        tls = tls_context(options.certificate, options.key, options.client_ca) if entrance.encrypted else None
        return await asyncio.get_running_loop().create_server(
            lambda: Connection(self._config, self._state, self._bounds, entrance.name),
            sock=entrance.socket,
            backlog=BACKLOG,
            ssl=tls,
            ssl_handshake_timeout=HANDSHAKE_S if tls is not None else None,
        )

    def _keep(self, work: object) -> None:
        """Runs a coroutine beside the others; the loop alone would forget it."""
        task = asyncio.ensure_future(work)  # type: ignore[call-overload]
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _reload(self) -> None:
        notify(os.environ, "RELOADING=1", f"MONOTONIC_USEC={time.monotonic_ns() // 1000}")
        await asyncio.get_running_loop().run_in_executor(None, self._service.reload)
        notify(os.environ, "READY=1", f"STATUS={self._status()}")

    async def _watchdog(self) -> None:
        """Signs of life from the loop that answers calls: if it hangs, they stop."""
        seconds = watchdog_s(os.environ)
        while seconds:
            notify(os.environ, "WATCHDOG=1")
            await asyncio.sleep(seconds / 2)

    def _status(self) -> str:
        found = [problem.message for problem in self._service.problems()]
        return one_line("; ".join(found)) or "deciding"

    async def _finish(self, servers: list[asyncio.Server]) -> None:
        """Nobody new can connect; who has connected, or has sent something, is answered; then the rest is closed."""
        for listener in self._listeners:
            listener.remove()
        await asyncio.sleep(_PASS_S)  # those in the backlog are let in
        for server in servers:
            server.close()
        until = time.monotonic() + STOP_S
        while self._state.connections and time.monotonic() < until:
            for connection in self._idle():
                connection.shutdown()
            await asyncio.sleep(_PASS_S)
        for late in list(self._state.connections):
            late.transport.abort()
        for task in self._tasks:
            task.cancel()

    def _idle(self) -> Iterator[Connection]:
        """Connections on which nothing was asked; those on which something was are told to close after the answer."""
        for connection in [item for item in self._state.connections if isinstance(item, Connection)]:
            if connection.is_busy:
                connection.shutdown()
            elif not _has_sent(connection):
                yield connection


def _has_sent(connection: Connection) -> bool:
    """Whether there is something to read that the loop has not read yet."""
    found = connection.transport.get_extra_info("socket")
    if found is None or found.fileno() < 0:
        return False
    waiting = select.poll()
    waiting.register(found.fileno(), select.POLLIN)
    return bool(waiting.poll(0))
