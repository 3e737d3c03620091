"""Rows of results and the table that is printed."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import NamedTuple


class Row(NamedTuple):
    """One result, in microseconds; ratio: its median in units of the reference's, None for the reference itself."""

    what: str
    case: str
    median: float
    p99: float
    ratio: float | None


def row(what: str, case: str, nanoseconds: Sequence[int], reference: float | None = None) -> Row:
    """Median and 99th percentile of at least two samples, beside the reference's median in microseconds."""
    median = statistics.median(nanoseconds) / 1000
    p99 = statistics.quantiles(nanoseconds, n=100, method="inclusive")[98] / 1000
    return Row(what, case, median, p99, None if reference is None else median / reference)


def table(rows: Sequence[Row]) -> str:
    """The rows as text, aligned; times in the unit that suits their size."""
    head = ("what", "case", "median", "p99", "ratio")
    cells = [
        (r.what, r.case, _time(r.median), _time(r.p99), "" if r.ratio is None else f"{r.ratio:.1f}x") for r in rows
    ]
    widths = [max(len(line[column]) for line in [head, *cells]) for column in range(len(head))]
    return "\n".join(_line(line, widths) for line in [head, *cells])


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    left = [cell.ljust(width) for cell, width in zip(cells[:2], widths[:2], strict=True)]
    right = [cell.rjust(width) for cell, width in zip(cells[2:], widths[2:], strict=True)]
    return "  ".join(left + right).rstrip()


def _time(microseconds: float) -> str:
    if microseconds < 1_000:
        return f"{microseconds:.1f} us"
    return f"{microseconds / 1_000:.1f} ms" if microseconds < 1_000_000 else f"{microseconds / 1_000_000:.2f} s"
