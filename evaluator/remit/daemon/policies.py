"""The policies that a daemon decides by: its own, which it watches, or for each call those that are found for its project."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any, Protocol

from remit.daemon.projects import Projects
from remit.engine import Engine
from remit.errors import LoadError
from remit.policy_files import PolicyFile
from remit.reload.status import CHANGED, FAILED, UNCHANGED, Attempt, problems_of
from remit.reload.watched import Watched
from remit.request import Request
from remit_dsl.program import Program
from remit_dsl.records import NamedTuple

# Loading may have to wait for files to settle, and compile 10,000 rules.
RELOAD_S = 60.0

log = logging.getLogger("remit.daemon")


class Problem(NamedTuple):
    """Why the daemon should not be asked. blocking: it refuses every call."""

    code: str
    message: str
    blocking: bool

    def to_json(self) -> dict[str, Any]:
        return {"code": self.code, "message": self.message}


class Policies(Protocol):
    """Where engines come from. Thread-safe."""

    def start(self) -> None:
        """Load. Does not raise: what is wrong is logged, and one of the problems."""

    def stop(self) -> None: ...

    def engine(self) -> Engine:
        """The engine of the daemon's own policies, or of those that every call finds. Raises LoadError while there is none."""
        ...

    def engine_for(self, request: Request) -> Engine:
        """The engine that decides this call. Raises LoadError when there is none."""
        ...

    def files_for(self, request: Request) -> tuple[PolicyFile, ...]:
        """The files of the policies that decide this call. Raises LoadError when there are none."""
        ...

    def reload(self) -> Attempt | None:
        """Load anew, and what came of it; None when that took too long. Blocks."""
        ...

    def problems(self) -> list[Problem]: ...

    def age_s(self) -> float | None:
        """How long ago the files were last seen to be what is in force; None when they never were."""
        ...


class OwnPolicies:
    """Those at the paths that the daemon was started with."""

    def __init__(
        self, paths: tuple[str, ...], on_change: Callable[[Program], None], on_attempt: Callable[[Attempt], None]
    ) -> None:
        self._watched = Watched(*paths, on_change=on_change, on_attempt=on_attempt)

    def start(self) -> None:
        self._watched.start()

    def stop(self) -> None:
        self._watched.stop()

    def engine(self) -> Engine:
        return self._watched.engine

    def engine_for(self, request: Request) -> Engine:
        return self._watched.engine

    def files_for(self, request: Request) -> tuple[PolicyFile, ...]:
        return self._watched.files

    def reload(self) -> Attempt | None:
        return self._watched.reload(RELOAD_S)

    def age_s(self) -> float | None:
        return self._watched.status.age_s

    def problems(self) -> list[Problem]:
        status = self._watched.status
        found = [] if status.revision else [Problem("no_policy", "no policy is in force", True)]
        more = [Problem("reload_failed", f"{item.at}: {item.message}", False) for item in status.problems]
        return found + more


class FoundPolicies:
    """Those that a hook process would find for the project of a call."""

    def __init__(self, home: str, on_change: Callable[[Program], None], on_attempt: Callable[[Attempt], None]) -> None:
        self._projects = Projects(home)
        self._on_change, self._on_attempt = on_change, on_attempt
        self._revision = ""

    def start(self) -> None:
        attempt = self.reload()
        if attempt.error is not None:
            log.error("the policies that every call finds cannot be used\n%s", str(attempt.error).rstrip())

    def stop(self) -> None:
        return

    def engine(self) -> Engine:
        return self._projects.engine("/")

    def engine_for(self, request: Request) -> Engine:
        return self._projects.engine(_project(request))

    def files_for(self, request: Request) -> tuple[PolicyFile, ...]:
        return self._projects.files(_project(request))

    def reload(self) -> Attempt:
        started, before = time.time(), self._revision
        try:
            program = self.engine().program
        except LoadError as error:
            attempt = Attempt(FAILED, before, started, time.time() - started, problems_of(error), error)
        else:
            self._revision = program.revision
            if program.revision != before:
                self._on_change(program)
            result = CHANGED if program.revision != before else UNCHANGED
            attempt = Attempt(result, program.revision, started, time.time() - started)
        self._on_attempt(attempt)
        return attempt

    def age_s(self) -> float | None:
        return 0.0 if not self.problems() else None

    def problems(self) -> list[Problem]:
        try:
            self.engine()
        except LoadError as error:
            return [Problem("no_policy", f"{item.at}: {item.message}", True) for item in problems_of(error)]
        return []


def _project(request: Request) -> str:
    """The folder whose policies decide the call."""
    return (request.workspace[0] if request.workspace else request.cwd) or "/"
