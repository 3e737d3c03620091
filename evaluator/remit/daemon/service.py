"""What a running daemon holds: policies, what follows a decision, and whether it is fit to serve. Knows nothing of HTTP."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from remit.daemon.modes import ModeSwitches
from remit.daemon.options import Options, account_home, same_place
from remit.daemon.policies import FoundPolicies, OwnPolicies, Policies, Problem
from remit.daemon.sessions import Sessions
from remit.effects.audit.masking import hidden_by
from remit.effects.audit.receiver import Receiver
from remit.effects.audit.shipping import Shipper
from remit.effects.audit.writer import DecisionLog
from remit.effects.decided import Decided
from remit.effects.metrics import Metrics
from remit.engine import Engine, failure
from remit.errors import LoadError
from remit.reload.status import Attempt
from remit.request import Request
from remit.verdict import Reason, Verdict
from remit_dsl.program import Program

# A call of this size is decided faster than it is handed to another thread.
SMALL_BYTES = 4096
THREADS = 4

log = logging.getLogger("remit.daemon")


class Service:
    """Decides for whoever asks. Thread-safe, but for the asynchronous methods, which belong to one loop."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.metrics = Metrics()
        self.modes = ModeSwitches()
        self.sessions = Sessions(options.sessions) if options.sessions else None
        self.log: DecisionLog | None = None
        self._shipper: Shipper | None = None
        self._paths = same_place(options.policies)
        self._hidden: set[str] = set()
        follow = (self._in_force, self.metrics.reload_result)
        self.policies: Policies = (
            OwnPolicies(self._paths, *follow) if self._paths else FoundPolicies(options.home or account_home(), *follow)
        )
        self.metrics.policy_age_from(self.policies.age_s)
        self._pool = ThreadPoolExecutor(THREADS, "remit-decide")

    def start(self) -> None:
        """Load the policies, open the log. Does not raise: what is wrong is logged, and one of the problems."""
        self.policies.start()
        if self.options.log:
            self.log = DecisionLog(self.options.log, self.options.logging, count=self.metrics.audit_result)
            self.log.hide(tuple(self._hidden))
            self.metrics.audit_health_from(self.log.problem, self.log.queued)
        if self.options.ship:
            receiver = Receiver(self.options.ship, self.options.ship_token, self.options.ship_ca)
            self._shipper = Shipper(self.options.log, receiver, count=self.metrics.shipped)
            self._shipper.start()

    def _in_force(self, program: Program) -> None:
        """Counts by the program's rules; what any program that was in force calls secret is kept out of the log from then on."""
        self.metrics.program_changed(program)
        new = set(hidden_by(program)) - self._hidden
        self._hidden |= new
        if self.log is not None and new:
            self.log.hide(tuple(new))

    def stop(self) -> None:
        """Finish what is under way, and write what is to be recorded."""
        self._pool.shutdown(wait=True)
        if self._shipper is not None:
            self._shipper.stop()
        if self.log is not None and not self.log.stop():
            log.error("not all decisions could be recorded")
        self.policies.stop()

    # --- policies ----------------------------------------------------------------------------------------------

    def engine(self) -> Engine | None:
        """The engine in force: of the daemon's own policies, or of those that every call finds; None while there is none."""
        try:
            return self.modes.applied(self.policies.engine())
        except LoadError:
            return None

    def has_policies(self, paths: tuple[str, ...]) -> bool:
        """Whether a hook that was started with these paths would decide by the same policies. Without any it would find the account's own,
        and not those of another home that this daemon was told of."""
        elsewhere = self.options.home and os.path.realpath(self.options.home) != os.path.realpath(account_home())
        return same_place(paths) == self._paths and (bool(paths) or not elsewhere)

    def reload(self) -> Attempt | None:
        """Load the policies anew; None when that took too long. Blocks."""
        return self.policies.reload()

    def problems(self) -> list[Problem]:
        """Why the daemon should not be asked; none when all is well."""
        found, age = self.policies.problems(), self.policies.age_s()
        if age is not None and 0 < self.options.max_policy_age_s < age:
            found.append(Problem("stale_policy", f"the policies were last read {int(age)} seconds ago", False))
        if self.log is not None and (why := self.log.problem()):
            found.append(Problem("log", f"decisions cannot be recorded: {why}", False))
        if self._shipper is not None and (why := self._shipper.problem()):
            found.append(Problem("receiver", f"records cannot be sent: {why}", False))
        if self.sessions is not None and (why := self.sessions.problem()):
            found.append(Problem("sessions", f"sessions cannot be used: {why}", False))
        return found

    # --- decisions ---------------------------------------------------------------------------------------------

    async def decide(self, request: Request, size: int) -> Verdict:
        """The verdict, once it is recorded. size: of the call as it came, in bytes. Never raises."""
        return (await self.decide_all([request], size))[0]

    async def decide_all(self, requests: Sequence[Request], size: int) -> list[Verdict]:
        """The verdicts in order. Policies that cannot be used are the reason `error`."""
        try:
            return await self.judge_all(requests, size)
        except LoadError:
            return [failure_of("the policies cannot be used") for _ in requests]

    async def judge_all(self, requests: Sequence[Request], size: int, *, again: bool = False) -> list[Verdict]:
        """As `decide_all`, but raises LoadError where there is no program to decide by. again: these calls were judged before, so that
        their sessions do not count them."""
        if size <= SMALL_BYTES and self._paths and self.sessions is None:
            decided = self._decided(requests, again)
        else:
            decided = await asyncio.get_running_loop().run_in_executor(self._pool, self._decided, requests, again)
        if self.log is None:
            return [item.verdict for item in decided]
        return list(await asyncio.gather(*[self.log.settled(item) for item in decided]))

    def _decided(self, requests: Sequence[Request], again: bool) -> list[Decided]:
        found = []
        for request in requests:
            started = time.perf_counter()
            verdict = self._judged(request, again)
            item = Decided(request, verdict, time.time(), time.perf_counter() - started, "daemon")
            self._count(item)
            found.append(item)
        return found

    def _judged(self, request: Request, again: bool) -> Verdict:
        engine = self.modes.applied(self.policies.engine_for(request))
        if self.sessions is None:
            return engine.decide(request)
        return self.sessions.decide(request, engine, self.policies.files_for(request), self.modes.applied, again=again)

    def _count(self, decided: Decided) -> None:
        try:
            self.metrics(decided)
        except Exception:  # what follows a decision never changes it
            log.exception("counting a decision failed")


def failure_of(message: str) -> Verdict:
    """The verdict on what could not be judged, with the engine's own word for it."""
    return failure(ValueError(), "", "")._replace(reason=Reason("error", message=message))
