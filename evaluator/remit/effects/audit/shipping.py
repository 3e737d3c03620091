"""Shipping: the log's decisions, in order and in batches, to a receiver elsewhere.

The log is the spool: what was not acknowledged stays in it, and a file beside it says how far the receiver has come. So nothing is
lost by a crash of either side; what was sent and not yet noted is sent again, and has the same place in the chain
(`custom.sequence`, `custom.hash`).
"""

from __future__ import annotations

import logging
import os
import random
import threading
from collections.abc import Callable, Iterator

from remit.effects.audit.canonical import canonical
from remit.effects.audit.chain import START, Head, Row
from remit.effects.audit.database import Database
from remit.effects.audit.head_file import read_head, write_head
from remit.effects.audit.opa import event_of
from remit.effects.audit.querying import Filter, where
from remit.effects.audit.receiver import Receiver, checked, send
from remit_dsl.digest import sha256
from remit_dsl.records import NamedTuple

log = logging.getLogger("remit.audit")
Counter = Callable[[str, int], None]
# What a receiver says to a batch that it will never take (RFC 9110, 15.5).
REFUSED = (400, 413, 422)


class ShippingSettings(NamedTuple):
    """batch, batch_bytes: how much is sent at once, before compression. idle_s: between two looks at the log. retry_s, retry_max_s: the
    pause after a failure, doubled each time. backlog: records that may wait; with `drop` the oldest beyond it are passed over and counted,
    else all wait. state: the file that says how far the receiver has come, "" = beside the log.
    """

    batch: int = 500
    batch_bytes: int = 1 << 20
    idle_s: float = 1.0
    retry_s: float = 0.5
    retry_max_s: float = 60.0
    backlog: int = 1_000_000
    drop: bool = True
    state: str = ""


DEFAULT = ShippingSettings()


class Batch(NamedTuple):
    """Events as a JSON list, how many there are, the last record that they reach to, and how many before them are not sent: removed by
    retention, or too many."""

    body: bytes
    events: int
    end: Head
    missed: int


class Shipper:
    """Sends the decisions of a log to a receiver, from a thread of its own. count: told of results: "sent", "dropped" (too many waited),
    "rejected" (the receiver does not want this one), "failed" (attempts). Raises ValueError for a receiver that cannot be one."""

    def __init__(self, place: str, receiver: Receiver, settings: ShippingSettings = DEFAULT, *, count: Counter) -> None:
        self.receiver, self.settings = checked(receiver), settings
        self._database = Database(place, read_only=True)
        self._state = settings.state or _state_path(place, receiver.url)
        self._count = count
        self._stopping = threading.Event()
        self._problem = ""
        self._failures = 0
        self._batch = settings.batch
        self._thread = threading.Thread(target=self._run, name="remit-ship", daemon=True)

    def start(self) -> None:
        """Begin to send."""
        self._thread.start()

    def stop(self, timeout_s: float = 15.0) -> bool:
        """End after the batch that is under way; whether that was in time. The rest is sent after the next start."""
        self._stopping.set()
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def problem(self) -> str:
        """Why nothing can be sent at present; "" while all is well."""
        return self._problem

    def behind(self) -> int:
        """How many records wait. Raises OSError, ValueError where the log or the state cannot be read."""
        return max(0, self._database.head().sequence - (read_head(self._state) or START).sequence)

    # --- the thread --------------------------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                sent = self._step()
                self._problem, self._failures = "", 0
                pause = 0.0 if sent else self.settings.idle_s
            except (OSError, ValueError) as error:
                pause = self._failed(error)
            self._stopping.wait(pause)

    def _failed(self, error: Exception) -> float:
        if not self._problem:
            log.error("decisions cannot be sent: %s", error)
        self._problem = str(error) or type(error).__name__
        self._failures += 1
        self._count("failed", 1)
        longest = min(self.settings.retry_max_s, self.settings.retry_s * (1 << min(self._failures - 1, 16)))
        return longest * random.uniform(0.5, 1.0)  # noqa: S311  (so that a fleet does not come back at once)

    def _step(self) -> bool:
        """Send one batch; whether there was one."""
        batch = self._next(self._position())
        if batch is None:
            return False
        if batch.events:
            status = send(self.receiver, batch.body)
            if status in REFUSED:
                return self._refused(batch, status)
            if not 200 <= status < 300:
                raise OSError(f"the receiver answered {status}")
            self._count("sent", batch.events)
        self._batch = min(self.settings.batch, 2 * self._batch)
        self._reached(batch)
        return True

    def _reached(self, batch: Batch) -> None:
        write_head(self._state, batch.end)
        if batch.missed:
            log.error("%d decisions before record %d were not sent", batch.missed, batch.end.sequence)
            self._count("dropped", batch.missed)

    def _refused(self, batch: Batch, status: int) -> bool:
        """A refused batch is sent in smaller ones, until the event that is not wanted stands alone and is passed over."""
        if batch.events > 1:
            self._batch = batch.events // 2
            return True
        log.error("the receiver refused record %d with %d; it is passed over", batch.end.sequence, status)
        self._count("rejected", 1)
        self._reached(batch)
        return True

    def _position(self) -> Head:
        """The last record that the receiver has."""
        position = read_head(self._state) or START
        if position == START or self._knows(position):
            return position
        log.error(
            "the log is not the one of which %d records were sent; it is sent from its beginning", position.sequence
        )
        os.unlink(self._state)
        return START

    def _knows(self, position: Head) -> bool:
        """Whether the log has the record, or had it before retention removed it."""
        for row in self._database.rows(where(Filter(after=position.sequence - 1)), first=1):
            return row.sequence != position.sequence or row.hash == position.hash
        return False

    def _next(self, position: Head) -> Batch | None:
        after = max(
            position.sequence, self._database.head().sequence - self.settings.backlog if self.settings.drop else 0
        )
        events: list[str] = []
        size, end, missed = 2, position, 0
        for row, event in self._events(after):
            if events and event and size + len(event) + 1 > self.settings.batch_bytes:
                break
            missed += row.sequence - end.sequence - 1
            events += [event] if event else []
            size += len(event) + 1
            end = Head(row.sequence, row.hash)
        return None if end == position else Batch(f"[{','.join(events)}]".encode(), len(events), end, missed)

    def _events(self, after: int) -> Iterator[tuple[Row, str]]:
        for row in self._database.rows(where(Filter(after=after)), first=self._batch):
            event = event_of(row)
            yield row, canonical(event) if event is not None else ""


def _state_path(place: str, url: str) -> str:
    if "://" in place:
        raise ValueError("a log in a database server needs a file for the state of shipping")
    return f"{os.path.abspath(place)}.sent-{sha256(url.encode()).hexdigest()[:12]}"
