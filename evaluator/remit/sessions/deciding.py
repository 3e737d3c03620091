"""SessionEngine: an engine whose decisions know what happened before in the session, and are remembered for what comes after."""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Protocol, Self

from remit.classifier.answers import TOO_LONG, UNAVAILABLE, Answer
from remit.engine import Engine, failure
from remit.errors import LoadError
from remit.loader import Loader
from remit.paths import FileSystem
from remit.phrasing import one_line
from remit.policy_files import PolicyFile
from remit.request import Request, Session
from remit.sessions.outcome import after, call_of, with_call
from remit.sessions.rules import NAME, policy_text
from remit.sessions.state import State, without_expired
from remit.sessions.store import Store, StoreError
from remit.transcript import call_line
from remit.verdict import Reason, Verdict

# Compiled programs with a session's own rules; more sessions than that compile theirs anew.
KEPT_PROGRAMS = 64

# The policy text of a session's rules -> the engine of all policies with it. Raises LoadError.
WithRules = Callable[[str], Engine]


class Classifier(Protocol):
    """What answers an open ask in a mode such as `auto`."""

    def classify(self, request: Request, history: list[str]) -> Answer:
        """The answer, given the lines of the session so far; never raises."""


class _Used(Exception):
    """The approval that a decision rests on was used by another call meanwhile."""


class SessionEngine:
    """Decides as `engine` does, with the session's mode, rules, directories, approvals and history. Thread-safe, never raises. store: for
    updates from outside.

    classifier: is asked in a mode whose asks become its business, about calls that no rule, doubt or guard (approvable ones aside) holds
    back. on_unavailable: what its silence means, "deny" or "ask". A session whose state cannot be read or stored is refused (reason
    `error`): its own denials might be what is missing.
    """

    def __init__(
        self,
        engine: Callable[[], Engine],
        store: Store,
        with_rules: WithRules,
        *,
        classifier: Classifier | None = None,
        on_unavailable: str = "deny",
        clock: Callable[[], float] = time.time,
    ) -> None:
        if on_unavailable not in ("deny", "ask"):
            raise ValueError("on_unavailable is `deny` or `ask`")
        self.store = store
        self._engine, self._with_rules, self._clock = engine, with_rules, clock
        self._classifier, self._on_unavailable = classifier, on_unavailable
        self._programs: OrderedDict[tuple[str, str], Engine] = OrderedDict()
        self._lock = threading.Lock()

    @classmethod
    def load(
        cls,
        *paths: str | os.PathLike[str],
        store: str | os.PathLike[str],
        classifier: Classifier | None = None,
        on_unavailable: str = "deny",
    ) -> Self:
        """Sessions in the file `store`, over the policies at `paths` or those that are found. Raises LoadError."""
        loader = Loader([os.fspath(path) for path in paths])
        engine = Engine(loader.load(), source=loader)
        with_rules = loading_with(loader, os.fspath(store))
        return cls(lambda: engine, Store(store), with_rules, classifier=classifier, on_unavailable=on_unavailable)

    def decide(self, request: Request) -> Verdict:
        """The verdict on the request; one without a session's id is decided by itself."""
        return self._judge(request, self._decide)

    def _judge(self, request: Request, judge: Callable[[Engine, str, Request], Verdict]) -> Verdict:
        session = request.session.id if isinstance(request.session, Session) else request.session
        engine = self._engine()
        if not session:
            return engine.decide(request)
        try:
            request = (
                request if request.cwd else request._replace(cwd=os.getcwd())
            )  # as the engine would: approvals name it
            return judge(engine, session, request)
        except StoreError:
            return _refused(engine, "the state of the session cannot be used")
        except LoadError:
            return _refused(engine, "the rules of the session cannot be used")
        except Exception as error:  # noqa: BLE001  (as in the engine: whatever it is, the call must not run)
            return failure(error, engine.program.revision, "")

    def consider(self, request: Request) -> Verdict:
        """The verdict on a call that `decide` has judged already, as when a client is about to ask a person: nothing is remembered of it,
        and no approval counts, because it could count again."""
        return self._judge(request, self._consider)

    def _consider(self, engine: Engine, session: str, request: Request) -> Verdict:
        now = self._clock()
        state = without_expired(self.store.read(session), now)._replace(approvals=())
        return self._engine_of(engine, state).decide(with_state(request, _before(state, request), now))

    def _decide(self, engine: Engine, session: str, request: Request) -> Verdict:
        if self._classifier is not None:
            request = request._replace(classifier="")  # the caller's word is not the classifier's
        now = self._clock()
        state = without_expired(self.store.read(session), now)
        verdict = self._classified(self._engine_of(engine, state), state, request, now)
        try:
            self._remember(session, request, verdict, now)
        except _Used:
            unapproved = state._replace(approvals=())
            verdict = self._engine_of(engine, state).decide(with_state(request, unapproved, now))
            self._remember(session, request, verdict, now)
        return verdict

    def _remember(self, session: str, request: Request, verdict: Verdict, now: float) -> None:
        line = call_line(request, verdict)
        self.store.change(session, lambda current: _remembered(current, request, verdict, now), line)

    def _classified(self, engine: Engine, state: State, request: Request, now: float) -> Verdict:
        """The verdict; where the mode leaves an ask to a classifier that may answer it, with its answer."""
        asked = with_state(request, state, now)
        verdict = engine.decide(asked)
        mode = engine.program.mode(asked.mode)
        if self._classifier is None or mode is None or mode.ask_becomes != "classifier" or not verdict.open:
            return verdict
        answer = self._classifier.classify(asked, self.store.history(state.id))
        word = self._on_unavailable if answer.word == UNAVAILABLE else "ask" if answer.word == TOO_LONG else answer.word
        if word not in ("allow", "deny"):
            return verdict._replace(reason=verdict.reason._replace(message=one_line(answer.reason)))
        # While the model was thinking, people may have said something, or the policies may have changed.
        state = without_expired(self.store.read(state.id), now := self._clock())
        changed = self._engine_of(self._engine(), state)
        answered = changed.decide(with_state(request, state, now)._replace(classifier=word))
        if answered.reason.code != "classifier":
            return answered
        retry = "; try again later" if answer.word == UNAVAILABLE else ""
        return answered._replace(reason=answered.reason._replace(message=one_line(answer.reason + retry)))

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


def _before(state: State, request: Request) -> State:
    """The state as it was before its last call, if that is this one, so that a call which is looked at again is no repetition of itself."""
    if not state.last_call or state.last_call != call_of(request):
        return state
    last = state.last_call if state.repeats else ""
    return state._replace(calls=state.calls - 1, repeats=max(0, state.repeats - 1), last_call=last)


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


def loading_with(
    loader: Loader, path: str, files: FileSystem | None = None, *, second_opinion: str = "auto"
) -> WithRules:
    """How the sessions of the store at `path` get their engines: the loader's policies, and one more of tier `session`."""
    lock = threading.Lock()

    def with_rules(text: str) -> Engine:
        with lock:
            program = loader.load_with(rules_file(path, text))
        return Engine(program, files=files, second_opinion=second_opinion)

    return with_rules


def rules_file(path: str, text: str) -> PolicyFile:
    """A session's rules (`policy_text`), of the store at `path`, as a policy file."""
    return PolicyFile(NAME, path, text, NAME, True, (NAME,), ())
