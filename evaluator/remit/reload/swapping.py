"""Swapping: files that have settled -> a program -> in force, or the last good one stays. No threads here; one caller at a time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from remit.cache import load_cached, store
from remit.engine import Engine
from remit.errors import LoadError
from remit.loader import Loader
from remit.policy_files import PolicyFile
from remit.reload.settling import being_written, changed_paths, emptied, looks_partial
from remit.reload.status import CHANGED, FAILED, RESULTS, UNCHANGED, Attempt, Status, problems_of
from remit_dsl.diagnostics import Diagnostic
from remit_dsl.program import Program
from remit_dsl.records import NamedTuple

MOST_STEP_S = 0.05
# Looking at the links behind the paths of ten thousand rules takes a tenth of a second.
LINKS_S = 15.0


class Patience(NamedTuple):
    """How long files must have stayed the same before they count, in seconds. settle: any change; wary: one that looks like a part of
    a change; limit: files that keep changing are given up for now after that, and a file that is open for writing as well."""

    settle_s: float = 0.1
    wary_s: float = 2.0
    limit_s: float = 5.0


class Look(NamedTuple):
    """What the files were at one moment; problems: why they cannot be read."""

    files: tuple[PolicyFile, ...]
    problems: tuple[Diagnostic, ...]
    error: LoadError | None = None

    def is_like(self, other: Look | None) -> bool:
        return other is not None and self.files == other.files and self.problems == other.problems


class Swapper:
    """Puts policies in force. `status` may be read by any thread; `attempt` is for one. make: the engine for the first program."""

    def __init__(
        self,
        loader: Loader,
        patience: Patience,
        stop: threading.Event,
        make: Callable[[Program], Engine] = Engine,
    ) -> None:
        self.engine: Engine | None = None
        self._make = make
        self._loader, self._patience, self._stop = loader, patience, stop
        self._program: Program | None = None
        self._in_force: Look | None = None
        self._failed: Look | None = None
        self._last: Attempt | None = None
        self._since, self._checked, self._linked = 0.0, -1.0, 0.0
        self._counts = dict.fromkeys(RESULTS, 0)

    @property
    def files(self) -> tuple[PolicyFile, ...]:
        """The policy files of the program in force."""
        return self._in_force.files if self._in_force is not None else ()

    @property
    def error(self) -> LoadError | None:
        """Why the files as they are now are not in force; None when they are."""
        return self._last.error if self._last is not None else None

    def status(self, *, events: bool) -> Status:
        """What is in force now."""
        age = time.monotonic() - self._checked if self._checked >= 0 else None
        return Status(self._revision(), self._since, self._last, dict(self._counts), age, events)

    def attempt(self, *, asked: bool, changed: Callable[[Program], None]) -> Attempt | None:
        """Puts what the files say in force, calling `changed` if that is another program. asked: somebody wants to know; else there is
        no try (None) unless the files differ from what is in force and from what failed last. Never raises."""
        started, seen = time.monotonic(), self._look()
        if not asked and seen.is_like(self._failed):
            return None
        if not seen.is_like(self._in_force):
            settled = self._settle(seen)
            if self._stop.is_set() and settled is None:
                return None
            seen = settled if settled is not None else _restless()
        if seen.is_like(self._in_force):
            self._confirm()
            done = UNCHANGED if asked or self.error is not None else ""
            self._failed = None
            return self._tried(done, started) if done else None
        return self._try(seen, started, changed)

    def _look(self) -> Look:
        try:
            return Look(self._loader.find().files, ())
        except LoadError as error:
            return Look((), error.diagnostics, error)
        except Exception as error:  # noqa: BLE001  (out of memory or descriptors: whatever it is, the files are not known)
            return Look((), (_broken(error),), LoadError((_broken(error),), {}))

    def _settle(self, seen: Look) -> Look | None:
        """The files once they have stayed the same for long enough; None when they did not, or when it is time to stop.

        They are looked at twice at least: one look at many files may see some from before and some from after a change.
        """
        started = since = time.monotonic()
        step = min(self._patience.settle_s, MOST_STEP_S)
        while not self._stop.wait(step) and time.monotonic() - started <= self._patience.limit_s:
            again = self._look()
            if not again.is_like(seen):
                seen, since = again, time.monotonic()
            elif time.monotonic() - since >= self._needed_s(seen) and not self._is_being_written(seen):
                return seen
            if seen.is_like(self._in_force):
                return seen
        return None

    def _needed_s(self, seen: Look) -> float:
        if (
            seen.problems
        ):  # a file that is gone may come back at once, but where nothing is in force there is nothing to keep
            partial = self._in_force is not None
        else:
            partial = looks_partial(seen.files, self.files)
        return self._patience.wary_s if partial else self._patience.settle_s

    def _is_being_written(self, seen: Look) -> bool:
        return any(being_written(path) for path in changed_paths(seen.files, self.files))

    def _try(self, seen: Look, started: float, changed: Callable[[Program], None]) -> Attempt:
        try:
            if seen.error is not None:
                raise seen.error
            if empty := emptied(seen.files, self.files):
                raise LoadError([_empty(file) for file in empty], self._loader.sources)
            program = self._compiled(seen.files)
            before = self._revision()
            self._put_in_force(program)
        except LoadError as error:
            return self._not(seen, error, started)
        except Exception as error:  # noqa: BLE001  (a failure of this machine: the last good program stays)
            return self._not(seen, LoadError((_broken(error),), {}), started)
        self._in_force, self._failed = seen, None
        self._checked = time.monotonic()
        if program.revision == before:  # other words, the same meaning
            return self._tried(UNCHANGED, started)
        self._since = time.time()
        done = self._tried(CHANGED, started)
        changed(program)
        return done

    def _compiled(self, files: Sequence[PolicyFile]) -> Program:
        """The program of exactly these files: what has not settled is not read again."""
        first = self._program is None
        program = load_cached(files) if first else None
        if program is None:
            program = self._loader.compile(files)
            if first:
                store(files, program)
        return program

    def _put_in_force(self, program: Program) -> None:
        if self.engine is None:
            self.engine = self._make(program)
        else:
            self.engine.put_in_force(program)
        self._program, self._linked = program, time.monotonic()

    def _confirm(self) -> None:
        """The files are what is in force; links that its paths lead through may have changed."""
        now = time.monotonic()
        if self.engine is not None and self._program is not None and now - self._linked >= LINKS_S:
            self.engine.put_in_force(self._program)
            self._linked = now
        self._checked = now

    def _not(self, seen: Look, error: LoadError, started: float) -> Attempt:
        self._failed = seen
        return self._tried(FAILED, started, error)

    def _tried(self, result: str, started: float, error: LoadError | None = None) -> Attempt:
        problems = problems_of(error) if error is not None else ()
        self._counts[result] += 1
        seconds = time.monotonic() - started
        self._last = Attempt(result, self._revision(), time.time(), seconds, problems, error)
        return self._last

    def _revision(self) -> str:
        return self._program.revision if self._program is not None else ""


def _broken(error: Exception) -> Diagnostic:
    return Diagnostic("E501", f"the policies cannot be loaded on this machine ({type(error).__name__})", "", "", 0, 0)


def _empty(file: PolicyFile) -> Diagnostic:
    return Diagnostic("E501", "nothing is left in the file", "to take a policy away, remove its file", file.name, 0, 0)


def _restless() -> Look:
    """Stands for files that do not settle."""
    message = "the policies keep changing, or one of them is open for writing"
    item = Diagnostic("E501", message, "replace files by renaming new ones over them", "", 0, 0)
    return Look((), (item,), LoadError((item,), {}))
