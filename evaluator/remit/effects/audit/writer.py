"""The writer: decisions queue up, one thread writes what has come together in one transaction, then those who wait for it go on."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import CancelledError, Future

from remit.effects.audit.appending import now
from remit.effects.audit.chain import START, Head
from remit.effects.audit.database import Database
from remit.effects.audit.outcome import may_run, unrecorded
from remit.effects.audit.record import Body, body_of
from remit.effects.audit.retention import removable
from remit.effects.audit.settings import DEFAULT, LogSettings
from remit.effects.decided import Decided
from remit.verdict import Verdict

RESULTS = ("written", "failed", "dropped")
MAX_BATCH = 512
MAX_QUEUED_CHARS = 64 << 20
RETRY_S = 0.5
RETENTION_S = 60.0

log = logging.getLogger("remit.audit")
Counter = Callable[[str, int], None]


class Ticket:
    """What a decision waits with for its record."""

    def __init__(self, future: Future[bool]) -> None:
        self._future = future

    def wait(self, timeout_s: float | None = None) -> bool:
        """Whether the record is durable. After a time-out it is false, and a record that is still queued is not written any more."""
        try:
            return self._future.result(timeout_s)
        except (TimeoutError, CancelledError):
            self._future.cancel()
            return False

    async def waited(self, timeout_s: float | None = None) -> bool:
        """`wait` for a coroutine."""
        waiting = asyncio.wrap_future(self._future)
        await asyncio.wait({waiting}, timeout=timeout_s)
        return (waiting.done() and not waiting.cancelled() and waiting.result()) or self._given_up()

    def _given_up(self) -> bool:
        self._future.cancel()
        return False


class _Entry:
    """A queued record. future: None for one that nobody waits for any more. keep: it is tried again when it cannot be written."""

    __slots__ = ("body", "future", "keep")

    def __init__(self, body: Body, keep: bool) -> None:
        self.body, self.keep = body, keep
        self.future: Future[bool] | None = Future()

    def still_wanted(self) -> bool:
        """Whether the record is to be written. An allow that was given up did not happen, so it is not recorded as if it had."""
        if self.future is not None and not self.future.set_running_or_notify_cancel():
            self.future = None
            return self.keep
        return True


class DecisionLog:
    """The log of a process that decides often. Thread-safe. count: told of results, for metrics: "written", "failed" (not now, so
    the call did not run), "dropped" (will never be written)."""

    def __init__(self, place: str, settings: LogSettings = DEFAULT, *, count: Counter | None = None) -> None:
        self.settings = settings
        self.head: Head = START
        self._database = Database(place, settings)
        self._count = count or _uncounted
        self._queue: deque[_Entry] = deque()
        self._chars = 0
        self._changed = threading.Condition()
        self._problem = ""
        self._retry_at = 0.0
        self._retention_at = 0.0
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="remit-audit", daemon=True)
        self._thread.start()

    # --- for those who decide ----------------------------------------------------------------------------------

    def append(self, decided: Decided) -> Ticket:
        """Queue the record of a decision. Does not block; where the queue is full, or the log is known not to work, the ticket says no
        at once."""
        keep = not may_run(decided.verdict) or self.settings.unwritable == "allow"
        entry = _Entry(body_of(decided, self.settings), keep)
        assert entry.future is not None
        ticket = Ticket(entry.future)
        with self._changed:
            refused = self._refused(entry)
            if not refused:
                self._queue.append(entry)
                self._chars += len(entry.body.text)
                self._changed.notify()
        if refused:
            self._count(refused, 1)
            entry.future.set_result(False)
        return ticket

    def _refused(self, entry: _Entry) -> str:
        full = len(self._queue) >= self.settings.queue or self._chars + len(entry.body.text) > MAX_QUEUED_CHARS
        if self._stopping or full or not self._thread.is_alive():
            return "dropped" if entry.keep else "failed"
        # An allow that cannot be recorded now does not happen, so there is nothing to wait for.
        return "failed" if self._problem and not entry.keep and time.monotonic() < self._retry_at else ""

    def settle(self, decided: Decided) -> Verdict:
        """The verdict to answer with, once it is recorded or cannot be. Blocks for `wait_s` at most."""
        ticket = self.append(decided)
        return self._settled(decided, not self._waits(decided) or ticket.wait(self.settings.wait_s))

    async def settled(self, decided: Decided) -> Verdict:
        """`settle` for a coroutine."""
        ticket = self.append(decided)
        return self._settled(decided, not self._waits(decided) or await ticket.waited(self.settings.wait_s))

    async def record(self, decided: Decided) -> None:
        """Returns when a call that may run is recorded, and at once for others. Raises OSError for one that must not run."""
        if await self.settled(decided) is not decided.verdict:
            raise OSError(self._problem or "the decision log is too slow")

    def problem(self) -> str:
        """Why nothing can be recorded at present; "" while all is well."""
        return self._problem or ("" if self._thread.is_alive() else "the writer has ended")

    def hide(self, texts: tuple[str, ...]) -> None:
        """Mask these texts too in the records that follow, wherever they stand."""
        self.settings = self.settings._replace(hidden=(*self.settings.hidden, *texts))

    def queued(self) -> int:
        """How many records wait to be written."""
        return len(self._queue)

    def _waits(self, decided: Decided) -> bool:
        return self.settings.waits and may_run(decided.verdict)

    def _settled(self, decided: Decided, written: bool) -> Verdict:
        verdict = decided.verdict if written else unrecorded(decided, self.settings)
        if verdict is not decided.verdict:
            self.append(decided._replace(verdict=verdict))  # what was answered, for when the log works again
        return verdict

    # --- the thread --------------------------------------------------------------------------------------------

    def _run(self) -> None:
        while batch := self._taken():
            self._write(batch)
        self._database.close()

    def _taken(self) -> list[_Entry]:
        """What is to be written next; nothing at the end."""
        with self._changed:
            while not self._stopping and (not self._queue or self._pause() > 0):
                self._changed.wait(self._pause() or None)
            batch = [self._queue.popleft() for _ in range(min(MAX_BATCH, len(self._queue)))]
            self._chars -= sum([len(entry.body.text) for entry in batch])
            return batch

    def _pause(self) -> float:
        return max(0.0, self._retry_at - time.monotonic()) if self._problem else 0.0

    def _write(self, batch: list[_Entry]) -> None:
        batch = [entry for entry in batch if entry.still_wanted()]
        if not batch:
            return
        try:
            self.head = self._database.append([entry.body for entry in batch])
        except OSError as error:
            self._not_written(batch, error)
            return
        if self._problem:
            log.warning("the decision log works again")
        self._problem = ""
        self._count("written", len(batch))
        for entry in batch:
            if entry.future is not None:
                entry.future.set_result(True)
        self._retire()

    def _not_written(self, batch: list[_Entry], error: OSError) -> None:
        if not self._problem:
            log.error("decisions cannot be recorded: %s", error)
        kept = [entry for entry in batch if entry.keep]
        with self._changed:
            self._problem = str(error)
            self._retry_at = time.monotonic() + RETRY_S
            gone = self._stopping
            if not gone:
                self._queue.extendleft(reversed(kept))
                self._chars += sum([len(entry.body.text) for entry in kept])
        waiting = [entry.future for entry in batch if entry.future is not None]
        for entry in batch:
            entry.future = None
        self._count("failed", len(batch) - len(kept))
        if gone:
            self._count("dropped", len(kept))
        for future in waiting:
            future.set_result(False)

    def _retire(self) -> None:
        """Remove what the settings do not keep, now and then."""
        if time.monotonic() < self._retention_at:
            return
        self._retention_at = time.monotonic() + RETENTION_S
        try:
            if sequence := removable(self._database, self.settings, now()):
                self.head = self._database.remove(sequence, now())
        except OSError as error:
            log.error("old decisions cannot be removed: %s", error)

    def stop(self, timeout_s: float | None = 10.0) -> bool:
        """Write what is queued and end; whether that was done in time."""
        with self._changed:
            self._stopping = True
            self._changed.notify()
        self._thread.join(timeout_s)
        return not self._thread.is_alive()


def _uncounted(result: str, number: int) -> None:
    """Nobody counts."""
