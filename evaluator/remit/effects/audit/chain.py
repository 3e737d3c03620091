"""The chain: each record carries the hash of the one before it.

A link is the hash of `{"body":BODY,"previous":HASH,"sequence":N}` in canonical form: SHA-256 (FIPS 180-4), in lower-case
hexadecimal. The sequence number gives the order, never the time, so that a clock that is set back changes nothing. The first record
follows GENESIS.
"""

from __future__ import annotations

from remit.effects.audit.record import Body
from remit_dsl.digest import sha256
from remit_dsl.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

GENESIS = "0" * 64


class Head(NamedTuple):
    """The last record of a chain: its number and its hash. A chain without records has the head START."""

    sequence: int
    hash: str


START = Head(0, GENESIS)


class Row(NamedTuple):
    """A record as it is stored. The fields behind `body` repeat parts of it, for queries."""

    sequence: int
    previous: str
    hash: str
    body: str
    at: float
    decision: str
    code: str
    rule: str
    tool: str
    agent: str
    session: str
    decision_id: str


_TYPES = [int, str, str, str, float, *[str] * 7]


def is_typed(row: Row) -> bool:
    """Whether the values are of their types: SQLite stores whatever it is given (https://sqlite.org/datatype3.html)."""
    return [type(value) for value in row] == _TYPES


def link_hash(previous: str, sequence: int, body: str) -> str:
    """The hash of a record, whose body is canonical JSON."""
    text = f'{{"body":{body},"previous":"{previous}","sequence":{sequence}}}'
    return str(sha256(text.encode("utf-8", "surrogatepass")).hexdigest())


def linked(head: Head, bodies: Iterable[Body]) -> list[Row]:
    """The records that continue a chain."""
    rows = []
    for body in bodies:
        sequence = head.sequence + 1
        head_hash = link_hash(head.hash, sequence, body.text)
        rows.append(Row(sequence, head.hash, head_hash, body.text, *body.columns))
        head = Head(sequence, head_hash)
    return rows
