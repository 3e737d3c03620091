"""AgentScope's engine with its own tools, and its context as a policy beside the profile: never looser, on calls by the thousand."""

from __future__ import annotations

import json
import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from call_texts import command, path, plainly, start
from peering import Peer, Tally, check_row, engine_of, installed, peer

from remit import Request
from remit.importers import convert

VERSION = "2.0.4"
REPOSITORY = Path(__file__).parents[2]
PROFILE = (REPOSITORY / "policies/profiles/agentscope.remit").read_text()
MODES = ("default", "accept_edits", "explore", "bypass", "dont_ask")
TABLE, NAME = REPOSITORY / "docs/peers.md", f"AgentScope {VERSION}"
SEED, CONTEXTS, CALLS = 20261201, 250, 20


@pytest.fixture
def agentscope(workspace: Path) -> Iterator[Peer]:
    python = os.environ.get("REMIT_PEERS_AGENTSCOPE")  # an interpreter that has it already
    if not python:
        pip = ["{}/bin/python", "-m", "pip", "install", "--quiet", f"agentscope=={VERSION}"]
        python = str(installed(f"agentscope-{VERSION}", [sys.executable, "-m", "venv", "{}"], pip) / "bin/python")
    server = Path(__file__).parent / "servers/agentscope_server.py"
    with peer([python, server], workspace, {"HOME": str(workspace.parent)}) as started:
        yield started


def _content(chance: random.Random, tool: str, workspace: Path) -> str | None:
    if chance.random() < 0.15:
        return None
    if tool == "Bash":
        text = start(chance)
        return chance.choice(
            (text, f"{text}:*", f"{text} *", f"{text}*", f"*{text}*", text.split(" ")[-1], f"* {text}", "git\\*")
        )
    root = chance.choice((str(workspace), f"{workspace}/src", str(workspace.parent), "/etc", "src"))
    return chance.choice(
        (f"{root}/*", f"{root}/**", "*.py", "*.env", "*", f"{root}/a.py", "*.[mp][dy]", "*/?.py", "**/src/*")
    )


def _context(chance: random.Random, workspace: Path) -> dict[str, Any]:
    context: dict[str, Any] = {"mode": chance.choice(MODES), "working_directories": {}}
    if chance.random() < 0.2:
        context["working_directories"]["/tmp/extra"] = {"path": "/tmp/extra", "source": "session"}
    for behavior, count in (("deny", 2), ("ask", 2), ("allow", 4)):
        rules: dict[str, list[dict[str, Any]]] = {}
        for _ in range(chance.randint(0, count)):
            tool = chance.choice(("Bash", "Bash", "Bash", "Read", "Write", "Edit", "Glob", "Grep"))
            content = _content(chance, tool, workspace)
            rules.setdefault(tool, []).append(
                {"tool_name": tool, "rule_content": content, "behavior": behavior, "source": "test"}
            )
        context[f"{behavior}_rules"] = rules
    return context


def _call(chance: random.Random, workspace: Path) -> tuple[str, dict[str, Any]]:
    tool = chance.choice(("Bash", "Bash", "Bash", "Bash", "Read", "Write", "Edit", "Glob", "Grep"))
    if tool == "Bash":
        return tool, {"command": command(chance)}
    place = path(chance, str(workspace), str(workspace.parent))
    if tool in ("Glob", "Grep"):
        return tool, {"pattern": "*.py", **({"path": place} if chance.random() < 0.7 else {})}
    return tool, {"file_path": place, "content": "x", "old_string": "a", "new_string": "b"}


def test_never_looser(agentscope: Peer, workspace: Path, request: pytest.FixtureRequest) -> None:
    def again(asked: tuple[str, dict[str, Any], dict[str, Any]]) -> str:
        tool, given, context = asked
        spelled = {**given, "command": plainly(given.get("command", ""))}
        return str(agentscope.ask({"context": context, "calls": [(tool, spelled)]})[0])

    chance, tally = random.Random(SEED), Tally(again)
    for _ in range(CONTEXTS):
        context = _context(chance, workspace)
        calls = [_call(chance, workspace) for _ in range(CALLS)]
        engine = engine_of(PROFILE, convert("agentscope", json.dumps(context)))
        for (tool, given), theirs in zip(calls, agentscope.ask({"context": context, "calls": calls}), strict=True):
            asked = Request(tool, given, cwd=str(workspace), home=str(workspace.parent), mode=context["mode"])
            tally.add(theirs, engine.decide(asked), (tool, given, context))
    assert not tally.looser, "\n".join(tally.looser[:10])
    check_row(TABLE, NAME, tally.row(NAME), request.config.getoption("--update-golden"))
