"""How much a call could harm, and why: for people who are asked, and for logs. It decides nothing."""

from __future__ import annotations

from remit.facts import Access

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

LEVELS = ("low", "medium", "high", "critical")
# What an access can do at worst, and how it is called.
BY_KIND = {
    "fs.delete": (1, "deletes files"),
    "fs.write": (1, "writes files"),
    "net.connect": (1, "connects to other hosts"),
}
BY_CODE = {
    "uncertain": (2, "may do what a rule denies"),
    "unparseable": (2, "holds code that could not be understood"),
    "budget": (2, "exceeds a limit"),
    "guard": (2, "touches what is guarded"),
    "error": (2, "could not be judged"),
}


def risk_of(codes: Iterable[str], severities: Iterable[str], accesses: Iterable[Access]) -> tuple[str, list[str]]:
    """Level and reasons, from the reason codes and severities of the units and from what they touch."""
    found = [BY_CODE[code] for code in codes if code in BY_CODE]
    found += [BY_KIND[access.kind] for access in accesses if access.kind in BY_KIND]
    found += [(LEVELS.index(word), f"a rule of severity {word} speaks of it") for word in severities if word in LEVELS]
    level = max([rank for rank, _ in found], default=0)
    return LEVELS[level], list(dict.fromkeys([why for _, why in sorted(found, key=lambda item: -item[0])]))
