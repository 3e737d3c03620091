"""Every metric and label that dashboards, rules and alerts ask for is one that the product has."""

from __future__ import annotations

import pytest
from dashboards import TARGET_LABELS, dashboards, grouped_in, metrics_in, queries, rules, selectors_in

from remit.effects.decided import Decided
from remit.effects.metrics import Metrics
from remit.engine import Engine
from remit.request import Request

POLICY = """policy acme.names for org
use std
deny no-push: Bash(git push *)
shadow deny no-docker: Bash(docker *)
default ask
"""
# What Prometheus has by itself.
BUILT_IN = {"up": set[str]()}
EXPRESSIONS = [pytest.param(query.expr, id=query.where) for query in queries()] + [
    pytest.param(rule.expr, id=rule.name) for rule in rules()
]


def _product() -> dict[str, set[str]]:
    """Name of a series -> its labels, of all that a running remit tells."""
    engine = Engine.from_source(POLICY)
    metrics = Metrics(engine.program)
    for command in ("git push", "docker ps", "ls"):
        request = Request("Bash", {"command": command}, cwd="/w", home="/h")
        metrics(Decided(request, engine.decide(request), 0.0, 0.001, "daemon"))
    metrics.hook_request("claude-code", "allow")
    found: dict[str, set[str]] = {}
    for family in metrics.registry.collect():
        for sample in family.samples:
            found.setdefault(sample.name, set()).update(sample.labels)
    return found


def _recorded() -> dict[str, set[str]]:
    """The same of recording rules: what they group by."""
    return {rule.name: grouped_in(rule.expr) for rule in rules() if not rule.alert}


KNOWN = {**_product(), **_recorded(), **BUILT_IN}


@pytest.mark.parametrize("expr", EXPRESSIONS)
def test_metrics_exist(expr: str) -> None:
    asked = metrics_in(expr)
    assert asked
    assert asked - set(KNOWN) == set()


@pytest.mark.parametrize("expr", EXPRESSIONS)
def test_labels_exist(expr: str) -> None:
    for name, labels in selectors_in(expr):
        if name in KNOWN:
            assert labels - KNOWN[name] - TARGET_LABELS == set(), name
    of_all = set().union(*[KNOWN[name] for name in metrics_in(expr)])
    assert grouped_in(expr) - of_all - TARGET_LABELS == set()


def test_everything_selected_is_known() -> None:
    """The reader of expressions sees each selector: none is passed over because of its name."""
    selected = {name for query in queries() for name, _ in selectors_in(query.expr)}
    assert selected - set(KNOWN) == set()


def test_variables_ask_for_what_exists() -> None:
    for found in dashboards():
        for variable in found.variables.values():
            for name, _ in selectors_in(str(variable["query"])):
                assert name in KNOWN


def test_every_metric_is_shown() -> None:
    """What is measured is looked at somewhere, but for the parts of histograms that no quantile needs."""
    asked = {name for query in queries() for name in metrics_in(query.expr)}
    asked |= {name for rule in rules() for name in metrics_in(rule.expr)}
    parts = ("_created", "_sum", "_count")
    assert {name for name in _product() if not name.endswith(parts)} - asked == set()
