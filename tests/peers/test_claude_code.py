"""The real Claude Code without a person, and its settings as a policy beside the profile: what does not run there is not allowed here.

Rules stand in the settings of a trusted workspace. Whether a call was denied or would have been asked about makes no difference there.
"""

from __future__ import annotations

import itertools
import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from driver import client
from peering import Tally, check_row, engine_of

from remit import Request, Verdict
from remit.importers import convert

VERSION = "2.1.332"
REPOSITORY = Path(__file__).parents[2]
TABLE, NAME = REPOSITORY / "docs/peers.md", f"Claude Code {VERSION}"
PROFILE = (REPOSITORY / "policies/profiles/claude-code.remit").read_text()
MODES = ("default", "acceptEdits", "bypassPermissions")
SETTINGS: tuple[dict[str, list[str]], ...] = (
    {},
    {"allow": ["Bash(touch *)", "Bash(echo:*)"]},
    {"deny": ["Bash(touch *)", "Edit(secret/**)"]},
    {"ask": ["Bash(touch:*)"], "allow": ["Bash"]},
    {"allow": ["Bash(mkdir -p *)", "Write"], "deny": ["Bash(touch ran)"]},
)
CALLS: tuple[tuple[str, dict[str, str]], ...] = (
    ("Bash", {"command": "touch ran", "description": "x"}),
    ("Bash", {"command": "env touch ran", "description": "x"}),
    ("Bash", {"command": "mkdir -p a && touch a/ran", "description": "x"}),
    ("Bash", {"command": "sh -c 'touch ran'", "description": "x"}),
    ("Bash", {"command": "echo x > out", "description": "x"}),
    ("Bash", {"command": "pwd", "description": "x"}),
    ("Write", {"file_path": "{workspace}/secret/a", "content": "x"}),
)
# Wrappers that change nothing of what runs, and that Claude Code does not look through.
PLAINLY = {CALLS[1][1]["command"]: CALLS[0], CALLS[3][1]["command"]: CALLS[0]}


def _ran(binary: Path, settings: dict[str, list[str]], mode: str, call: tuple[str, dict[str, str]]) -> bool:
    trusted = {"hasCompletedOnboarding": True, "projects": {"{workspace}": {"hasTrustDialogAccepted": True}}}
    scenario: dict[str, Any] = {
        "mode": mode,
        "call": {"tool": call[0], "input": call[1]},
        "handler": {"type": "command", "command": "true"},
        "files": {
            ".claude.json": json.dumps(trusted),
            "../workspace/.claude/settings.json": json.dumps({"permissions": settings}),
        },
    }
    result = client.run("claude-code", binary, scenario)
    assert result["told"] is not None, f"the client never answered the call: {result['said']}"
    return not result["told"]["is_error"]


def _decide(settings: dict[str, list[str]], mode: str, call: tuple[str, dict[str, str]]) -> Verdict:
    given = {name: value.replace("{workspace}", "/work") for name, value in call[1].items()}
    engine = engine_of(PROFILE, convert("claude-code", json.dumps({"permissions": settings})))
    return engine.decide(Request(call[0], given, cwd="/work", home="/home/user", mode=mode, agent="claude-code"))


def test_never_looser(request: pytest.FixtureRequest) -> None:
    missing = [tool for tool in ("npm", "unshare", "ip") if shutil.which(tool) is None]
    assert not missing, f"this machine lacks {', '.join(missing)}"
    binary = client.install("claude-code")
    tally = Tally(
        lambda each: (
            "allow" if _ran(binary, each[0], each[1], PLAINLY.get(each[2][1].get("command", ""), each[2])) else "ask"
        )
    )
    tried = list(itertools.product(SETTINGS, MODES, CALLS))
    with ThreadPoolExecutor(3) as pool:
        for each, ran in zip(tried, pool.map(lambda each: _ran(binary, *each), tried), strict=True):
            verdict = _decide(*each)
            blocked = verdict.decision if verdict.decision != "allow" else "ask"
            tally.add("allow" if ran else blocked, verdict, each)
    assert not tally.looser, "\n".join(tally.looser)
    check_row(TABLE, NAME, tally.row(NAME), request.config.getoption("--update-golden"))
