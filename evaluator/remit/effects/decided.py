"""Decided: a request with its verdict, as metrics and the decision log take it."""

from __future__ import annotations

from remit.request import Request
from remit.verdict import Verdict
from remit_dsl.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias


class Decided(NamedTuple):
    """One decision. at: seconds since the epoch; seconds: what deciding took; source: "daemon", "hook" or "library"."""

    request: Request
    verdict: Verdict
    at: float
    seconds: float
    source: str


Effect: TypeAlias = "Callable[[Decided], None]"
