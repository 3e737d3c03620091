"""SessionEngine: an engine whose decisions know what happened before in the session, and are remembered for what comes after."""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Self

from remit.engine import Engine, failure
from remit.errors import LoadError
from remit.loader import Loader
from remit.paths import FileSystem
from remit.policy_files import PolicyFile
from remit.request import Request, Session
from remit.sessions.outcome import after, call_of, with_call
from remit.sessions.rules import NAME, policy_text
from remit.sessions.state import State
from remit.sessions.store import Store, StoreError
from remit.sessions.updates import without_expired
from remit.verdict import Reason, Verdict

# Compiled programs with a session's own rules; more sessions than that compile theirs anew.
KEPT_PROGRAMS = 64

# The policy text of a session's rules -> the engine of all policies with it. Raises LoadError.
WithRules = Callable[[str], Engine]


class _Used(Exception):
    """The approval that a decision rests on was used by another call meanwhile."""


class SessionEngine:
    """Decides as `engine` does, with the session's mode, rules, directories, approvals and history. Thread-safe, never raises. store: for
    updates from outside.

    A session whose state cannot be read or stored is refused (reason `error`): its own denials might be what is missing.
    """

    def __init__(
        self,
        engine: Callable[[], Engine],
        store: Store,
        with_rules: WithRules,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.store = store
        self._engine, self._with_rules, self._clock = engine, with_rules, clock
        self._programs: OrderedDict[tuple[str, str], Engine] = OrderedDict()
        self._lock = threading.Lock()

    @classmethod
    def load(cls, *paths: str | os.PathLike[str], store: str | os.PathLike[str]) -> Self:
        """Sessions in the file `store`, over the policies at `paths` or those that are found. Raises LoadError."""
        loader = Loader([os.fspath(path) for path in paths])
        engine = Engine(loader.load(), source=loader)
        return cls(lambda: engine, Store(store), loading_with(loader, os.fspath(store)))

    def decide(self, request: Request) -> Verdict:
        """The verdict on the request; one without a session's id is decided by itself."""
        session = request.session.id if isinstance(request.session, Session) else request.session
        engine = self._engine()
        if not session:
            return engine.decide(request)
        try:
            request = (
                request if request.cwd else request._replace(cwd=os.getcwd())
            )  # as the engine would: approvals name it
            return self._decide(engine, session, request)
        except StoreError:
            return _refused(engine, "the state of the session cannot be used")
        except LoadError:
            return _refused(engine, "the rules of the session cannot be used")
        except Exception as error:  # noqa: BLE001  (as in the engine: whatever it is, the call must not run)
            return failure(error, engine.program.revision, "")

    def _decide(self, engine: Engine, session: str, request: Request) -> Verdict:
        now = self._clock()
        state = without_expired(self.store.read(session), now)
        verdict = self._engine_of(engine, state).decide(with_state(request, state, now))
        try:
            self.store.change(session, lambda current: _remembered(current, request, verdict, now))
        except _Used:
            unapproved = state._replace(approvals=())
            verdict = self._engine_of(engine, state).decide(with_state(request, unapproved, now))
            self.store.change(session, lambda current: after(current, request, verdict, now))
        return verdict

    def _engine_of(self, engine: Engine, state: State) -> Engine:
        """The engine of the policies in force together with the session's rules."""
        if not state.rules:
            return engine
        text = policy_text(state.rules)
        key = (engine.program.revision, text)
        with self._lock:
            found = self._programs.get(key)
            if found is not None:
                self._programs.move_to_end(key)
                return found
        found = self._with_rules(text)
        with self._lock:
            self._programs[key] = found
            while len(self._programs) > KEPT_PROGRAMS:
                self._programs.popitem(last=False)
        return found


def with_state(request: Request, state: State, now: float) -> Request:
    """The request as the session makes it."""
    current = with_call(state, request, now)
    history = Session(
        state.id,
        state.calls,
        state.denials,
        state.consecutive_denials,
        current.repeats,
        frozenset([approval.call for approval in state.approvals if approval.expires > now]),
        state.read,
        state.wrote,
        state.fetched,
        state.steps,
        state.tokens,
        state.cancelled,
    )
    workspace = request.workspace
    if state.directories:
        workspace = (*(workspace or ((request.cwd,) if request.cwd else ())), *state.directories)
    return request._replace(session=history, mode=state.mode or request.mode, workspace=workspace)


def _remembered(current: State, request: Request, verdict: Verdict, now: float) -> State:
    """The state after the call, read again: between the decision and this, other calls may have been decided."""
    if verdict.reason.code == "approval" and call_of(request) not in [approval.call for approval in current.approvals]:
        raise _Used
    return after(current, request, verdict, now)


def _refused(engine: Engine, message: str) -> Verdict:
    return Verdict("deny", Reason("error", message=message), (), (), "default", engine.program.revision, "")


def loading_with(loader: Loader, path: str, files: FileSystem | None = None) -> WithRules:
    """How the sessions of the store at `path` get their engines: the loader's policies, and one more of tier `session`."""
    lock = threading.Lock()

    def with_rules(text: str) -> Engine:
        with lock:
            return Engine(loader.load_with(PolicyFile(NAME, path, text, NAME, True, (NAME,), ())), files=files)

    return with_rules
