"""Metrics: what is counted, what may stand in labels, what a scrape says."""

from __future__ import annotations

import math
import re
import threading
import time
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from remit.effects.decided import Decided
from remit.effects.labels import MAX_RULES, names_of
from remit.effects.metrics import AUDIT_RESULTS, Metrics
from remit.engine import Engine
from remit.loader import program_of_text
from remit.reload.status import CHANGED, FAILED, UNCHANGED, Attempt
from remit.request import Request
from remit.shell.constructs import CONSTRUCTS
from remit_dsl.program import Program

POLICY = """policy a for org "x"
tool Bash { subject command: shell }
tool sh = Bash { subject cmd }
tool Read { subject file_path: path does fs.read }
deny no-push: Bash(git push *)
deny Bash(sudo *) for agent robot
ask publish: mcp__npm__publish
allow listing: Bash(ls *)
shadow deny new-idea: Bash(docker *)
"""
CALLER = "x\nremit_decisions_total 1 # <b>"
LABELS = (
    "rule",
    "effect",
    "enforced",
    "decision",
    "reason",
    "became",
    "tool",
    "agent",
    "outcome",
    "construct",
    "result",
    "revision",
    "tier",
)
DOCS = Path(__file__).resolve().parents[3] / "docs" / "metrics.md"


def decided(engine: Engine, request: Request, seconds: float = 0.0002) -> Decided:
    return Decided(request, engine.decide(request), 1_000.0, seconds, "daemon")


def bash(command: str, **more: str) -> Request:
    return Request("Bash", {"command": command}, cwd="/", home="/", **more)  # type: ignore[arg-type]


@pytest.fixture
def engine() -> Engine:
    return Engine.from_source(POLICY)


@pytest.fixture
def metrics(engine: Engine) -> Metrics:
    return Metrics(engine.program, agents=["claude-code"])


def value(metrics: Metrics, name: str, **labels: str) -> float | None:
    return metrics.registry.get_sample_value(name, labels)


def series(metrics: Metrics, name: str) -> dict[tuple[str, ...], float]:
    """The samples of one name by their label values."""
    families = text_string_to_metric_families(metrics.exposition()[0].decode())
    samples = [sample for family in families for sample in family.samples]
    return {
        tuple([sample.labels[label] for label in LABELS if label in sample.labels]): sample.value
        for sample in samples
        if sample.name == name
    }


# --- decisions -------------------------------------------------------------------------------------------------


def test_decisions_by_what_and_why(engine: Engine, metrics: Metrics) -> None:
    for request in (
        bash("ls", agent="robot"),
        bash("ls", agent="robot"),
        bash("git push"),
        Request("mcp__npm__publish"),
    ):
        metrics(decided(engine, request))
    assert value(metrics, "remit_decisions_total", decision="allow", reason="rule", tool="Bash", agent="robot") == 2
    assert value(metrics, "remit_decisions_total", decision="deny", reason="rule", tool="Bash", agent="other") == 1
    one = {"decision": "ask", "reason": "rule", "tool": "mcp__npm__publish", "agent": "other"}
    assert value(metrics, "remit_decisions_total", **one) == 1


def test_an_alias_is_counted_as_its_tool(engine: Engine, metrics: Metrics) -> None:
    metrics(decided(engine, Request("sh", {"cmd": "ls"}, cwd="/", home="/")))
    one = {"decision": "allow", "reason": "rule", "tool": "Bash", "agent": "other"}
    assert value(metrics, "remit_decisions_total", **one) == 1


def test_nothing_that_a_caller_says_becomes_a_label(engine: Engine, metrics: Metrics) -> None:
    before = len(metrics.exposition()[0].splitlines())
    for number in range(200):
        name = f"{CALLER}{number}"
        metrics(decided(engine, Request(name, {"command": name}, cwd="/", home="/", agent=name, mode=name, user=name)))
        metrics(decided(engine, bash(f"ls {name} $(", agent=name)))
    metrics.hook_request(CALLER, CALLER)
    metrics.approval_answered(CALLER, 1)
    metrics.audit_result(CALLER)
    text = metrics.exposition()[0].decode()
    assert "<b>" not in text
    assert len(text.splitlines()) - before < 20


def test_seconds_fall_into_buckets(engine: Engine, metrics: Metrics) -> None:
    for seconds in (0.0001, 0.0002, 0.3, 5.0):
        metrics(decided(engine, bash("ls"), seconds))
    bounds = {
        bound: value(metrics, "remit_decision_seconds_bucket", le=bound)
        for bound in ("5e-05", "0.0001", "0.00025", "1.0", "+Inf")
    }
    assert bounds == {"5e-05": 0, "0.0001": 1, "0.00025": 2, "1.0": 3, "+Inf": 4}
    assert value(metrics, "remit_decision_seconds_count") == 4
    assert value(metrics, "remit_decision_seconds_sum") == pytest.approx(5.3003)


def test_asks_keep_their_reason_whatever_became_of_them(engine: Engine, metrics: Metrics) -> None:
    publish = Request("mcp__npm__publish", cwd="/", home="/")
    metrics(decided(engine, publish))
    metrics(decided(engine, publish._replace(interactive=False)))
    metrics(decided(engine, bash("git push")))
    assert series(metrics, "remit_asks_total") == {("rule", "ask"): 1, ("rule", "deny"): 1}


# --- rules -----------------------------------------------------------------------------------------------------


def test_every_rule_is_there_before_it_matches(metrics: Metrics) -> None:
    assert series(metrics, "remit_rule_matches_total") == {
        ("a/no-push", "deny", "true"): 0,
        ("a:6", "deny", "true"): 0,
        ("a/publish", "ask", "true"): 0,
        ("a/listing", "allow", "true"): 0,
        ("a/new-idea", "deny", "false"): 0,
        ("other", "other", "other"): 0,
    }


def test_a_rule_counts_the_units_that_it_decided_and_under_trial_those_that_it_would_have(
    engine: Engine, metrics: Metrics
) -> None:
    metrics(decided(engine, bash("ls && ls -l && docker ps && git push")))
    found = series(metrics, "remit_rule_matches_total")
    assert {key[0]: number for key, number in found.items() if number} == {
        "a/listing": 2,
        "a/new-idea": 1,
        "a/no-push": 1,
    }
    assert series(metrics, "remit_rule_last_match_timestamp_seconds")["a/listing", "allow", "true"] == 1_000


def test_a_rule_that_may_concern_what_was_not_understood_has_not_decided(engine: Engine, metrics: Metrics) -> None:
    metrics(decided(engine, bash("for (")))
    assert series(metrics, "remit_rule_matches_total")["a/no-push", "deny", "true"] == 0


def test_after_a_reload_old_rules_are_gone_and_others_go_on(engine: Engine, metrics: Metrics) -> None:
    late = decided(engine, bash("git push", agent="robot"))
    metrics(late)
    metrics(decided(engine, bash("ls")))
    for number in range(20):
        tool = f"tool T{number} {{ }}\n" if number % 2 else ""
        program = program_of_text(
            f'policy a for org "x"\n{tool}deny r{number}: T{number}\nallow listing: Bash(ls *)\nuse std\n'
        )
        metrics.program_changed(program)
    metrics(late)
    found = series(metrics, "remit_rule_matches_total")
    own = {key: number for key, number in found.items() if not key[0].startswith("std")}
    assert own == {
        ("a/r19", "deny", "true"): 0,
        ("a/listing", "allow", "true"): 1,
        ("other", "other", "other"): 1,
    }
    assert len(series(metrics, "remit_policy_info")) == 1
    one = {"decision": "deny", "reason": "rule", "tool": "Bash", "agent": "other"}
    assert value(metrics, "remit_decisions_total", **one) == 2  # `robot` is nobody's name any more


def test_there_are_only_so_many_rules() -> None:
    row = program_of_text("deny a: Foo\n").tables["rules"][0]
    tables = program_of_text("deny a: Foo\n").tables
    many = Program({**tables, "rules": [[f"r{number}", *row[1:]] for number in range(MAX_RULES + 5)]}, "x")
    assert len(names_of(many).rules) == MAX_RULES


# --- shell -----------------------------------------------------------------------------------------------------


def test_shell_calls_by_whether_they_were_understood(engine: Engine, metrics: Metrics) -> None:
    for command in ("ls", "ls | cat", "for (", "ls 'x"):
        metrics(decided(engine, bash(command)))
    metrics(decided(engine, Request("Read", {"file_path": "x"}, cwd="/", home="/")))
    assert series(metrics, "remit_shell_commands_total") == {("split",): 2, ("declined",): 2}
    found = series(metrics, "remit_shell_unparseable_total")
    assert {name for (name,) in found} == {*CONSTRUCTS, "other"}
    assert {name: number for (name,), number in found.items() if number} == {"syntax": 1, "unterminated quote": 1}


# --- policies, people, the log -----------------------------------------------------------------------------------


def test_what_is_in_force(engine: Engine, metrics: Metrics) -> None:
    assert series(metrics, "remit_policy_info") == {(engine.program.revision,): 1}
    assert series(metrics, "remit_policy_rules") == {("deny", "org"): 2, ("ask", "org"): 1, ("allow", "org"): 1}


def test_reloads(metrics: Metrics) -> None:
    when = "remit_policy_last_reload_success_timestamp_seconds"
    for result, at in ((CHANGED, 10.0), (UNCHANGED, 20.0), (FAILED, 30.0)):
        metrics.reload_result(Attempt(result, "x", at, 0.2))
    assert series(metrics, "remit_policy_reloads_total") == {("changed",): 1, ("unchanged",): 1, ("failed",): 1}
    assert value(metrics, when) == 20
    assert value(metrics, "remit_policy_reload_seconds_count") == 3


def test_the_age_of_policies_is_asked_for_at_every_scrape(metrics: Metrics) -> None:
    ages = iter((5.0, 6.0, None))
    assert math.isnan(value(metrics, "remit_policy_age_seconds") or 0)
    metrics.policy_age_from(lambda: next(ages))
    assert [value(metrics, "remit_policy_age_seconds") for _ in range(2)] == [5, 6]
    assert math.isnan(value(metrics, "remit_policy_age_seconds") or 0)


def test_approvals_hooks_and_the_log(metrics: Metrics) -> None:
    metrics.approvals_pending(3)
    metrics.approval_answered("approved", 4.0)
    metrics.hook_request("claude-code", "deny")
    for result in AUDIT_RESULTS:
        metrics.audit_result(result, 2)
    problem = ["", "the disk is full"]
    metrics.audit_health_from(lambda: problem[0], lambda: 7)
    assert value(metrics, "remit_approvals_pending") == 3
    assert value(metrics, "remit_approval_seconds_bucket", answer="approved", le="5.0") == 1
    assert value(metrics, "remit_hook_requests_total", agent="claude-code", outcome="deny") == 1
    assert value(metrics, "remit_audit_records_total", result="written") == 2
    assert value(metrics, "remit_audit_queue_records") == 7
    assert value(metrics, "remit_audit_writable") == 1
    problem.pop(0)
    assert value(metrics, "remit_audit_writable") == 0


# --- the scrape ------------------------------------------------------------------------------------------------


def test_both_formats(metrics: Metrics) -> None:
    text, kind = metrics.exposition()
    assert kind.startswith("text/plain")
    assert text.endswith(b"\n")
    text, kind = metrics.exposition("application/openmetrics-text; version=1.0.0; q=0.5, text/plain")
    assert kind.startswith("application/openmetrics-text")
    assert text.endswith(b"# EOF\n")


def test_two_instances_share_nothing(engine: Engine) -> None:
    one, two = Metrics(engine.program), Metrics(engine.program)
    one(decided(engine, bash("ls")))
    assert value(two, "remit_decision_seconds_count") == 0


def test_without_a_program_everything_is_other(engine: Engine) -> None:
    metrics = Metrics()
    metrics(decided(engine, bash("ls")))
    assert series(metrics, "remit_decisions_total") == {("allow", "rule", "other", "other"): 1}
    assert series(metrics, "remit_rule_matches_total") == {("other", "other", "other"): 1}


def test_threads_lose_no_count(engine: Engine, metrics: Metrics) -> None:
    item = decided(engine, bash("ls && docker ps"))

    def count() -> None:
        for _ in range(2_000):
            metrics(item)

    threads = [threading.Thread(target=count) for _ in range(8)]
    for thread in threads:
        thread.start()
    for _ in range(20):
        metrics.exposition()
        metrics.program_changed(engine.program)
    for thread in threads:
        thread.join()
    assert value(metrics, "remit_decision_seconds_count") == 16_000
    assert series(metrics, "remit_rule_matches_total")["a/listing", "allow", "true"] == 16_000


def test_the_docs_name_every_metric_with_its_type_and_labels(metrics: Metrics) -> None:
    """One row for each metric of the registry, and none besides."""
    rows = re.findall(r"^\| `(remit_\w+)` \| (\w+) \| (.*?) \|", DOCS.read_text(), re.M)
    documented = {name: (kind, tuple(re.findall(r"`(\w+)`", labels))) for name, kind, labels in rows}
    assert documented == _registered(metrics)


def _registered(metrics: Metrics) -> dict[str, tuple[str, tuple[str, ...]]]:
    engine = Engine.from_source(POLICY)
    metrics(decided(engine, Request("mcp__npm__publish")))
    metrics(decided(engine, bash("ls")))
    metrics.hook_request("claude-code", "deny")
    found = {}
    for family in metrics.registry.collect():
        labels = next(tuple(label for label in sample.labels if label != "le") for sample in family.samples)
        found[family.name + ("_total" if family.type == "counter" else "")] = (family.type, labels)
    return found


def test_counting_costs_little_beside_deciding(engine: Engine, metrics: Metrics) -> None:
    """Under a tenth in truth; the bound leaves room for a busy machine."""
    request = bash("ls -l src && ls")
    item = decided(engine, request)

    def best(what: object, argument: object) -> float:
        times = []
        for _ in range(7):
            started = time.perf_counter()
            for _ in range(300):
                what(argument)  # type: ignore[operator]
            times.append(time.perf_counter() - started)
        return min(times)

    assert best(metrics, item) < 0.25 * best(engine.decide, request)
