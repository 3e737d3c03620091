"""Which records are old enough to go: whole segments, the oldest first, never the last one."""

from __future__ import annotations

import sqlalchemy

from remit.effects.audit.database import RECORDS, Database
from remit.effects.audit.settings import LogSettings

_DAY_S = 86_400.0


def removable(database: Database, settings: LogSettings, at: float) -> int:
    """The last record of the last segment that may go; 0 = none. A segment is a run of `segment` numbers; it goes when
    all of its records are older than `keep_days`, or when `keep_records` newer ones remain."""
    if not settings.keep_days and not settings.keep_records:
        return 0
    head = database.head()
    ends = [_by_age(database, at - settings.keep_days * _DAY_S) if settings.keep_days else 0]
    if settings.keep_records:
        ends.append(head.sequence - settings.keep_records)
    whole = max(ends) // settings.segment * settings.segment
    return whole if 0 < whole < head.sequence and whole >= _first(database) else 0


def _by_age(database: Database, before: float) -> int:
    """The record before the first that is young enough; by number, so that a clock that was set back lets nothing go early."""
    young = sqlalchemy.select(sqlalchemy.func.min(RECORDS.c.sequence)).where(RECORDS.c.at >= before)
    first = database.value(young)
    return (first if first is not None else database.head().sequence) - 1


def _first(database: Database) -> int:
    return database.value(sqlalchemy.select(sqlalchemy.func.min(RECORDS.c.sequence))) or 0
