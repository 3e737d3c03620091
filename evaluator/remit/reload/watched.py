"""Watched: an engine whose policies follow their files."""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import threading
import time
from collections.abc import Callable, Iterator
from typing import Self

from remit.engine import Engine
from remit.errors import LoadError
from remit.loader import Loader
from remit.policy_files import PolicyFile, default_places
from remit.reload.status import CHANGED, FAILED, Attempt, Status
from remit.reload.swapping import Patience, Swapper
from remit.reload.watching import Interest, Watcher, interest_in
from remit_dsl.program import Program

# The files are read again this often, whatever events said: a change that no event tells of is in force within this and `wary_s`.
REHASH_S = 3.0

log = logging.getLogger("remit.reload")


class _Ticket:
    """A request to load, and its answer."""

    def __init__(self) -> None:
        self.done = threading.Event()
        self.attempt: Attempt | None = None


class Watched:
    """The engine of the policies at `paths` (files or folders), or of those found where policies are kept. Thread-safe.

    on_change gets each program that comes in force, the first included; on_attempt what became of each try. Both are called on the
    thread that loads, and what they raise is logged. make: the engine for the first program. A context manager: started within.
    """

    def __init__(
        self,
        *paths: str | os.PathLike[str],
        on_change: Callable[[Program], None] | None = None,
        on_attempt: Callable[[Attempt], None] | None = None,
        patience: Patience = Patience(),  # noqa: B008  (immutable)
        rehash_s: float = REHASH_S,
        make: Callable[[Program], Engine] = Engine,
    ) -> None:
        self._paths = tuple(os.fspath(path) for path in paths)
        self._on_change, self._on_attempt, self._rehash_s = on_change, on_attempt, rehash_s
        self._stop = threading.Event()
        self._swapper = Swapper(Loader(self._paths), patience, self._stop, make)
        self._queue: queue.SimpleQueue[_Ticket | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="remit-reload", daemon=True)
        self._watcher = Watcher(self._interest, lambda: self._queue.put(None))

    def start(self) -> Self:
        """Load, and begin to watch. Does not raise: without right policies there is no engine until the files are mended."""
        self._thread.start()
        self.reload()
        self._watcher.start()
        return self

    def stop(self) -> None:
        """End both threads. The engine goes on deciding by what is in force."""
        self._stop.set()
        self._queue.put(None)
        for thread in (self._watcher.stop, self._thread.join):
            with contextlib.suppress(RuntimeError):  # never started
                thread()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def engine(self) -> Engine:
        """The engine, always the same one. Raises LoadError while no policies have been right."""
        engine = self._swapper.engine
        if engine is None:
            raise self._swapper.error or LoadError((), {})
        return engine

    @property
    def files(self) -> tuple[PolicyFile, ...]:
        """The policy files of what is in force; none while nothing is."""
        return self._swapper.files

    @property
    def status(self) -> Status:
        """What is in force now, and what became of the last try."""
        return self._swapper.status(events=self._watcher.is_watching)

    def reload(self, timeout_s: float | None = None) -> Attempt | None:
        """Load now, after what is under way, and wait for what came of it; None when that took too long or watching has ended."""
        ticket = _Ticket()
        self._queue.put(ticket)
        until = None if timeout_s is None else time.monotonic() + timeout_s
        while not ticket.done.wait(0.1):
            if not self._thread.is_alive() or (until is not None and time.monotonic() > until):
                break
        return ticket.attempt

    def request_reload(self, *_: object) -> None:
        """Load soon. Does not wait; may be used as a signal handler (SIGHUP): `put` is reentrant (`queue.SimpleQueue`)."""
        self._queue.put(_Ticket())

    def _interest(self) -> Interest:
        files = self._swapper.files
        data = [os.path.join(os.path.dirname(file.path), name) for file in files for name, _ in file.data]
        return interest_in(self._paths or _usual_paths(), data)

    def _run(self) -> None:
        while not self._stop.is_set():
            tickets = list(self._waiting())
            try:
                if not self._stop.is_set():
                    self._round(tickets)
            except Exception:  # the files must be looked at again, whatever went wrong
                log.exception("looking for changed policies failed")
            for ticket in tickets:
                ticket.done.set()

    def _waiting(self) -> Iterator[_Ticket]:
        """Waits for a reason to look; those who wait for the answer."""
        try:
            item = self._queue.get(timeout=self._rehash_s)
            while True:
                if item is not None:
                    yield item
                item = self._queue.get_nowait()
        except queue.Empty:
            return

    def _round(self, tickets: list[_Ticket]) -> None:
        attempt = self._swapper.attempt(asked=bool(tickets), changed=self._changed)
        if attempt is None:
            return
        for ticket in tickets:
            ticket.attempt = attempt
        _say(attempt)
        self._tell(self._on_attempt, attempt)

    def _changed(self, program: Program) -> None:
        self._tell(self._on_change, program)

    def _tell(self, whom: Callable[..., None] | None, what: object) -> None:
        if whom is None:
            return
        try:
            whom(what)
        except Exception:  # whoever listens must not end the watch
            log.exception("what follows a reload failed")


def _usual_paths() -> list[str]:
    """Where policies are found when none are named, and where the pins of trusted projects are kept."""
    try:
        folder = os.getcwd()
    except OSError:
        folder = "/"
    places = default_places(folder, os.environ)
    return [places.org, places.user, *places.projects, places.state]


def _say(attempt: Attempt) -> None:
    """One line in the log for what an operator must know."""
    if attempt.result == FAILED:
        stays = "the last good ones stay in force" if attempt.revision else "no policies are in force"
        log.error("the policies cannot be used; %s\n%s", stays, attempt.error)
    elif attempt.result == CHANGED:
        log.warning("policies in force: %s", attempt.revision)
