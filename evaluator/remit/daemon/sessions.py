"""The sessions that a daemon decides in: one store, and the policies of each call with its session's own rules."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence

from remit.engine import Engine
from remit.loader import Loader
from remit.policy_files import PolicyFile
from remit.request import Request
from remit.sessions.deciding import KEPT_PROGRAMS, SessionEngine, rules_file
from remit.sessions.store import Store, StoreError
from remit.verdict import Verdict
from remit_dsl.program import Program


class ProgramsWith:
    """Programs of policy files together with a session's rules. Thread-safe; those used last are kept."""

    def __init__(self, path: str) -> None:
        self._path, self._loader = path, Loader(())
        self._kept: OrderedDict[tuple[tuple[PolicyFile, ...], str], Program] = OrderedDict()
        self._lock = threading.Lock()

    def program(self, files: Sequence[PolicyFile], text: str) -> Program:
        """The program. Raises LoadError."""
        key = (tuple(files), text)
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                found = self._kept[key] = self._loader.load_with(rules_file(self._path, text), key[0])
            self._kept.move_to_end(key)
            while len(self._kept) > KEPT_PROGRAMS:
                self._kept.popitem(last=False)
            return found


class Sessions:
    """Decides calls within the sessions in the file at `path`. Thread-safe."""

    def __init__(self, path: str) -> None:
        self.store = Store(path)
        self._programs = ProgramsWith(path)

    def problem(self) -> str:
        """Why the store cannot be used; "" when it can."""
        try:
            self.store.read("-")
        except StoreError as error:
            return str(error)
        return ""

    def decide(
        self,
        request: Request,
        engine: Engine,
        files: Sequence[PolicyFile],
        finished: Callable[[Engine], Engine],
        *,
        again: bool,
    ) -> Verdict:
        """The verdict within the session that the request names; by itself without one. engine: of the policies in `files`; finished: what
        an engine of these and a session's rules becomes. again: as of `remit.hook_sessions`. Never raises."""

        def with_rules(text: str) -> Engine:
            return finished(Engine(self._programs.program(files, text)))

        sessions = SessionEngine(lambda: engine, self.store, with_rules)
        return sessions.consider(request) if again else sessions.decide(request)
