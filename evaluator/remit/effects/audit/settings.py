"""How decisions are recorded."""

from __future__ import annotations

from remit_dsl.records import NamedTuple

UNWRITABLE = ("ask", "deny", "allow")
DURABILITY = ("full", "normal")


class LogSettings(NamedTuple):
    """unwritable: what an allow becomes whose record cannot be written ("allow" = it stays, and is counted). wait_s: how long a decision
    waits for its record. durability: "full" survives the loss of power, "normal" that of the process only. busy_s: how long another
    writer is waited for. queue: records that may wait to be written. segment: records that are removed together; keep_days, keep_records:
    how much stays (0 = all). waits: an allow waits for its record. keep_calls: store calls unmasked and whole,
    so that all of them can be replayed. hidden: texts that are masked wherever they stand.
    """

    unwritable: str = "ask"
    waits: bool = True
    wait_s: float = 2.0
    durability: str = "full"
    busy_s: float = 2.0
    queue: int = 10_000
    segment: int = 10_000
    keep_days: float = 0.0
    keep_records: int = 0
    keep_calls: bool = False
    hidden: tuple[str, ...] = ()


DEFAULT = LogSettings()
