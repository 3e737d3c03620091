"""The proof: three real daemons under load, a real Prometheus that scrapes them, every query of every panel, and two pages through a real
Alertmanager. Takes about a minute; runs where Prometheus and Alertmanager are installed (Debian: prometheus, prometheus-alertmanager).
"""

from __future__ import annotations

import itertools
import json
import math
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from dashboards import Query, queries
from fleet import Daemon, certificates, daemon
from monitoring import Pager, Prometheus, alertmanager, prometheus
from processes import until

MISSING = [tool for tool in ("prometheus", "prometheus-alertmanager") if shutil.which(tool) is None]
pytestmark = [
    pytest.mark.fleet,
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}"),
]

POLICY = """policy acme.fleet for org "What the fleet may do"
  owner "security@acme.example"

use std
use std.reading

deny no-force-push: Bash(git push --force *), Bash(git push -f *)
  because "Force pushes rewrite shared history."
deny secrets: fs.read(**/.env)
ask publishing: Bash(git push *)
allow tests: Bash(pytest *), Bash(make *)
deny never-tried: Bash(mkfs *)
shadow deny no-docker: Bash(docker *)
shadow ask no-pip: Bash(pip *)
"""
BROKEN = POLICY.replace("deny secrets", "deny secrets secrets")
CHANGED = POLICY.replace("Bash(make *)", "Bash(make *), Bash(tox *)")

# How long rates look back when a query is run, and how much time a dashboard shows.
RATE_INTERVAL, RANGE_S = "8s", 60
WARM_UP_S = 15
# The series are there, without a number: nobody was asked.
EMPTY = {"remit-fleet: Time until an answer [A]"}


def _bash(command: str, **more: Any) -> dict[str, Any]:
    return {"tool": "Bash", "input": {"command": command}, "cwd": "/w/shop", "workspace": "/w/shop", **more}


# A day's work: mostly allowed, under a fifth denied.
WORK = [
    *[_bash(f"git log --oneline -{n}", agent="claude-code") for n in range(1, 9)],
    *[
        _bash("cd src && grep -rn TODO . | head", agent=agent)
        for agent in ("claude-code", "codex", "gemini", "home-made")
    ],
    _bash("pytest -q tests/unit && make lint", agent="claude-code"),
    _bash("git push origin main", agent="claude-code"),
    _bash("git push origin main", agent="codex", interactive=False),
    _bash("docker run --rm alpine", agent="codex"),
    _bash("pip install requests", agent="codex"),
    _bash("git push --force origin main", agent="claude-code"),
    _bash("some-unknown-tool --now", agent="gemini"),
    _bash("echo 'never closed", agent="claude-code"),
    _bash("echo " + "x" * 40_000, agent="claude-code"),
    {"tool": "Read", "input": {"file_path": "/w/shop/README.md"}, "cwd": "/w/shop", "workspace": "/w/shop"},
    {"tool": "mcp__nobody__knows", "input": {"text": "x"}, "agent": "claude-code"},
]
SPIKE = [_bash("git push -f origin main", agent="claude-code"), _bash("cat .env", agent="claude-code")]


def _hook(command: str, name: str = "Bash") -> dict[str, Any]:
    """A call as Claude Code's hook sends it."""
    return {
        "session_id": "s",
        "transcript_path": "/h/t.jsonl",
        "cwd": "/w/shop",
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": name,
        "tool_input": {"command": command},
        "tool_use_id": "toolu_1",
    }


HOOKS = [*[_hook("git status")] * 8, _hook("git push -f")]
# Not a call. Sent once to each daemon: more than one in a hundred would wake somebody.
MALFORMED = {"hook_event_name": "PreToolUse"}


class Load:
    """Asks daemons on a thread, each round everything that they are to be asked."""

    def __init__(self, daemons: list[Daemon]) -> None:
        self.daemons, self.spiking = daemons, ""
        self.wrong: list[str] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Load:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(60)

    def _run(self) -> None:
        for found in self.daemons:
            found.ask("/v1/hooks/claude-code", MALFORMED)
        for found in itertools.cycle(self.daemons):
            if self._stop.wait(0.05):
                return
            try:
                self._round(found)
            except Exception as error:  # noqa: BLE001  (told at the end, with whatever else was wrong)
                self.wrong.append(f"{found.host}: {error!r}")

    def _round(self, found: Daemon) -> None:
        status, body = found.ask("/v1/decide", SPIKE * 20 if found.team == self.spiking else WORK)
        decisions = [item["decision"] for item in json.loads(body)]
        if status != 200 or not set(decisions) <= {"allow", "ask", "deny"}:
            self.wrong.append(f"{found.host}: {status} {body[:200]!r}")
        for payload in HOOKS:
            found.ask("/v1/hooks/claude-code", payload)


class Fleet(NamedTuple):
    """All that runs."""

    daemons: list[Daemon]
    prometheus: Prometheus
    pager: Pager
    load: Load


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """Three daemons at work: two of team platform, one of team shop, which has another revision by now. On one of the former the
    policies have just been broken."""
    folder: Path = tmp_path_factory.mktemp("fleet")
    places = [("platform", "build-1"), ("platform", "build-2"), ("shop", "shop-1")]
    keys = certificates(folder)
    with ExitStack() as stack:
        daemons = [stack.enter_context(daemon(team, host, POLICY, folder, keys)) for team, host in places]
        pager = stack.enter_context(Pager().listening())
        told = stack.enter_context(alertmanager(pager, folder))
        scraped = stack.enter_context(prometheus(daemons, told, folder))
        load = stack.enter_context(Load(daemons))
        until("every daemon is scraped", lambda: len(scraped.at('up{job="remit"} == 1')) == 3, 30)
        time.sleep(WARM_UP_S)
        assert [alert for path, alert in pager.told if path == "/page"] == []  # a day's work wakes nobody
        daemons[2].put("org.remit", CHANGED)
        daemons[1].put("org.remit", BROKEN)
        failed = 'increase(remit_policy_reloads_total{result="failed"}[8s]) > 0'
        until("the broken reload is counted", lambda: scraped.at(failed), 30)
        until(
            "the new revision is counted", lambda: len(scraped.at("count by (revision) (remit_policy_info)")) == 2, 30
        )
        yield Fleet(daemons, scraped, pager, load)
        assert load.wrong == []


def _filled(query: Query, chosen: dict[str, str]) -> str:
    """The query as Grafana sends it. chosen: the variables that are not All."""
    values = {name: chosen.get(name, ".*") for name in ("team", "host", "agent", "rule")}
    expr = query.expr.replace("$__rate_interval", RATE_INTERVAL).replace("$__range", f"{RANGE_S}s")
    for name, value in values.items():
        expr = expr.replace(f"${name}", value)
    assert "$" not in expr
    return expr


def _numbers(found: Prometheus, query: Query, expr: str) -> list[list[float]]:
    """The values of each series that a panel gets."""
    if query.kind == "table":
        return [[float(series["value"][1])] for series in found.at(expr)]
    return [[float(value) for _, value in series["values"]] for series in found.over(expr, 20)]


# First what a quiet fleet shows: the order of tests in this file is that of the story.


@pytest.mark.parametrize("query", queries(), ids=lambda query: query.where)
def test_every_query_has_series(fleet: Fleet, query: Query) -> None:
    """Nothing that a panel shows is empty in a fleet at work."""
    series = _numbers(fleet.prometheus, query, _filled(query, {}))
    assert series, _filled(query, {})
    if query.where not in EMPTY:
        assert any(not math.isnan(value) for values in series for value in values)


CHOICES = {
    "a team": ({"team": "platform"}, {"build-1", "build-2"}),
    "a host": ({"host": "shop-1"}, {"shop-1"}),
    "two hosts": ({"host": "(build-1|shop-1)"}, {"build-1", "shop-1"}),
    "an agent": ({"agent": "codex"}, {"build-1", "build-2", "shop-1"}),
}


@pytest.mark.parametrize("choice", CHOICES)
def test_choosing_narrows(fleet: Fleet, choice: str) -> None:
    """Every query runs with what is chosen in the variables, and shows no host that is not."""
    chosen, hosts = CHOICES[choice]
    for query in queries():
        expr = _filled(query, chosen)
        found = fleet.prometheus.at(expr)
        seen = {series["metric"]["host"] for series in found if "host" in series["metric"]}
        assert seen <= hosts, expr


def test_counts_agree(fleet: Fleet) -> None:
    """Agents and tools that were asked for are there, and none by a name that only the caller knows."""
    agents = {series["metric"]["agent"] for series in fleet.prometheus.at("count by (agent) (remit_decisions_total)")}
    assert agents == {"claude-code", "codex", "gemini", "other"}
    tools = {series["metric"]["tool"] for series in fleet.prometheus.at("count by (tool) (remit_decisions_total)")}
    assert {"Bash", "Read", "other"} <= tools
    assert "mcp__nobody__knows" not in tools


def test_a_broken_reload_pages(fleet: Fleet) -> None:
    paged = until("somebody is paged", lambda: fleet.pager.alerts("RemitReloadFailing"), 40)
    assert {alert["labels"]["host"] for alert in paged} == {"build-2"}
    assert paged[0]["annotations"]["summary"] == "The policies on build-2 cannot be used"


def test_a_mended_policy_ends_the_alert(fleet: Fleet) -> None:
    fleet.daemons[1].put("org.remit", POLICY)
    firing = 'ALERTS{alertname="RemitReloadFailing", alertstate="firing"}'
    until("the alert ends", lambda: not fleet.prometheus.at(firing), 30)
    until("and is said to have ended", lambda: fleet.pager.alerts("RemitReloadFailing", "resolved"), 60)


def test_a_denial_spike_pages(fleet: Fleet) -> None:
    assert fleet.pager.alerts("RemitDenialSpike") == []
    fleet.load.spiking = "shop"
    paged = until("somebody is paged", lambda: fleet.pager.alerts("RemitDenialSpike"), 60)
    fleet.load.spiking = ""
    assert {alert["labels"]["team"] for alert in paged} == {"shop"}
    assert paged[0]["annotations"]["runbook_url"] == "docs/runbooks/RemitDenialSpike.md"


def test_nobody_is_paged_for_anything_else(fleet: Fleet) -> None:
    paged = {alert["labels"]["alertname"] for path, alert in fleet.pager.told if path == "/page"}
    assert paged == {"RemitReloadFailing", "RemitDenialSpike"}
