"""Writes the dashboards as JSON: `python -m grafana.dashboards [FOLDER]`, from the root of the repository.

FOLDER is `grafana/json` unless said otherwise. The same sources and the same version of the builders give the same bytes.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from grafana.dashboards import fleet, health, rules
from grafana_foundation_sdk.builders.dashboard import Dashboard
from grafana_foundation_sdk.cog.encoder import JSONEncoder

DEFAULT_FOLDER = Path(__file__).resolve().parents[1] / "json"
DASHBOARDS = {"remit-fleet": fleet.dashboard, "remit-rules": rules.dashboard, "remit-health": health.dashboard}
# What the builders write for every variable, and Grafana's schema knows for intervals only.
_OF_INTERVALS = ("auto", "auto_min", "auto_count")


def text_of(dashboard: Dashboard) -> str:
    """The dashboard as Grafana imports it."""
    model = json.loads(json.dumps(dashboard.build(), cls=JSONEncoder))
    for panel in model["panels"]:
        # Of tables before Grafana 12.2; the builders still write it.
        panel.get("options", {}).pop("footer", None)
    for variable in model["templating"]["list"]:
        for field in _OF_INTERVALS:
            variable.pop(field, None)
    return json.dumps(model, indent=2, sort_keys=True) + "\n"


def main(arguments: list[str]) -> None:
    """Writes every dashboard into the folder that is named."""
    folder = Path(arguments[0]) if arguments else DEFAULT_FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for uid, make in DASHBOARDS.items():
        (folder / f"{uid}.json").write_text(text_of(make()), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
