"""Processes that write to a log: `python audit_writers.py light|log PLACE NUMBER [LIMIT]`. Each acknowledged record is a line on standard
output. LIMIT: bytes that a file may have, as a full disk."""

from __future__ import annotations

import resource
import sys

from audit_log import decided

from remit.effects.audit.light import append_light
from remit.effects.audit.writer import DecisionLog


def light(place: str, number: int) -> None:
    """As hooks write, one connection for each record."""
    for index in range(number):
        append_light(place, decided(f"make {index}"))
        print(index, flush=True)


def log(place: str, number: int) -> None:
    """As a daemon writes."""
    writer = DecisionLog(place)
    for index in range(number):
        verdict = writer.settle(decided(f"make {index}"))
        print(verdict.decision, index, flush=True)
    writer.stop()


def main(kind: str, place: str, number: str, limit: str = "") -> None:
    """Write so many records."""
    if limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))
    {"light": light, "log": log}[kind](place, int(number))


if __name__ == "__main__":
    main(*sys.argv[1:])
