"""Dashboards hold the rules that make one useful at three in the morning, and what is checked in is what the sources say."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from dashboards import FOLDER, ROOT, RUNBOOKS, Dashboard, Query, dashboards, queries

DASHBOARDS = [pytest.param(found, id=found.uid) for found in dashboards()]
PANELS = [pytest.param(panel, id=f"{found.uid}: {panel['title']}") for found in dashboards() for panel in found.panels]
QUERIES = [pytest.param(query, id=query.where) for query in queries()]
SOURCE = {"type": "prometheus", "uid": "${datasource}"}
UNITS = {"ops", "percentunit", "short", "s"}
# What Grafana itself puts in.
BUILT_IN = {"__rate_interval", "__range", "__url_time_range", "__data", "__field"}
COUNTER = re.compile(r"\bremit_\w+_(?:total|bucket|count|sum)\b")


def test_checked_in(tmp_path: Path) -> None:
    """The sources give what is checked in, byte by byte: `python -m grafana.dashboards` writes it."""
    subprocess.run([sys.executable, "-m", "grafana.dashboards", str(tmp_path)], cwd=ROOT, check=True, timeout=60)
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert made == {path.name: path.read_bytes() for path in (FOLDER / "json").iterdir()}


def test_all_there() -> None:
    assert [found.uid for found in dashboards()] == ["remit-fleet", "remit-health", "remit-rules"]


# --- panels ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("panel", PANELS)
def test_panel(panel: dict[str, Any]) -> None:
    assert panel["datasource"] == SOURCE
    assert panel["targets"]
    assert panel["fieldConfig"]["defaults"]["unit"] in UNITS
    assert panel["fieldConfig"]["defaults"]["thresholds"]["steps"][0]["value"] is None
    assert 3 <= len(panel["title"]) <= 40
    # What it shows, and what to do or where to look.
    assert panel["description"].endswith(".")
    assert len(re.split(r"[.:;] ", panel["description"])) >= 2
    refs = [target["refId"] for target in panel["targets"]]
    assert len(set(refs)) == len(refs)
    assert [target["datasource"] for target in panel["targets"]] == [SOURCE] * len(refs)


@pytest.mark.parametrize("panel", PANELS)
def test_named_runbooks(panel: dict[str, Any]) -> None:
    """A description that names a runbook names one that exists."""
    named = re.findall(r"\bRemit[A-Z]\w+", panel["description"])
    assert [name for name in named if not (RUNBOOKS / f"{name}.md").is_file()] == []


@pytest.mark.parametrize("found", DASHBOARDS)
def test_numbers_and_titles_are_unique(found: Dashboard) -> None:
    numbers = [panel["id"] for panel in found.model["panels"]]
    assert sorted(set(numbers)) == sorted(numbers)
    titles = [panel["title"] for panel in found.panels]
    assert sorted(set(titles)) == sorted(titles)


@pytest.mark.parametrize("found", DASHBOARDS)
def test_panels_do_not_overlap(found: Dashboard) -> None:
    taken: set[tuple[int, int]] = set()
    for panel in found.model["panels"]:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert max(x for x, _ in cells) < 24
        assert not cells & taken, panel["title"]
        taken |= cells


# --- queries ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("query", QUERIES)
def test_windows(query: Query) -> None:
    """Rates over lines follow the zoom; only one number or a table may look at all of the time shown."""
    allowed = {"$__rate_interval"} if query.kind == "timeseries" else {"$__rate_interval", "$__range"}
    assert set(re.findall(r"\[([^\]]+)\]", query.expr)) <= allowed


@pytest.mark.parametrize("query", QUERIES)
def test_counters_are_rated(query: Query) -> None:
    """A counter says nothing by itself, and a gauge has no rate."""
    rated = re.findall(r"(?:rate|increase)\(([a-z_:]+)", query.expr)
    assert len(COUNTER.findall(query.expr)) == len(rated)
    assert [name for name in rated if not COUNTER.fullmatch(name)] == []


@pytest.mark.parametrize("query", QUERIES)
def test_lines_are_few_and_named(query: Query) -> None:
    """A line for each host would be thousands."""
    if query.kind == "timeseries":
        assert query.legend
        wide = re.search(r"by \([^)]*\b(?:host|instance|rule)\b", query.expr)
        few = "topk(" in query.expr or 'enforced="false"' in query.expr or 'result="failed"' in query.expr
        assert wide is None or few or query.expr.startswith("max by (effect, tier)")
        labels = set(re.findall(r"{{(\w+)}}", query.legend))
        assert labels <= set(re.findall(r"\w+", query.expr))


@pytest.mark.parametrize("query", QUERIES)
def test_queries_use_what_is_chosen(query: Query) -> None:
    """Every query is about the chosen teams and hosts, but for series that the whole fleet has in common."""
    selected = re.findall(r"([a-z_:]*remit_[\w:]+|\bup)\{([^}]*)\}", query.expr)
    assert selected
    for name, matchers in selected:
        if ":" not in name:
            assert 'team=~"$team"' in matchers
            assert 'host=~"$host"' in matchers


# --- variables and links ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("found", DASHBOARDS)
def test_variables(found: Dashboard) -> None:
    assert next(iter(found.variables)) == "datasource"
    assert found.variables["datasource"]["query"] == "prometheus"
    written = " ".join([target["expr"] for panel in found.panels for target in panel["targets"]])
    for name, variable in found.variables.items():
        assert variable["label"]
        assert variable["description"]
        if name != "datasource":
            assert f"${name}" in written
            assert (variable["multi"], variable["includeAll"], variable["allValue"]) == (True, True, ".*")
            assert variable["datasource"] == SOURCE
    used = set(re.findall(r"\$\{?(\w+)", str(found.model)))
    assert used - BUILT_IN - {"__all"} <= set(found.variables)


@pytest.mark.parametrize("found", DASHBOARDS)
def test_links_lead_somewhere(found: Dashboard) -> None:
    by_uid = {other.uid: other for other in dashboards()}
    assert found.model["links"][0]["tags"] == ["remit"]
    assert "remit" in found.model["tags"]
    for uid, query in re.findall(r"'/d/([\w-]+)\?([^']*)'", str(found.model["panels"])):
        assert set(re.findall(r"var-(\w+)=", query)) <= set(by_uid[uid].variables)
        assert "${__url_time_range}" in query
        assert "${datasource:queryparam}" in query


def test_each_dashboard_is_linked_from_a_panel() -> None:
    linked = {uid for found in dashboards() for uid in re.findall(r"/d/([\w-]+)\?", str(found.model["panels"]))}
    assert linked == {found.uid for found in dashboards()}
