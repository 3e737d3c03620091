"""Records as events of Open Policy Agent's decision log (openpolicyagent.org, "Decision Logs"), for receivers that know those."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from remit.effects.audit.chain import Row
from remit.effects.audit.querying import fields_of_row

PATH = "remit/decision"
_INPUT = ("tool", "input", "cwd", "agent", "agent_kind", "session", "user", "host", "labels")
_RESULT = ("decision", "reason", "units", "shadow", "risk", "mode")
_NANOSECONDS = 1e9


def event_of(row: Row) -> dict[str, Any] | None:
    """The event of a record; None for one that is no decision. `custom` carries its place in the chain. Raises OSError for one that
    cannot be read."""
    fields = fields_of_row(row)
    if fields.get("kind") != "decision":
        return None
    return {
        "labels": {"app": "remit", "source": fields.get("source", "")},
        "decision_id": fields.get("decision_id", ""),
        "path": PATH,
        "bundles": {"remit": {"revision": fields.get("revision", "")}},
        "input": {name: fields[name] for name in _INPUT if name in fields},
        "result": {name: fields[name] for name in _RESULT if name in fields},
        "requested_by": fields.get("user", ""),
        "timestamp": timestamp(row.at),
        "metrics": {"timer_server_handler_ns": int(fields.get("seconds", 0.0) * _NANOSECONDS)},
        "req_id": row.sequence,
        "custom": {
            "sequence": row.sequence,
            "previous": row.previous,
            "hash": row.hash,
            "whole": bool(fields.get("whole")),
        },
    }


def timestamp(at: float) -> str:
    """A time in UTC (RFC 3339); the beginning of the epoch for one that the calendar does not have."""
    try:
        moment = datetime.fromtimestamp(at, UTC)
    except (ValueError, OverflowError, OSError):
        moment = datetime.fromtimestamp(0, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
