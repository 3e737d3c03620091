"""Store: sessions on disk, shared by all processes of one account (SQLite, https://sqlite.org/wal.html).

A change reads, computes and writes within one transaction that holds the write lock from its start, so that two processes never lose
each other's changes. What cannot be read is an error, never an empty session: whoever could break the file could otherwise shed its
denials.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator

from remit.regular_files import prepare_database
from remit.sessions.state import State, state_of, state_text, without_expired

FORMAT = 1
KEPT_CALLS = 500
MAX_ID = 256
# Sessions that nobody used for so long are forgotten.
KEPT_SECONDS = 30 * 24 * 3600.0
WAIT_SECONDS = 2.0
_CREATE = """
CREATE TABLE IF NOT EXISTS sessions (id TEXT PRIMARY KEY, seen REAL NOT NULL, state TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS sessions_seen ON sessions (seen);
CREATE TABLE IF NOT EXISTS calls (number INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL, line TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS calls_session ON calls (session, number);
"""
_PRUNE = """
DELETE FROM calls WHERE session = ?1 AND number <=
  (SELECT number FROM calls WHERE session = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)
"""

Change = Callable[[State], State]


class StoreError(Exception):
    """The store cannot be used. The message says why, in one line."""


class _ChangeRaised(Exception):
    """A change raised `cause`, which is nothing of the store's."""

    def __init__(self, cause: Exception) -> None:
        super().__init__()
        self.cause = cause


class Store:
    """The sessions in the file at `path`, which is made if need be (0600, in a folder of 0700). Safe for threads and processes.

    Raises StoreError for whatever goes wrong; a state that was given back is stored.
    """

    def __init__(self, path: str | os.PathLike[str], *, clock: Callable[[], float] = time.time) -> None:
        self.path = os.fspath(path)
        self._clock = clock
        self._local = threading.local()

    def read(self, session: str) -> State:
        """The session's state; a new one's for an id that is not known."""
        with self._connection() as connection:
            return _read(connection, session)

    def change(self, session: str, change: Change, call: str = "") -> State:
        """Apply `change` to the state, alone; the new state. What `change` raises goes on, and nothing is stored. call: a line for the
        session's history."""
        try:
            with self._connection() as connection, _transaction(connection):
                now = self._clock()
                before = without_expired(_read(connection, session), now)
                state = _changed(before, change)._replace(id=session, seen=now)
                _write(connection, state)
                if call:
                    connection.execute("INSERT INTO calls (session, line) VALUES (?, ?)", (session, call))
                    connection.execute(_PRUNE, (session, KEPT_CALLS))
                return state
        except _ChangeRaised as raised:
            raise raised.cause from None

    def history(self, session: str) -> list[str]:
        """The lines of the session's newest KEPT_CALLS calls, oldest first."""
        with self._connection() as connection:
            rows = connection.execute("SELECT line FROM calls WHERE session = ? ORDER BY number", (_id(session),))
            return [line for (line,) in rows]

    def forget(self, session: str) -> bool:
        """Drop the session; whether there was one."""
        with self._connection() as connection, _transaction(connection):
            connection.execute("DELETE FROM calls WHERE session = ?", (_id(session),))
            return bool(connection.execute("DELETE FROM sessions WHERE id = ?", (session,)).rowcount)

    def ids(self) -> list[tuple[str, float]]:
        """All sessions with the time of their last use, newest first."""
        with self._connection() as connection:
            return list(connection.execute("SELECT id, seen FROM sessions ORDER BY seen DESC, id"))

    def expire(self) -> int:
        """Forget what was not used for KEPT_SECONDS; how many."""
        with self._connection() as connection, _transaction(connection):
            before = self._clock() - KEPT_SECONDS
            old = connection.execute("DELETE FROM sessions WHERE seen < ?", (before,)).rowcount
            connection.execute("DELETE FROM calls WHERE session NOT IN (SELECT id FROM sessions)")
            return old

    def close(self) -> None:
        """Close this thread's connection."""
        connection = getattr(self._local, "connection", None)
        if connection is not None:
            connection[1].close()
            self._local.connection = None

    @contextlib.contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        try:
            yield self._own()
        except (sqlite3.Error, OSError, ValueError, RecursionError) as error:
            if isinstance(error, StoreError):
                raise
            self.close()
            raise StoreError(f"{self.path}: {error}") from error

    def _own(self) -> sqlite3.Connection:
        """This thread's connection; another process after a fork, and a file that was removed or replaced, get another one
        (https://sqlite.org/howtocorrupt.html, 2.6 and 4.4)."""
        known: tuple[_Opened, sqlite3.Connection] | None = getattr(self._local, "connection", None)
        if known is not None:
            if known[0] == _opened(self.path):
                return known[1]
            if known[0][0] == os.getpid():
                self.close()
        connection = _open(self.path)
        self._local.connection = (_opened(self.path), connection)
        return connection


# process, device and number of the file
_Opened = tuple[int, int, int]


def _opened(path: str) -> _Opened:
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return os.getpid(), 0, 0
    return os.getpid(), found.st_dev, found.st_ino


def _open(path: str) -> sqlite3.Connection:
    prepare_database(path)
    connection = sqlite3.connect(path, timeout=WAIT_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA synchronous = FULL")
        if not _format(connection):
            _create(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _format(connection: sqlite3.Connection) -> int:
    found = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if found not in (0, FORMAT):
        raise ValueError(f"written by another version of remit (format {found}, this one knows {FORMAT})")
    return found


def _create(connection: sqlite3.Connection, path: str) -> None:
    """Make the tables. One process at a time: a change of the journal mode does not wait for others (https://sqlite.org/wal.html)."""
    handle = os.open(os.path.dirname(os.path.abspath(path)), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        if not _format(connection):
            connection.execute("PRAGMA journal_mode = WAL")
            connection.executescript(f"BEGIN IMMEDIATE; {_CREATE} PRAGMA user_version = {FORMAT}; COMMIT;")
    finally:
        os.close(handle)


def _changed(state: State, change: Change) -> State:
    try:
        return change(state)
    except Exception as error:
        raise _ChangeRaised(error) from error


def _read(connection: sqlite3.Connection, session: str) -> State:
    row = connection.execute("SELECT state FROM sessions WHERE id = ?", (_id(session),)).fetchone()
    return State(session) if row is None else state_of(row[0])


def _write(connection: sqlite3.Connection, state: State) -> None:
    row = (_id(state.id), state.seen, state_text(state))
    connection.execute("INSERT OR REPLACE INTO sessions (id, seen, state) VALUES (?, ?, ?)", row)


def _id(session: str) -> str:
    if not session or len(session) > MAX_ID or not session.isprintable():
        raise ValueError(f"a session's id has 1 to {MAX_ID} printable characters")
    return session


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
