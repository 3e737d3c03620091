"""What hook answers turn into in the real Claude Code, judged by what its tool call left in the workspace.

scenarios/protocol.json holds facts about the client that the adapter rests on (a new client version may change them);
scenarios/policy.json runs the remit hook, scenarios/http.json a hook of type http, which a daemon answers. Each names the files that its
call leaves, by permission mode.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from driver import client
from real_clients import needs_clients

SCENARIOS = Path(__file__).parent / "scenarios"
# What a scenario leaves out: the call that is tried, and the hook as an installation registers it.
CALL = {"tool": "Bash", "input": {"command": "touch ran", "description": "x"}}
SAFE = {"timeout": 10, "onFailure": "block"}
COMMAND = {"handler": {"type": "command", "command": "{remit} hook claude-code --policy {home}/policy", **SAFE}}
HTTP = {
    "handler": {"type": "http", "url": "{daemon}/v1/hooks/claude-code", **SAFE},
    "daemon": "alive",
    "serve": ["--policy", "{home}/policy", "--home", "{home}"],
    "asked": 1,
}
MISSING: dict[str, dict[str, Any]] = {"protocol": COMMAND, "policy": COMMAND, "http": HTTP}

pytestmark = needs_clients


@pytest.fixture(scope="session")
def binary() -> Path:
    return client.install("claude-code")


def cases() -> list[Any]:
    """One case for each scenario and mode."""
    found = []
    for name, missing in MISSING.items():
        for scenario in json.loads((SCENARIOS / f"{name}.json").read_text()):
            for mode, created in scenario["created"].items():
                whole = {"call": CALL, **missing, **scenario, "mode": mode, "created": created}
                found.append(pytest.param(whole, id=f"{name}: {scenario['name']} [{mode}]"))
    return found


@pytest.mark.parametrize("scenario", cases())
def test_outcome(binary: Path, scenario: dict[str, Any]) -> None:
    result = client.run("claude-code", binary, scenario)
    assert result["told"] is not None, f"the client never answered the call: {result['said']}"
    assert result["created"] == scenario["created"], result
    assert scenario.get("told", "") in result["told"]["text"]
    assert result["asked"] == scenario.get("asked", 0)
