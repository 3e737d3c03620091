"""Which records somebody asks for."""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy

from remit.effects.audit.chain import Row, is_typed
from remit.effects.audit.database import RECORDS
from remit.phrasing import one_line
from remit_dsl.records import NamedTuple


class Filter(NamedTuple):
    """What a record has to be; "", None and 0 ask for nothing. since, until: seconds since the epoch; after: a record's number."""

    decision: str = ""
    code: str = ""
    rule: str = ""
    tool: str = ""
    agent: str = ""
    session: str = ""
    decision_id: str = ""
    since: float | None = None
    until: float | None = None
    after: int = 0


EVERYTHING = Filter()
_TEXTS = ("decision", "code", "rule", "tool", "agent", "session", "decision_id")


def where(asked: Filter) -> list[sqlalchemy.ColumnElement[bool]]:
    """The conditions of a query."""
    found: list[sqlalchemy.ColumnElement[bool]] = []
    for name in _TEXTS:
        if wanted := getattr(asked, name):
            # As the column was written: on one line and cut.
            found.append(RECORDS.c[name] == one_line(wanted, 200))
    if asked.since is not None:
        found.append(RECORDS.c.at >= asked.since)
    if asked.until is not None:
        found.append(RECORDS.c.at < asked.until)
    if asked.after:
        found.append(RECORDS.c.sequence > asked.after)
    return found


def row_json(row: Row) -> dict[str, Any]:
    """A record as it is exported: all that its hash is made of, and the hash. Raises OSError where it cannot be read."""
    return {"sequence": row.sequence, "previous": row.previous, "hash": row.hash, "body": fields_of_row(row)}


def fields_of_row(row: Row) -> dict[str, Any]:
    """The fields of a record. Raises OSError where somebody made them unreadable."""
    try:
        fields = json.loads(row.body) if is_typed(row) else None
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        raise OSError(f"record {row.sequence} cannot be read; `remit audit verify` says more")
    return fields
