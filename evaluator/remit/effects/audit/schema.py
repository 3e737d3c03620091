"""How records lie in a database: the one place with SQL that writes. It is the same for SQLite and PostgreSQL."""

from __future__ import annotations

from remit.effects.audit.chain import Row

FORMAT = 1
TABLE = "remit_records"
COLUMNS = Row._fields
CREATE = (
    f"CREATE TABLE IF NOT EXISTS {TABLE} (sequence BIGINT PRIMARY KEY, previous TEXT NOT NULL, hash TEXT NOT NULL, body TEXT NOT NULL, "
    "at DOUBLE PRECISION NOT NULL, decision TEXT NOT NULL, code TEXT NOT NULL, rule TEXT NOT NULL, tool TEXT NOT NULL, "
    "agent TEXT NOT NULL, session TEXT NOT NULL, decision_id TEXT NOT NULL)",
    f"CREATE INDEX IF NOT EXISTS {TABLE}_at ON {TABLE} (at)",
)
SELECT = f"SELECT {', '.join(COLUMNS)} FROM {TABLE}"  # noqa: S608  (constants)
HEAD = f"SELECT sequence, hash FROM {TABLE} ORDER BY sequence DESC LIMIT 1"  # noqa: S608
INSERT = f"INSERT INTO {TABLE} ({', '.join(COLUMNS)}) VALUES ({', '.join([':' + name for name in COLUMNS])})"  # noqa: S608
REMOVE = f"DELETE FROM {TABLE} WHERE sequence <= :sequence"  # noqa: S608

# Writers take turns from the head that they read to the commit. The number is one of remit's own.
BEGIN_SQLITE = "BEGIN IMMEDIATE"
BEGIN_POSTGRESQL = ("BEGIN", "SELECT pg_advisory_xact_lock(7237123446849045876)")
