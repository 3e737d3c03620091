"""Calls of the past, to be decided again: from a decision log, from an export of one, or one request a line."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from remit.payloads import MAX_BYTES, PayloadError, read_object
from remit.request import Request
from remit.request_json import request_of
from remit_dsl.records import NamedTuple

_SQLITE = b"SQLite format 3\0"  # the first bytes of a database file (https://sqlite.org/fileformat.html, 1.3)
_SAME = (
    "tool",
    "input",
    "cwd",
    "home",
    "workspace",
    "agent",
    "agent_kind",
    "session",
    "user",
    "host",
    "labels",
    "classifier",
)
# Reasons that lie in what was then, and not in the call and the policy.
OF_THE_MOMENT = ("approval", "denial_limit", "error", "stale_policy")


class Recorded(NamedTuple):
    """A call. decision, code, rule: what was answered, "" where that is not known. unsure: why the call cannot be decided again for
    certain, "" = it can."""

    place: str
    request: Request
    decision: str = ""
    code: str = ""
    rule: str = ""
    unsure: str = ""


def recorded_calls(place: str) -> Iterator[Recorded]:
    """The calls in order. Raises PayloadError for a line that holds none, OSError."""
    if "://" in place or _is_database(place):
        yield from _of_log(place)
        return
    with open(place, "rb") as file:
        number = 0
        while line := file.readline(2 * MAX_BYTES):
            number += 1
            if line.strip():
                yield _of_line(line, f"{os.path.basename(place)}:{number}")


def _is_database(place: str) -> bool:
    with open(place, "rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE


def _of_log(place: str) -> Iterator[Recorded]:
    from remit.cli.audit import opened
    from remit.effects.audit.querying import fields_of_row

    for row in opened(place).rows():
        fields = fields_of_row(row)
        if fields.get("kind") == "decision":
            yield of_record(fields, f"record {row.sequence}")


def _of_line(line: bytes, place: str) -> Recorded:
    try:
        value = read_object(line)
        fields = value.get("body")
        if isinstance(fields, dict) and "hash" in value:
            return of_record(fields, f"record {value.get('sequence')}")
        return Recorded(place, request_of(value))
    except PayloadError as error:
        raise PayloadError(f"{place}: {error}") from None


def of_record(fields: Mapping[str, Any], place: str) -> Recorded:
    """The call of a record, at the time when it was made. Raises PayloadError for a record that holds no call."""
    given = {name: fields[name] for name in _SAME if fields.get(name)}
    given["tool"] = fields.get("tool", "")
    given["mode"] = fields.get("requested_mode") or "default"
    given["time"] = fields.get("time") or _local_time(fields.get("at"))
    if fields.get("interactive") is False:
        given["interactive"] = False
    reason = fields.get("reason")
    reason = reason if isinstance(reason, dict) else {}
    code = str(reason.get("code", ""))
    whole = fields.get("whole") is True
    unsure = "masked or cut" if not whole else code if code in OF_THE_MOMENT else ""
    # What cannot be decided is not read either: a cut call need not be a right one.
    request = request_of(given) if whole else Request(str(given["tool"]))
    return Recorded(place, request, str(fields.get("decision", "")), code, str(reason.get("rule", "")), unsure)


def _local_time(at: Any) -> str:
    try:
        return datetime.fromtimestamp(at).isoformat(timespec="minutes")
    except (TypeError, ValueError, OverflowError, OSError):
        return ""
