"""The log's database through SQLAlchemy: a SQLite file, or PostgreSQL for many hosts. All methods raise OSError for whatever goes wrong."""

from __future__ import annotations

import contextlib
import logging
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import sqlalchemy
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool

from remit.effects.audit import appending
from remit.effects.audit.chain import Head, Row
from remit.effects.audit.head_file import head_path, read_head, write_head
from remit.effects.audit.light import open_file, take_turn
from remit.effects.audit.record import Body
from remit.effects.audit.schema import BEGIN_POSTGRESQL, COLUMNS, CREATE, TABLE
from remit.effects.audit.settings import DEFAULT, LogSettings

log = logging.getLogger("remit.audit")
RECORDS = sqlalchemy.table(TABLE, *[sqlalchemy.column(name) for name in COLUMNS])
_AT_ONCE = 500


class Session:
    """A SQLAlchemy connection without transactions of its own."""

    def __init__(self, connection: sqlalchemy.Connection, busy_s: float = 0.0) -> None:
        self.connection = connection
        self._busy_s = busy_s

    def run(self, statement: str, values: Mapping[str, Any] | Sequence[Mapping[str, Any]] = ()) -> list[Any]:
        """The rows that a statement gives; with a list of values it is run for each."""
        found = self.connection.execute(sqlalchemy.text(statement), cast(Any, values or None))
        return list(found.fetchall()) if found.returns_rows else []

    def begin(self) -> None:
        """Start a transaction that no other writer has at the same time."""
        raw = self.connection.connection.driver_connection
        if isinstance(raw, sqlite3.Connection):
            take_turn(raw, self._busy_s)
            return
        for statement in BEGIN_POSTGRESQL:
            self.run(statement)

    def roll_back(self) -> None:
        """End the transaction that is open. Where the connection is gone, so is its transaction."""
        with contextlib.suppress(SQLAlchemyError):
            self.run("ROLLBACK")

    def give_back(self) -> None:
        """Give the space of removed records back to the file system; a step frees one page, and
        only a script takes all steps (https://sqlite.org/pragma.html)."""
        raw = self.connection.connection.driver_connection
        if isinstance(raw, sqlite3.Connection):
            raw.executescript("PRAGMA incremental_vacuum")


class Database:
    """A log at `place`: the path of a file, or a SQLAlchemy URL. One connection for writing, which one thread uses at a time; each reading
    has its own. read_only: nothing is made or changed, and files of other accounts can be read."""

    def __init__(self, place: str, settings: LogSettings = DEFAULT, *, read_only: bool = False) -> None:
        self.place, self.settings = place, settings
        self.path = "" if "://" in place else os.path.abspath(place)
        self._read_only = read_only
        self._writing: Session | None = None
        self._opened = (0, 0)
        with _as_os_error(place):
            self._engine = self._made()

    def _made(self) -> sqlalchemy.Engine:
        settings: dict[str, Any] = {"poolclass": NullPool, "isolation_level": "AUTOCOMMIT"}
        if self.path:
            return sqlalchemy.create_engine("sqlite://", creator=self._file, **settings)
        limits = _time_limits(self.settings) if "psycopg" in self.place.partition("://")[0] else {}
        return sqlalchemy.create_engine(self.place, connect_args=limits, **settings)

    def _file(self) -> sqlite3.Connection:
        if not self._read_only:
            return open_file(self.path, self.settings)
        if not os.path.isfile(self.path):
            raise OSError(
                f"there is no decision log at {self.path}; `remit serve --log` and `remit install AGENT --log` keep one"
            )
        from urllib.parse import quote

        place = f"file:{quote(self.path)}?mode=ro"
        return sqlite3.connect(place, uri=True, timeout=self.settings.busy_s, check_same_thread=False)

    # --- writing -----------------------------------------------------------------------------------------------

    def append(self, bodies: Sequence[Body]) -> Head:
        """Write the records at the end of the chain; the new head. On return they are durable."""
        with self._to_write() as session:
            head = appending.append(session, bodies)
        self._note(head)
        return head

    def remove(self, sequence: int, at: float) -> Head:
        """Remove the records up to `sequence`, which is recorded."""
        with self._to_write() as session:
            head = appending.remove(session, sequence, at)
            if self.path:
                session.give_back()
        self._note(head)
        return head

    def _note(self, head: Head) -> None:
        if not self.path:
            return
        try:
            write_head(head_path(self.path), head)
        except OSError as error:
            # The records are there: whoever waits for them may go on.
            log.warning("the head of the decision log cannot be noted: %s", error)

    @contextlib.contextmanager
    def _to_write(self) -> Iterator[Session]:
        with _as_os_error(self.place):
            try:
                yield self._open_session()
            except BaseException:
                # INVARIANT: after a failure nothing is known of a connection; the next write has a new one.
                self.close()
                raise

    def _open_session(self) -> Session:
        if self._writing is not None and self.path and self._file_id() != self._opened:
            # The file was removed or replaced: what is written to the old one would be lost (https://sqlite.org/howtocorrupt.html, 4.4).
            self.close()
        if self._writing is None:
            session = self._writing = Session(self._engine.connect(), self.settings.busy_s)
            if self.path:
                self._opened = self._file_id()
            else:
                self._create(session)
        return self._writing

    def _file_id(self) -> tuple[int, int]:
        try:
            found = os.stat(self.path)
        except FileNotFoundError:
            return 0, 0
        return found.st_dev, found.st_ino

    def _create(self, session: Session) -> None:
        session.begin()
        for statement in (*CREATE, "COMMIT"):
            session.run(statement)

    def close(self) -> None:
        """Let go of the connection for writing; the next write makes a new one."""
        session, self._writing = self._writing, None
        if session is not None:
            with contextlib.suppress(SQLAlchemyError, sqlite3.Error):
                session.connection.close()

    # --- reading -----------------------------------------------------------------------------------------------

    def rows(
        self, where: Sequence[sqlalchemy.ColumnElement[bool]] = (), *, first: int = 0, last: int = 0
    ) -> Iterator[Row]:
        """The records in order, as they were at one moment; with `first` or `last` only so many at the beginning or at the end."""
        chosen = sqlalchemy.select(RECORDS).where(*where)
        sequence = RECORDS.c.sequence
        if last:
            found = chosen.order_by(sequence.desc()).limit(last).subquery()
            ordered = sqlalchemy.select(found).order_by(found.c.sequence)
        else:
            ordered = chosen.order_by(sequence).limit(first or None)
        with self._to_read() as connection:
            streamed = connection.execution_options(yield_per=_AT_ONCE, stream_results=True)
            for row in streamed.execute(ordered):
                yield Row(*row)

    def counts(
        self, names: Sequence[str], where: Sequence[sqlalchemy.ColumnElement[bool]] = ()
    ) -> list[tuple[Any, ...]]:
        """How many records there are of each combination of columns, most first."""
        columns = [RECORDS.c[name] for name in names]
        number = sqlalchemy.func.count()
        with self._to_read() as connection:
            asked = (
                sqlalchemy.select(*columns, number).where(*where).group_by(*columns).order_by(number.desc(), *columns)
            )
            return [tuple(row) for row in connection.execute(asked)]

    def value(self, asked: sqlalchemy.Select[Any]) -> int | None:
        """The one number that a query gives."""
        with self._to_read() as connection:
            found = connection.execute(asked).scalar()
            return None if found is None else int(found)

    def head(self) -> Head:
        """The last record."""
        with self._to_read() as connection:
            return appending.head_of(Session(connection))

    def noted_head(self) -> Head | None:
        """What the head file says; None for a database that has none. Raises ValueError for one that says something else."""
        return read_head(head_path(self.path)) if self.path else None

    @contextlib.contextmanager
    def _to_read(self) -> Iterator[sqlalchemy.Connection]:
        with _as_os_error(self.place), self._engine.connect() as connection:
            if not self.path and not self._read_only:
                self._create(Session(connection))
                connection.commit()
            # PostgreSQL reads in portions within a transaction only (DECLARE); SQLite does without.
            yield connection if self.path else connection.execution_options(isolation_level="REPEATABLE READ")


def _time_limits(settings: LogSettings) -> dict[str, Any]:
    """A server that does not answer is one that cannot be written to (libpq, connect_timeout; PostgreSQL, lock_timeout)."""
    limit_ms = int(settings.busy_s * 1000)
    options = (
        f"-c client_encoding=UTF8 -c lock_timeout={limit_ms} -c idle_in_transaction_session_timeout={10 * limit_ms}"
    )
    return {"connect_timeout": max(2, int(settings.busy_s)), "options": options}


@contextlib.contextmanager
def _as_os_error(place: str) -> Iterator[None]:
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error, ValueError) as error:
        cause = getattr(error, "orig", None) or error
        # A URL holds a password, before the host or in its query; the first line of a driver's message says what is wrong.
        shown = place.partition("?")[0].rpartition("@")[2] if "://" in place else place
        raise OSError(
            f"{shown}: {str(cause).strip().splitlines()[0] if str(cause).strip() else type(cause).__name__}"
        ) from error
