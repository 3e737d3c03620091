"""The dashboards and Prometheus rules under `grafana`, as tests look at them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

import yaml

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "grafana"
RULES = FOLDER / "prometheus" / "rules"
RUNBOOKS = ROOT / "docs" / "runbooks"

# What a scrape target brings along, whatever is measured, and what Prometheus itself adds.
TARGET_LABELS = frozenset(("job", "instance", "team", "host"))


class Dashboard(NamedTuple):
    """One dashboard as Grafana imports it."""

    uid: str
    model: dict[str, Any]

    @property
    def panels(self) -> list[dict[str, Any]]:
        """All but the rows."""
        return [panel for panel in self.model["panels"] if panel["type"] != "row"]

    @property
    def variables(self) -> dict[str, dict[str, Any]]:
        return {variable["name"]: variable for variable in self.model["templating"]["list"]}


class Query(NamedTuple):
    """One query of a panel."""

    uid: str
    panel: str
    kind: str
    ref: str
    expr: str
    legend: str

    @property
    def where(self) -> str:
        return f"{self.uid}: {self.panel} [{self.ref}]"


class Rule(NamedTuple):
    """A recording or alert rule. name: of the series or the alert."""

    name: str
    expr: str
    alert: bool
    written: dict[str, Any]


def dashboards() -> list[Dashboard]:
    """Those that are checked in."""
    found = [json.loads(path.read_text(encoding="utf-8")) for path in sorted((FOLDER / "json").glob("*.json"))]
    return [Dashboard(model["uid"], model) for model in found]


def queries() -> list[Query]:
    """Every query of every panel."""
    return [
        Query(found.uid, panel["title"], panel["type"], target["refId"], target["expr"], target.get("legendFormat", ""))
        for found in dashboards()
        for panel in found.panels
        for target in panel["targets"]
    ]


def rules() -> list[Rule]:
    """Every rule of every file."""
    files = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(RULES.glob("*.yml"))]
    written = [rule for file in files for group in file["groups"] for rule in group["rules"]]
    return [Rule(rule.get("alert") or rule["record"], rule["expr"], "alert" in rule, rule) for rule in written]


def metrics_in(expr: str) -> set[str]:
    """The names of series in a query: of the product, of its recording rules, and `up`."""
    return set(re.findall(r"(?<![\w:.\"$])(?:[a-z_]+:)?remit_\w+(?::\w+)?|\bup\b(?=\{)", expr))


def selectors_in(expr: str) -> list[tuple[str, set[str]]]:
    """Each series that is selected by labels, with these."""
    found = re.findall(r"([a-z_:][\w:]*)\{([^}]*)\}", expr)
    return [(name, set(re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", matchers))) for name, matchers in found]


def grouped_in(expr: str) -> set[str]:
    """The labels that results are grouped or joined by."""
    lists = re.findall(r"\b(?:by|on|without|ignoring)\s*\(([^)]*)\)", expr)
    return {name.strip() for names in lists for name in names.split(",") if name.strip()}
