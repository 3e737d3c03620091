"""Status: what is in force, since when, and what became of the last try to change that. Data only."""

from __future__ import annotations

from remit.errors import LoadError
from remit_dsl.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# What a try can come to; each is a metric label.
CHANGED, UNCHANGED, FAILED = "changed", "unchanged", "failed"
RESULTS = (CHANGED, UNCHANGED, FAILED)

# More than anybody reads at once; the log has them all.
MAX_PROBLEMS = 20


class Problem(NamedTuple):
    """Why a try failed. code: of docs/language.md, or "" for a failure of this machine; at: file:line, or the file alone."""

    code: str
    at: str
    message: str


class Attempt(NamedTuple):
    """One try to put other policies in force. result: one of RESULTS; revision: in force afterwards ("": none); at: seconds since the
    epoch; seconds: what it took, waiting for the files to settle included; error: what to show to whoever must mend it."""

    result: str
    revision: str
    at: float
    seconds: float
    problems: tuple[Problem, ...] = ()
    error: LoadError | None = None


class Status(NamedTuple):
    """What is in force. revision: "" = nothing yet; since: when it came in force (seconds since the epoch, 0 = never); last: the last
    try; counts: tries by result. age_s: seconds since the files were last seen to be what is in force, None before that.
    events: whether changes are seen as they happen; else the timer alone finds them."""

    revision: str
    since: float
    last: Attempt | None
    counts: dict[str, int]
    age_s: float | None
    events: bool

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Why the files as they are now are not in force; none when they are."""
        return self.last.problems if self.last is not None else ()

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        last = self.last
        return {
            "revision": self.revision,
            "since": self.since,
            "age_s": self.age_s,
            "events": self.events,
            "counts": dict(self.counts),
            "last": None if last is None else {"result": last.result, "at": last.at, "seconds": last.seconds},
            "problems": [problem._asdict() for problem in self.problems],
        }


def problems_of(error: LoadError) -> tuple[Problem, ...]:
    """The errors among a LoadError's diagnostics, each with its file and line; MAX_PROBLEMS at most."""
    found = []
    for item in error.diagnostics:
        if item.severity != "error":
            continue
        source = error.sources.get(item.source_name)
        line = f":{source.position(item.start)[0]}" if source is not None else ""
        found.append(Problem(item.code, f"{item.source_name}{line}", item.message))
    return tuple(found[:MAX_PROBLEMS])
