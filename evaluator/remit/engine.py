"""Engine: observe, decide, answer. Here is the one place where a failure becomes an answer, and that answer is deny."""

from __future__ import annotations

import itertools
import os
import time
from _collections_abc import Mapping  # collections.abc without the rest of collections
from _thread import allocate_lock  # threading would be one more module for every hook

from remit.decide import CONSECUTIVE_DENIAL_LIMIT, TOTAL_DENIAL_LIMIT, decide
from remit.facts import Exit, Facts
from remit.observe import Moment, observe
from remit.paths import FileSystem, RealFiles
from remit.request import Request, Session, fingerprint
from remit.verdict import Reason, Verdict
from remit_dsl.program import Program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
# What a request gets that could not be judged, for whatever reason.
ON_FAILURE = "deny"
# A call of this tool is denied whatever the policies say, so that `remit doctor` can see whether a hook works.
CANARY = "RemitCanary"
_SUNG = Reason("rule", CANARY, message="hooks that work deny this call")
MAX_PATH = 4096  # PATH_MAX, linux/limits.h
PLAIN_EXIT = Exit(False, True, "", False)
NO_CLOCK = Moment("", 0, "")  # for programs that do not ask what time it is


class Engine:
    """Decides requests by one program at a time. Thread-safe: a decision reads the program once and keeps to it."""

    def __init__(
        self,
        program: Program,
        *,
        files: FileSystem | None = None,
        source: Any = None,
        second_opinion: str = "auto",
    ) -> None:
        """second_opinion: whether bashlex reads commands as well: `on`, `off`, or `auto`, where it is installed. Raises RemitError for `on`
        without it."""
        if second_opinion not in ("auto", "off"):
            from remit.second_opinion import check_setting

            check_setting(second_opinion)
        self._alone = second_opinion == "off"
        self._program = _in_use(program, files)
        # What files say is kept for one request at most: links may lead elsewhere a moment later.
        self._files = files
        self._source = source
        self._reloading = allocate_lock()
        self._prefix = os.urandom(6).hex()
        self._numbers = itertools.count(1)

    @classmethod
    def load(
        cls, *paths: str | os.PathLike[str], files: FileSystem | None = None, second_opinion: str = "auto"
    ) -> Self:
        """The engine of the policies at `paths` (files or folders), or of those that are found where policies are kept.

        Raises LoadError with every diagnostic when any of them is not right: all or nothing.
        """
        from remit.loader import Loader

        loader = Loader([os.fspath(path) for path in paths])
        return cls(loader.load(), files=files, source=loader, second_opinion=second_opinion)

    @classmethod
    def from_source(
        cls,
        text: str,
        *,
        data: Mapping[str, str] | None = None,
        files: FileSystem | None = None,
        second_opinion: str = "auto",
    ) -> Self:
        """The engine of one policy text. Raises LoadError."""
        from remit.loader import program_of_text

        return cls(program_of_text(text, data=data), files=files, second_opinion=second_opinion)

    @property
    def program(self) -> Program:
        """The program in force."""
        return self._program

    def reload(self) -> bool:
        """Load the policies anew; whether the program changed. Raises LoadError, and then the last good program stays in force."""
        if self._source is None:
            return False
        with self._reloading:
            return self._swap(self._source.load())

    def put_in_force(self, program: Program) -> bool:
        """Decide by this program from the next call on; whether it is another one. Calls under way keep theirs."""
        with self._reloading:
            return self._swap(program)

    def _swap(self, program: Program) -> bool:
        """The links that lie behind its paths are looked at anew also when the program is the same."""
        before, after = self._program, _in_use(program, self._files)
        if after.revision != before.revision or after.tables["rules"] != before.tables["rules"]:
            self._program = after
        return after.revision != before.revision

    def decide(self, request: Request) -> Verdict:
        """The verdict on a request. Never raises; what could not be judged is denied with the reason `error`."""
        program = self._program
        number = f"{self._prefix}-{next(self._numbers):x}"
        try:
            if request.tool == CANARY:
                return Verdict("deny", _SUNG, (), (), request.mode, program.revision, number)
            facts = self.observe(request, program)
            if not self._alone and facts.subject.__class__ is str and facts.units and facts.units[0].kind != "tool":
                from remit.second_opinion import reviewed

                facts = reviewed(facts, facts.subject)
            verdict = decide(program, facts, number)
            if verdict.decision == "ask":
                from remit.suggestions import suggest

                return Verdict(*verdict[:-1], tuple(suggest(program, facts, verdict.units)))
            return verdict
        except Exception as error:  # noqa: BLE001  (the one fail-closed boundary)
            return failure(error, program.revision, number)

    def observe(self, request: Request, program: Program | None = None) -> Facts:
        """The facts that `decide` would judge. Raises when the request is not well formed."""
        request = _checked(request)
        program = self._program if program is None else program
        index = program.tables["index"]
        moment = _clock(request.time) if index["when"] or index["until"] else NO_CLOCK
        files = self._files if self._files is not None else RealFiles()
        return observe(request, program, files, moment, _way_out(request))


def _in_use(program: Program, files: FileSystem | None) -> Program:
    """The program as this machine's links make it."""
    if not program.asks_paths:
        return program
    from remit.real_spellings import with_real_spellings

    return with_real_spellings(program, os.path.expanduser("~"), files if files is not None else RealFiles())


def failure(error: BaseException, revision: str, decision_id: str) -> Verdict:
    """The verdict that stands for a failure."""
    reason = Reason("error", message=f"the call could not be judged ({type(error).__name__})")
    return Verdict(ON_FAILURE, reason, (), (), "default", revision, decision_id)


def _checked(request: Request) -> Request:
    """The request with its gaps filled from this process; TypeError or ValueError where a field cannot be relied on."""
    if not isinstance(request, Request):
        raise TypeError("not a Request")
    tool, given, cwd, workspace, home, mode, agent, kind, *_ = request
    if not (type(given) is dict or isinstance(given, Mapping)) or isinstance(workspace, str):
        raise TypeError("a request needs a mapping of parameters and a list of folders")
    for text in (tool, cwd, home, mode, agent, kind, *workspace):
        if type(text) is not str:
            raise TypeError("not a text where one is needed")
    if not (cwd and home):
        cwd, home = cwd or os.getcwd(), home or os.path.expanduser("~")
        request = request._replace(cwd=cwd, home=home)
    if cwd[0] != "/" or home[0] != "/" or len(cwd) > MAX_PATH or len(home) > MAX_PATH:
        raise ValueError("cwd and home are absolute paths of at most 4,096 characters")
    return request


def _way_out(request: Request) -> Exit:
    """What the exit of the ladder asks of the session."""
    interactive = request.interactive and request.agent_kind != "silent"
    session = request.session
    if not isinstance(session, Session):
        if interactive and not request.classifier:
            return PLAIN_EXIT
        return Exit(False, interactive, request.classifier, False)
    approved = bool(session.approved) and fingerprint(request) in session.approved
    limit = session.consecutive_denials >= CONSECUTIVE_DENIAL_LIMIT or session.denials >= TOTAL_DENIAL_LIMIT
    return Exit(approved, interactive, request.classifier, limit)


def _clock(given: str) -> Moment:
    """The request's own time (ISO, local), or now."""
    if given:
        moment = time.strptime(given[:16], "%Y-%m-%dT%H:%M")
    else:
        moment = time.localtime()
    today = f"{moment.tm_year:04}-{moment.tm_mon:02}-{moment.tm_mday:02}"
    return Moment(today, moment.tm_hour, WEEKDAYS[moment.tm_wday])
