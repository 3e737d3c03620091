"""Whether a log is whole: which record was changed, dropped, put in, put elsewhere, or cut off at the end."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from remit.effects.audit.canonical import canonical
from remit.effects.audit.chain import START, Head, Row, is_typed, link_hash
from remit.effects.audit.record import columns_of
from remit_dsl.records import NamedTuple

MAX_FINDINGS = 100


class Finding(NamedTuple):
    """What is wrong at a record. kind: "changed", "dropped", "inserted", "order", "column", "cut_off", "head" or "head_file"."""

    sequence: int
    kind: str
    message: str

    def to_json(self) -> dict[str, Any]:
        return {"sequence": self.sequence, "kind": self.kind, "message": self.message}


class Verified(NamedTuple):
    """The outcome. first: the number of the first record; records: how many were looked at; findings: at most MAX_FINDINGS."""

    first: int
    records: int
    head: Head
    findings: tuple[Finding, ...]


class _Walk:
    """Goes through the records once and holds one of them at a time."""

    def __init__(self) -> None:
        self.head = START
        self.first = 0
        self.records = 0
        self.start = START  # what the first record claims to follow
        self.findings: list[Finding] = []
        self.retained: Head | None = None
        self._sound = True  # the record before

    def find(self, sequence: int, kind: str, message: str) -> None:
        if len(self.findings) < MAX_FINDINGS:
            self.findings.append(Finding(sequence, kind, message))

    def take(self, row: Row) -> None:
        self.records += 1
        if not is_typed(row):
            self.find(self.head.sequence + 1, "changed", "it holds values of other types than a record")
            return
        if not self.first:
            self.first, self.start = row.sequence, Head(row.sequence - 1, row.previous)
            self.head = self.start
        if not self._in_order(row):
            return
        fields = _fields(row.body)
        sound = link_hash(row.previous, row.sequence, row.body) == row.hash
        if not sound:
            self.find(row.sequence, "changed", "its content is not what its hash was made of")
        elif row.previous != self.head.hash and row.sequence == self.head.sequence + 1 and self._sound:
            message = f"it does not follow record {self.head.sequence}: one of the two was changed or replaced"
            self.find(row.sequence, "changed", message)
        self._details(row, fields)
        self._sound = sound
        self.head = Head(row.sequence, row.hash)

    def _in_order(self, row: Row) -> bool:
        missing = row.sequence - self.head.sequence - 1
        if missing < 0:
            kind = "inserted" if row.sequence == self.head.sequence else "order"
            self.find(row.sequence, kind, f"it stands behind record {self.head.sequence}")
            return False
        if missing:
            which = (
                f"record {row.sequence - 1} is"
                if missing == 1
                else f"records {self.head.sequence + 1} to {row.sequence - 1} are"
            )
            self.find(self.head.sequence + 1, "dropped", f"{which} missing")
        return True

    def _details(self, row: Row, fields: dict[str, Any] | None) -> None:
        if fields is None or canonical(fields) != row.body:
            self.find(row.sequence, "changed", "its content is no canonical JSON object")
            return
        if columns_of(fields) != tuple(row[4:]):
            self.find(row.sequence, "column", "what is repeated beside the record says something else than the record")
        if fields.get("kind") == "retention":
            self.retained = Head(_whole(fields.get("removed_to")), str(fields.get("hash", "")))


def verify(rows: Iterable[Row], *, noted: Head | None = None, expected: Head | None = None) -> Verified:
    """Look at every record, in the order in which they lie. noted: what the head file says; expected: a head that was kept
    elsewhere (with the number 0: any record of that hash). Both must be there: retention never removes the last records."""
    walk = _Walk()
    wanted = [head for head in (noted, expected) if head is not None and head != START]
    seen: set[Head] = set()
    for row in rows:
        walk.take(row)
        seen |= {head for head in wanted if head.hash == row.hash and head.sequence in (0, row.sequence)}
    _beginning(walk)
    for head in wanted:
        if head not in seen:
            _unseen(walk, head)
    return Verified(walk.first, walk.records, walk.head, tuple(walk.findings))


def _beginning(walk: _Walk) -> None:
    """The first record follows nothing, or what the last retention left."""
    begin = walk.retained or START
    if not walk.records or walk.start == begin:
        return
    if walk.start.sequence > begin.sequence:
        which = f"records {begin.sequence + 1} to {walk.start.sequence} are missing, and no retention says that it removed them"
        walk.find(begin.sequence + 1, "dropped", which)
    else:
        walk.find(walk.first, "changed", "it does not follow what the log says it begins with")


def _unseen(walk: _Walk, head: Head) -> None:
    name = f"record {head.sequence}" if head.sequence else f"the record with the hash {head.hash}"
    if walk.records and head.sequence and head.sequence < walk.first:
        # What the log says of its own beginning proves nothing: whoever writes a log anew can say that all before it was removed.
        walk.find(head.sequence, "head", f"{name} was removed, so that nothing ties this log to it: a later head does")
    elif head.sequence > walk.head.sequence:
        walk.find(
            walk.head.sequence + 1,
            "cut_off",
            f"the log ends at record {walk.head.sequence}, but {name} had been written",
        )
    else:
        walk.find(head.sequence, "head", f"{name} is not the one that had been written")


def _fields(body: str) -> dict[str, Any] | None:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _whole(value: Any) -> int:
    return value if isinstance(value, int) else -1
