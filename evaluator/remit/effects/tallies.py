"""Tallies: what is counted on every decision, in plain numbers behind one lock.

A labelled `inc()` of prometheus-client costs about 10 µs and a cached child 2.5 µs, each with a lock of its own; a decision takes 50 µs and
counts half a dozen things. So they are added up here, and turned into metric families when somebody scrapes.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Iterable, Iterator

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from remit.effects.decided import Decided
from remit.effects.labels import NO_RULE, OTHER, Names, RuleLabels
from remit.shell.constructs import CONSTRUCTS
from remit.verdict import Reason, Verdict

# Upper bounds in seconds: from a decision by one plain rule to one that walks a large tree.
BUCKETS = (0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0)

# Reasons that the exit gives to an ask; their detail is the reason of the ask.
_EXITS = frozenset(("approval", "classifier", "non_interactive", "denial_limit"))
_NOT_SPLIT = frozenset(("unparseable", "budget"))

_Labels = tuple[str, ...]


class Tallies(Collector):
    """Counts of decisions. Thread-safe. `names` may change between decisions; rules that are gone are forgotten."""

    def __init__(self, names: Names) -> None:
        self._lock = threading.Lock()
        self._names = names
        self._decisions: dict[_Labels, int] = {}
        self._asks: dict[_Labels, int] = {}
        self._rules: dict[RuleLabels, int] = dict.fromkeys([NO_RULE, *names.rules.values()], 0)
        self._last: dict[RuleLabels, float] = {}
        self._shell = dict.fromkeys(("split", "declined"), 0)
        self._constructs = dict.fromkeys([*sorted(CONSTRUCTS), OTHER], 0)
        self._buckets = [0] * (len(BUCKETS) + 1)
        self._seconds = 0.0

    def program_changed(self, names: Names) -> None:
        """Rules of the program stand at 0 until they match; series of others are dropped, those of calls still under way
        with the old program count as `other`."""
        with self._lock:
            kept = dict.fromkeys([NO_RULE, *names.rules.values()], 0)
            self._rules = {labels: self._rules.get(labels, 0) for labels in kept}
            self._last = {labels: at for labels, at in self._last.items() if labels in kept}
            tools, agents = {OTHER, *names.tools.values()}, {OTHER, *names.agents}
            self._decisions = _folded(self._decisions, tools, agents)
            self._names = names

    def count(self, decided: Decided) -> None:
        """Adds one decision."""
        request, verdict, at, seconds, _ = decided
        reason = verdict.reason
        bucket = bisect_left(BUCKETS, seconds)
        with self._lock:
            names = self._names
            agent = request.agent if request.agent in names.agents else OTHER
            key = (verdict.decision, reason.code, names.tools.get(request.tool, OTHER), agent)
            self._decisions[key] = self._decisions.get(key, 0) + 1
            self._buckets[bucket] += 1
            self._seconds += seconds
            if verdict.decision == "ask" or reason.code in _EXITS:
                ask = (reason.detail if reason.code in _EXITS else reason.code, verdict.decision)
                self._asks[ask] = self._asks.get(ask, 0) + 1
            self._count_rules(names, verdict, at)
            if request.tool in names.shells:
                self._count_shell(verdict)

    def _count_rules(self, names: Names, verdict: Verdict, at: float) -> None:
        for unit in verdict.units:
            if unit.reason.rule and unit.reason.code not in _NOT_SPLIT:  # it may concern what was not understood
                self._matched(names, unit.reason, False, at)
        for reason in verdict.shadow:
            self._matched(names, reason, True, at)

    def _matched(self, names: Names, reason: Reason, shadow: bool, at: float) -> None:
        labels = names.rules.get((reason.policy, reason.rule, shadow), NO_RULE)
        self._rules[labels] += 1
        self._last[labels] = at

    def _count_shell(self, verdict: Verdict) -> None:
        declined = [unit.reason.detail for unit in verdict.units if unit.reason.code in _NOT_SPLIT]
        self._shell["declined" if declined else "split"] += 1
        for construct in declined:
            self._constructs[construct if construct in CONSTRUCTS else OTHER] += 1

    def collect(self) -> Iterator[Metric]:
        """The families as they are now."""
        with self._lock:
            decisions, asks = dict(self._decisions), dict(self._asks)
            rules, last = dict(self._rules), dict(self._last)
            shell, constructs = dict(self._shell), dict(self._constructs)
            buckets, seconds = list(self._buckets), self._seconds
        yield _counter("remit_decisions", "Decisions.", ("decision", "reason", "tool", "agent"), decisions.items())
        yield _histogram(buckets, seconds)
        text = "Asks by the reason of the ask, and what became of them."
        yield _counter("remit_asks", text, ("reason", "became"), asks.items())
        text = "Units that a rule decided, or would have decided were it enforced."
        yield _counter("remit_rule_matches", text, RuleLabels._fields, rules.items())
        yield _last_match(last)
        text = "Shell calls, by whether all of them could be split into commands."
        yield _counter("remit_shell_commands", text, ("outcome",), _single(shell))
        text = "Pieces of shell calls that were declined, by what stood in them."
        yield _counter("remit_shell_unparseable", text, ("construct",), _single(constructs))


def _folded(counts: dict[_Labels, int], tools: set[str], agents: set[str]) -> dict[_Labels, int]:
    """The counts, those of names that nobody knows any more added to `other`."""
    kept: dict[_Labels, int] = {}
    for (decision, reason, tool, agent), number in counts.items():
        key = (decision, reason, tool if tool in tools else OTHER, agent if agent in agents else OTHER)
        kept[key] = kept.get(key, 0) + number
    return kept


def _single(counts: dict[str, int]) -> Iterator[tuple[_Labels, int]]:
    return (((name,), number) for name, number in counts.items())


def _counter(name: str, text: str, labels: _Labels, counts: Iterable[tuple[_Labels, int]]) -> Metric:
    family = CounterMetricFamily(name, text, labels=labels)
    for values, number in counts:
        family.add_metric(values, number)
    return family


def _last_match(last: dict[RuleLabels, float]) -> Metric:
    name, text = "remit_rule_last_match_timestamp_seconds", "When a rule last matched, in seconds since the epoch."
    family = GaugeMetricFamily(name, text, labels=RuleLabels._fields)
    for labels, at in last.items():
        family.add_metric(labels, at)
    return family


def _histogram(buckets: list[int], seconds: float) -> Metric:
    family = HistogramMetricFamily("remit_decision_seconds", "What deciding took.")
    total, bounds = 0, []
    for bound, number in zip([*map(str, BUCKETS), "+Inf"], buckets, strict=True):
        total += number
        bounds.append((bound, float(total)))
    family.add_metric((), bounds, seconds)
    return family
