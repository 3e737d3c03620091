"""What hook answers turn into in the real Claude Code, judged by what its tool call left in the workspace.

scenarios/protocol.json holds facts about the client that the adapter rests on (a new client version may change them);
scenarios/policy.json runs the remit hook. Each names the files that its call leaves, by permission mode.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from driver import client

SCENARIOS = Path(__file__).parent / "scenarios"
# What a scenario leaves out: the call that is tried, and the hook as an installation registers it.
CALL = {"tool": "Bash", "input": {"command": "touch ran", "description": "x"}}
HANDLER = {
    "type": "command",
    "command": "{remit} hook claude-code --policy {home}/policy",
    "timeout": 10,
    "onFailure": "block",
}

pytestmark = [
    pytest.mark.clients,
    pytest.mark.skipif(os.environ.get("REMIT_CLIENTS") != "1", reason="runs a real agent client: set REMIT_CLIENTS=1"),
]


@pytest.fixture(scope="session")
def binary() -> Path:
    missing = [tool for tool in ("npm", "unshare", "ip") if shutil.which(tool) is None]
    if missing:
        pytest.fail(f"REMIT_CLIENTS=1 needs {', '.join(missing)} on this machine")
    return client.install()


def cases() -> list[Any]:
    """One case for each scenario and mode."""
    found = []
    for path in sorted(SCENARIOS.glob("*.json")):
        for scenario in json.loads(path.read_text()):
            for mode, created in scenario["created"].items():
                found.append(pytest.param(scenario, mode, created, id=f"{path.stem}: {scenario['name']} [{mode}]"))
    return found


@pytest.mark.parametrize(("scenario", "mode", "created"), cases())
def test_outcome(binary: Path, scenario: dict[str, Any], mode: str, created: list[str]) -> None:
    result = client.run(binary, {"call": CALL, "handler": HANDLER, **scenario, "mode": mode})
    assert result["told"] is not None, f"the client never answered the call: {result['said']}"
    assert result["created"] == created, result
    assert scenario.get("told", "") in result["told"]["text"]
