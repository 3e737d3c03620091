"""Metrics: what a running remit tells Prometheus (docs/metrics.md). Each instance has a registry of its own.

Rule of this file: no label holds what a caller chose (`labels`), so that nobody outside can make series or put text into them.
"""

from __future__ import annotations

import platform
from collections import Counter as Tally
from collections.abc import Callable, Iterable
from importlib.metadata import PackageNotFoundError, version

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import choose_encoder

from remit.agents.protocols import AGENTS
from remit.effects.decided import Decided
from remit.effects.labels import OTHER, names_of
from remit.effects.tallies import Tallies
from remit.reload.status import CHANGED, RESULTS, UNCHANGED, Attempt
from remit_dsl.program import Program

APPROVAL_ANSWERS = ("approved", "denied", "expired")
# As the log counts them, and what becomes of records that are sent to a receiver.
AUDIT_RESULTS = ("written", "failed", "dropped")
SHIPPED_RESULTS = ("sent", "dropped", "rejected", "failed")
HOOK_OUTCOMES = ("allow", "ask", "deny", "abstain", "error")

UNKNOWN = float("nan")

# Upper bounds in seconds: a person answers within seconds, or hours.
_APPROVAL_BUCKETS = (1, 5, 15, 30, 60, 300, 900, 3600, 4 * 3600)
_RELOAD_BUCKETS = (0.05, 0.1, 0.2, 0.3, 0.5, 1, 2, 3, 6, 15)


class Metrics:
    """Counts decisions (call it with each), reloads, approvals, records of the decision log, requests of hooks. Thread-safe.

    program: what is in force, None while nothing is. agents: names of agents that the host knows beyond those in policies.
    """

    def __init__(self, program: Program | None = None, *, agents: Iterable[str] = AGENTS) -> None:
        self.registry = CollectorRegistry()
        self._agents = frozenset(agents)
        self._tallies = Tallies(names_of(None, self._agents))
        self.registry.register(self._tallies)
        self._of_policies()
        self._of_people_and_hooks()
        self._of_the_log()
        self._gauge("remit_build_info", "1 for what is running.", "version", "python").labels(
            _version(), platform.python_version()
        ).set(1)
        if program is not None:
            self.program_changed(program)

    def _gauge(self, name: str, text: str, *labels: str) -> Gauge:
        return Gauge(name, text, labels, registry=self.registry)

    def _counter(self, name: str, text: str, label: str, values: Iterable[str]) -> dict[str, Counter]:
        """The children of a counter with one label, all at 0 from the start: a rate needs something to rise from."""
        counter = Counter(name, text, [label], registry=self.registry)
        return {value: counter.labels(value) for value in values}

    def _of_policies(self) -> None:
        self._info = self._gauge("remit_policy_info", "1 for the revision in force.", "revision")
        self._rules = self._gauge("remit_policy_rules", "Rules in force.", "effect", "tier")
        self._age = self._gauge("remit_policy_age_seconds", "Since the files were last seen to be what is in force.")
        self._age.set(UNKNOWN)
        self._reloaded = self._gauge(
            "remit_policy_last_reload_success_timestamp_seconds",
            "When the policies were last loaded without a mistake.",
        )
        self._reloads = self._counter("remit_policy_reloads", "Tries to load policies.", "result", RESULTS)
        self._reload_seconds = Histogram(
            "remit_policy_reload_seconds",
            "What a try to load took.",
            buckets=_RELOAD_BUCKETS,
            registry=self.registry,
        )

    def _of_people_and_hooks(self) -> None:
        self._pending = self._gauge("remit_approvals_pending", "Calls that wait for a person.")
        seconds = Histogram(
            "remit_approval_seconds",
            "How long calls waited for a person.",
            ["answer"],
            buckets=_APPROVAL_BUCKETS,
            registry=self.registry,
        )
        self._approvals = {answer: seconds.labels(answer) for answer in (*APPROVAL_ANSWERS, OTHER)}
        self._hooks = Counter(
            "remit_hook_requests", "What hooks were answered.", ["agent", "outcome"], registry=self.registry
        )

    def _of_the_log(self) -> None:
        self._records = self._counter(
            "remit_audit_records", "Records of the decision log.", "result", (*AUDIT_RESULTS, OTHER)
        )
        self._shipped = self._counter(
            "remit_audit_shipped", "Records sent to a receiver.", "result", (*SHIPPED_RESULTS, OTHER)
        )
        self._writable = self._gauge("remit_audit_writable", "1 while the decision log can be written, else 0.")
        self._queued = self._gauge("remit_audit_queue_records", "Records that wait to be written.")
        self._writable.set(UNKNOWN)
        self._queued.set(UNKNOWN)

    # --- what is counted ---------------------------------------------------------------------------------------

    def __call__(self, decided: Decided) -> None:
        """Count a decision."""
        self._tallies.count(decided)

    def program_changed(self, program: Program) -> None:
        """Another program is in force: its rules stand at 0 until they match, series of rules that are gone are dropped."""
        self._tallies.program_changed(names_of(program, self._agents))
        self._info.clear()
        self._info.labels(program.revision).set(1)
        self._rules.clear()
        for (effect, tier), number in Tally((row[1], row[14]) for row in program.tables["rules"] if not row[2]).items():
            self._rules.labels(effect, tier).set(number)

    def reload_result(self, attempt: Attempt) -> None:
        """Count a try to load policies."""
        self._reloads[attempt.result].inc()
        self._reload_seconds.observe(attempt.seconds)
        if attempt.result in (CHANGED, UNCHANGED):
            self._reloaded.set(attempt.at)

    def policy_age_from(self, age_s: Callable[[], float | None]) -> None:
        """Ask this for the policy age at every scrape; None where it is not known."""
        self._age.set_function(lambda: UNKNOWN if (age := age_s()) is None else age)

    def approvals_pending(self, number: int) -> None:
        """How many calls wait for a person now."""
        self._pending.set(number)

    def approval_answered(self, answer: str, seconds: float) -> None:
        """A person has answered (one of APPROVAL_ANSWERS) after so long."""
        self._approvals.get(answer, self._approvals[OTHER]).observe(seconds)

    def audit_result(self, result: str, number: int = 1) -> None:
        """What became of records (one of AUDIT_RESULTS)."""
        self._records.get(result, self._records[OTHER]).inc(number)

    def shipped(self, result: str, number: int = 1) -> None:
        """What became of records on their way to a receiver (one of SHIPPED_RESULTS)."""
        self._shipped.get(result, self._shipped[OTHER]).inc(number)

    def audit_health_from(self, problem: Callable[[], str], queued: Callable[[], float] = lambda: UNKNOWN) -> None:
        """Ask these at every scrape: why the decision log cannot be written ("": it can), and how many records wait."""
        self._writable.set_function(lambda: 0 if problem() else 1)
        self._queued.set_function(queued)

    def hook_request(self, agent: str, outcome: str) -> None:
        """What a hook was answered (one of HOOK_OUTCOMES)."""
        known = agent if agent in self._agents else OTHER
        self._hooks.labels(known, outcome if outcome in HOOK_OUTCOMES else OTHER).inc()

    # --- what is told ------------------------------------------------------------------------------------------

    def exposition(self, accept: str = "") -> tuple[bytes, str]:
        """All metrics as text, and its content type: OpenMetrics for whoever accepts that, else the classic format."""
        encode, content_type = choose_encoder(accept)
        return encode(self.registry), content_type


def _version() -> str:
    try:
        return version("remit")
    except PackageNotFoundError:  # run from its sources
        return "unknown"
