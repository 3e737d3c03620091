"""The light writer: one record with SQLite alone, for a hook that has no daemon to write it.

What `sqlite3` adds to its C module, dates in columns, costs a hook more than writing a record does.
"""

from __future__ import annotations

import os
import time

from remit.effects.audit.appending import append
from remit.effects.audit.head_file import head_path, write_head
from remit.effects.audit.places import prepare
from remit.effects.audit.record import body_of
from remit.effects.audit.schema import BEGIN_SQLITE, CREATE, FORMAT
from remit.effects.audit.settings import DEFAULT, LogSettings
from remit.effects.decided import Decided

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence
    from typing import Any

    from remit.effects.audit.chain import Head
else:
    try:
        import _sqlite3 as sqlite3
    except ImportError:  # not in every interpreter
        import sqlite3


TURN_S = 0.002


class LightConnection:
    """A connection to a database file. Its methods raise sqlite3.Error."""

    def __init__(self, path: str, settings: LogSettings = DEFAULT) -> None:
        self._connection = open_file(path, settings)
        self._busy_s = settings.busy_s

    def run(self, statement: str, values: Mapping[str, Any] | Sequence[Mapping[str, Any]] = ()) -> list[Any]:
        """The rows that a statement gives; with a list of values it is run for each."""
        if isinstance(values, list):
            return self._connection.executemany(statement, values).fetchall()
        return self._connection.execute(statement, values).fetchall()

    def begin(self) -> None:
        """Start a transaction that no other writer has at the same time."""
        take_turn(self._connection, self._busy_s)

    def roll_back(self) -> None:
        """End the transaction that is open; a full disk has ended it already (https://sqlite.org/lang_transaction.html, 3)."""
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()


def open_file(path: str, settings: LogSettings = DEFAULT) -> sqlite3.Connection:
    """The database at `path`, which is made if need be. Raises OSError where the place is not this account's alone, and sqlite3.Error."""
    prepare(path)
    connection = sqlite3.connect(path, timeout=settings.busy_s, isolation_level=None, check_same_thread=False)
    try:
        _set_up(connection, path, settings)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _set_up(connection: sqlite3.Connection, path: str, settings: LogSettings) -> None:
    connection.execute("PRAGMA synchronous = " + settings.durability.upper())
    if not _format(connection):
        _create(connection, path)


def _format(connection: sqlite3.Connection) -> int:
    found = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if found not in (0, FORMAT):
        raise sqlite3.DatabaseError(f"written by another version of remit (format {found}, this one knows {FORMAT})")
    return found


def _create(connection: sqlite3.Connection, path: str) -> None:
    """Make the tables. One process at a time: a change of the journal mode does not wait for others (https://sqlite.org/wal.html)."""
    import fcntl

    handle = os.open(os.path.dirname(os.path.abspath(path)), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        if _format(connection):
            return
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        connection.execute("PRAGMA journal_mode = WAL")
        for statement in ("BEGIN IMMEDIATE", *CREATE, f"PRAGMA user_version = {FORMAT}", "COMMIT"):
            connection.execute(statement)
    finally:
        os.close(handle)


def take_turn(connection: sqlite3.Connection, busy_s: float) -> None:
    """Start a transaction that writes, once nobody else does. Raises sqlite3.OperationalError after `busy_s`.

    SQLite itself would sleep up to 100 ms between two tries (sqliteDefaultBusyCallback), too long to get a turn among many writers.
    """
    deadline = time.monotonic() + busy_s
    connection.execute("PRAGMA busy_timeout = 0")
    try:
        while True:
            try:
                connection.execute(BEGIN_SQLITE)
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
            time.sleep(TURN_S)
    finally:
        connection.execute(f"PRAGMA busy_timeout = {int(busy_s * 1000)}")


def append_light(path: str, decided: Decided, settings: LogSettings = DEFAULT) -> Head:
    """Record one decision; the new head. On return it is on disk. Raises OSError where that is not possible."""
    record = body_of(decided, settings)
    try:
        connection = LightConnection(path, settings)
        try:
            head = append(connection, [record])
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise OSError(f"{path}: {error}") from error
    try:
        write_head(head_path(path), head)
    except OSError:
        return head  # the record is there, and the next one notes its own head
    return head
