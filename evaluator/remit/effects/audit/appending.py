"""Records into a database, at the end of its chain; written once for every kind of connection."""

from __future__ import annotations

import time

from remit.effects.audit.chain import START, Head, Row, linked
from remit.effects.audit.record import Body, body
from remit.effects.audit.schema import HEAD, INSERT, REMOVE, TABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Protocol

    class Connection(Protocol):
        """A connection without transactions of its own (autocommit)."""

        def run(self, statement: str, values: Mapping[str, Any] | Sequence[Mapping[str, Any]] = ()) -> list[Any]:
            """The rows that a statement gives; with a list of values it is run for each."""
            ...

        def begin(self) -> None:
            """Start a transaction that no other writer has at the same time."""
            ...

        def roll_back(self) -> None:
            """End the transaction that is open, if one still is."""
            ...


def append(connection: Connection, bodies: Sequence[Body]) -> Head:
    """Write the records in one transaction; the new head. Whoever else writes waits.

    Raises the driver's error, and then nothing is written.
    """
    return _alone(connection, lambda: _continued(connection, bodies))


def remove(connection: Connection, sequence: int, at: float) -> Head:
    """Remove the records up to `sequence`, and record that: where the chain begins from now on, and how many are gone."""
    return _alone(connection, lambda: _removed(connection, sequence, at))


def head_of(connection: Connection) -> Head:
    """The last record."""
    rows = connection.run(HEAD)
    return Head(int(rows[0][0]), str(rows[0][1])) if rows else START


def _alone(connection: Connection, write: Callable[[], Head]) -> Head:
    connection.begin()
    try:
        head = write()
    except BaseException:
        connection.roll_back()
        raise
    connection.run("COMMIT")
    return head


def _continued(connection: Connection, bodies: Sequence[Body]) -> Head:
    head = head_of(connection)
    rows = linked(head, bodies)
    if rows:
        connection.run(INSERT, [_named(row) for row in rows])
        head = Head(rows[-1].sequence, rows[-1].hash)
    return head


def _removed(connection: Connection, sequence: int, at: float) -> Head:
    where = {"sequence": sequence}
    last = connection.run(f"SELECT hash FROM {TABLE} WHERE sequence = :sequence", where)  # noqa: S608
    if not last:  # another process was faster
        return head_of(connection)
    gone = connection.run(f"SELECT count(*) FROM {TABLE} WHERE sequence <= :sequence", where)[0][0]  # noqa: S608
    note = {"kind": "retention", "at": at, "removed_to": sequence, "hash": str(last[0][0]), "removed": int(gone)}
    head = _continued(connection, [body(note)])
    connection.run(REMOVE, where)
    return head


def _named(row: Row) -> dict[str, Any]:
    return dict(zip(row._fields, row, strict=True))


def now() -> float:
    """The time of a record that is about the log itself."""
    return round(time.time(), 6)
