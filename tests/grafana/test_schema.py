"""The dashboards are what Grafana's own schema says they may be: `@grafana/schema` from npm, checked by the TypeScript compiler.

Needs node and npm, and a package index once. Without them the test is skipped; under CI it is not.
"""

from __future__ import annotations

import copy
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from dashboards import dashboards

HERE = Path(__file__).parent / "schema"
Model = dict[str, Any]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the compiler finds the schema."""
    if missing := [tool for tool in ("node", "npm") if shutil.which(tool) is None]:
        pytest.skip(f"type-checking dashboards needs {' and '.join(missing)}")
    place = tmp_path_factory.mktemp("schema")
    for path in HERE.iterdir():
        shutil.copy(path, place)
    command = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, timeout=240, check=False)
    if done.returncode and os.environ.get("CI") != "true":
        pytest.skip(f"npm install failed: {done.stderr[-300:]}")
    assert done.returncode == 0, done.stderr
    return place


def _errors(folder: Path, name: str, models: list[Model]) -> str:
    """What the compiler says of the dashboards; "" = nothing."""
    written = [f"export const board{at}: Board = {json.dumps(model)};" for at, model in enumerate(models)]
    text = "\n".join(['import type { Board } from "./model";', *written])
    (folder / f"{name}.ts").write_text(text, encoding="utf-8")
    config = {"extends": "./tsconfig.json", "files": [f"{name}.ts"]}
    (folder / f"{name}.json").write_text(json.dumps(config), encoding="utf-8")
    command = ["node", "node_modules/typescript/bin/tsc", "-p", f"{name}.json", "--pretty", "false"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False).stdout


def test_dashboards(folder: Path) -> None:
    assert _errors(folder, "dashboards", [found.model for found in dashboards()]) == ""


def _panel(model: Model, kind: str) -> Model:
    found: Model = next(panel for panel in model["panels"] if panel["type"] == kind)
    return found


MISTAKES: dict[str, Callable[[Model], Any]] = {
    "an option that no stat has": lambda it: _panel(it, "stat")["options"].update(colourMode="value"),
    "a value that an option does not take": lambda it: _panel(it, "stat")["options"].update(colorMode="loud"),
    "lines drawn in no known style": lambda it: _panel(it, "timeseries")["fieldConfig"]["defaults"]["custom"].update(
        lineInterpolation="wobbly"
    ),
    "a table sorted by a number": lambda it: _panel(it, "table")["options"].update(sortBy=[{"displayName": 3}]),
    "a panel of an unknown kind": lambda it: _panel(it, "stat").update(type="speedometer"),
    "a threshold without colour": lambda it: _panel(it, "stat")["fieldConfig"]["defaults"]["thresholds"].update(
        steps=[{"value": None}]
    ),
    "a variable refreshed in no known way": lambda it: it["templating"]["list"][1].update(refresh=7),
    "a query without PromQL": lambda it: _panel(it, "stat")["targets"][0].pop("expr"),
    "a field that no dashboard has": lambda it: it.update(colour="blue"),
}


def test_mistakes_are_found(folder: Path) -> None:
    """Each of these is an error of its own, so the check above can fail."""
    right = next(found.model for found in dashboards() if found.uid == "remit-fleet")
    broken = []
    for make in MISTAKES.values():
        model = copy.deepcopy(right)
        make(model)
        broken.append(model)
    said = _errors(folder, "broken", broken)
    # Each dashboard is one line, behind the one that imports.
    found = {
        int(line.partition("(")[2].partition(",")[0]) - 2 for line in said.splitlines() if line.startswith("broken.ts(")
    }
    assert [name for at, name in enumerate(MISTAKES) if at not in found] == []
