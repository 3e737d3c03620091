"""The name that was probably meant."""

from __future__ import annotations

from collections.abc import Iterable

MAX_NAME_LENGTH = 64  # longer names are not typing mistakes of anything, and the distance is quadratic


def nearest(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate that is the fewest slips away from `name`, or None if none is near enough to be meant.

    A slip is a missing, added or changed character, or two that changed places; letter case counts as nothing. One slip
    in three characters is near enough. Of equally near candidates the first in alphabetical order wins.
    """
    if not name or len(name) > MAX_NAME_LENGTH:
        return None
    allowed = max(1, len(name) // 3)
    best: str | None = None
    best_slips = allowed + 1
    for candidate in sorted(set(candidates)):
        if abs(len(candidate) - len(name)) < best_slips and len(candidate) <= MAX_NAME_LENGTH:
            slips = _slips(name.lower(), candidate.lower())
            if slips < best_slips and slips < max(len(name), len(candidate)):
                best, best_slips = candidate, slips
    return best


def did_you_mean(name: str, candidates: Iterable[str]) -> str:
    """A help text that names the nearest candidate, or nothing."""
    found = nearest(name, candidates)
    return f"did you mean `{found}`?" if found else ""


def _slips(a: str, b: str) -> int:
    """The optimal string alignment distance: the edit distance with neighbours swapped counting once."""
    before: list[int] = []
    above = list(range(len(b) + 1))
    for i in range(1, len(a) + 1):
        row = [i]
        for j in range(1, len(b) + 1):
            cost = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1]))
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, above = above, row
    return above[-1]
