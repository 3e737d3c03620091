"""What is wrong in a policy, where, and what to do about it. Data only: `render` turns it into text."""

from __future__ import annotations

from remit_dsl.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Literal, TypeAlias

Severity: TypeAlias = 'Literal["error", "warning", "note"]'

MAX_DIAGNOSTICS = 100


class Diagnostic(NamedTuple):
    """One finding. `code` is in `codes.CODES`; the message is lower-case, one sentence, no full stop, policy text in
    backticks; `help` is empty or says how to mend it; `start` and `end` are offsets in the source `source_name`."""

    code: str
    message: str
    help: str
    source_name: str
    start: int
    end: int
    severity: Severity = "error"


def cap(diagnostics: Iterable[Diagnostic], limit: int = MAX_DIAGNOSTICS) -> tuple[Diagnostic, ...]:
    """The diagnostics by source, place and code, without repetitions; past `limit`, a note says how many were left out.

    When something is left out, errors are kept before warnings and notes, so that a cut list still says what failed.
    """
    ordered = sorted(set(diagnostics), key=_place)
    if len(ordered) <= limit:
        return tuple(ordered)
    kept = sorted(sorted(ordered, key=_gravity)[:limit], key=_place)
    left_out = len(ordered) - limit
    last = kept[-1] if kept else ordered[0]
    note = Diagnostic("E100", f"{left_out} more not shown", "", last.source_name, last.end, last.end, "note")
    return (*kept, note)


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    return any(diagnostic.severity == "error" for diagnostic in diagnostics)


def _place(diagnostic: Diagnostic) -> tuple[str, int, str, int, str]:
    return diagnostic.source_name, diagnostic.start, diagnostic.code, diagnostic.end, diagnostic.message


def _gravity(diagnostic: Diagnostic) -> int:
    return ("error", "warning", "note").index(diagnostic.severity)
