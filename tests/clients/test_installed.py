"""What verdicts, and hooks that are broken, turn into in the real clients, with the hook as `remit install` puts it there.

scenarios/installed.json says what is tried, and what it is an example of; outcomes.json, for each client, what becomes of that in each of
its permission modes, as it was seen with the versions that driver/programs.py names.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from driver import client
from driver.programs import PROGRAMS
from real_clients import needs_clients

from remit.agents.capabilities import ASKS, CAPABILITIES, ITS_OWN_FLOW, REFUSED, RUNS

HERE = Path(__file__).parent
SCENARIOS = json.loads((HERE / "scenarios" / "installed.json").read_text())
OUTCOMES: dict[str, dict[str, dict[str, list[str]]]] = json.loads((HERE / "outcomes.json").read_text())
POLICY = "policy org.clients for org\nuse std\n"
MISSING = {
    "shell": "touch ran",
    "options": ["--policy", "{home}/policy", "--home", "{home}", "--socket", "{home}/daemon.sock"],
    "serve": ["--policy", "{home}/policy", "--home", "{home}"],
}
# Where a hook fails, the mode has no say; the one in which most would run is tried.
LOOSEST = {
    "claude-code": "bypassPermissions",
    "codex": "never danger-full-access",
    "gemini": "yolo",
    "copilot": "yolo",
    "opencode": "allow",
}


def cases() -> list[Any]:
    """One case for each client, scenario and mode."""
    found = []
    for agent, outcomes in OUTCOMES.items():
        for scenario in SCENARIOS:
            for mode, created in outcomes[scenario["becomes"]].items():
                whole = {**MISSING, **scenario, "files": _files(scenario), "mode": mode, "created": created}
                found.append(pytest.param(agent, whole, id=f"{agent}: {scenario['name']} [{mode}]"))
    return found


def _files(scenario: dict[str, Any]) -> dict[str, str]:
    return {"policy/org.remit": f"{POLICY}{scenario['rules']}\n"} if "rules" in scenario else {}


@pytest.fixture(scope="session")
def binaries() -> dict[str, Path]:
    return {agent: client.install(agent) for agent in OUTCOMES}


@pytest.mark.parametrize(("agent", "scenario"), cases())
class TestClients:
    pytestmark = needs_clients

    def test_outcome(self, binaries: dict[str, Path], agent: str, scenario: dict[str, Any]) -> None:
        result = client.run(agent, binaries[agent], scenario)
        assert result["turns"] >= 1, f"the client never asked its model: {result['said']}"
        assert result["created"] == scenario["created"], result
        if "told" in scenario:
            assert scenario["told"] in result["told"]["text"]
        assert result["asked"] == scenario.get("asked", 0)
        assert result["remembered"] == scenario.get("remembered", [])


@pytest.mark.parametrize("agent", OUTCOMES)
def test_the_table_of_agents_says_what_was_seen(agent: str) -> None:
    """In docs/agents.md and `remit check --agent`: nobody can be asked here, so that an ask does not run either."""
    table, seen = CAPABILITIES[agent], OUTCOMES[agent]
    for word in ("deny", "ask", "crash", "late", "allow"):
        loosest = seen[word][LOOSEST[agent]]
        assert {RUNS: ["ran"], REFUSED: [], ASKS: [], ITS_OWN_FLOW: seen["silence"][LOOSEST[agent]]}[
            getattr(table, word)
        ] == loosest, word
    for word in ("deny", "ask"):
        assert set(map(tuple, seen[word].values())) == {()}
        assert list(seen[word]) == list(PROGRAMS[agent].modes)


def test_every_client_is_tried() -> None:
    assert list(OUTCOMES) == list(PROGRAMS)
    assert CAPABILITIES.keys() - OUTCOMES.keys() == {"cursor"}  # it needs a login
