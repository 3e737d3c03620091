"""The table of outcomes in docs/agents.md is the one that the product has; `--update-golden` writes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from remit.agents.capabilities import CAPABILITIES
from remit.agents.protocols import AGENTS

PATH = Path(__file__).resolve().parents[2] / "docs" / "agents.md"
HEAD = "| agent | allow | ask | deny | hook fails | hook late | MCP server |\n|---|---|---|---|---|---|---|\n"


def _replaced(text: str, name: str, wanted: str) -> str:
    before, begin, rest = text.partition(f"<!-- {name}: begin -->\n")
    _, end, after = rest.partition(f"<!-- {name}: end -->")
    assert begin
    assert end
    return before + begin + wanted + end + after


def test_outcomes(request: pytest.FixtureRequest) -> None:
    text = PATH.read_text(encoding="utf-8")
    rows = [
        f"| {' | '.join((c.agent, c.allow, c.ask, c.deny, c.crash, c.late, c.server))} |\n"
        for c in CAPABILITIES.values()
    ]
    gaps = [f"* {c.agent}: {gap}\n" for c in CAPABILITIES.values() for gap in c.gaps]
    gaps += [f"* {c.agent}: calls of {', '.join(c.never_seen)}\n" for c in CAPABILITIES.values() if c.never_seen]
    wanted = _replaced(_replaced(text, "agents", HEAD + "".join(rows)), "gaps", "".join(gaps))
    if request.config.getoption("--update-golden"):
        PATH.write_text(wanted, encoding="utf-8")
    else:
        assert text == wanted


def test_every_agent_has_a_row() -> None:
    assert tuple(CAPABILITIES) == AGENTS
