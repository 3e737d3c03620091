"""Gemini CLI's policy engine, and its policy files as policies: never looser, on calls by the thousand."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from call_texts import command, path, plainly, start
from peering import Peer, Tally, check_row, engine_of, installed, peer

from remit import Request
from remit.importers import convert

VERSION = "0.61.0"
TABLE, NAME = Path(__file__).parents[2] / "docs/peers.md", f"Gemini CLI policy engine {VERSION}"
MODES = ("default", "autoEdit", "yolo")
NAMES = {"default": "default", "autoEdit": "auto_edit", "yolo": "yolo"}
SEED, FILES, CALLS = 20261202, 250, 20
REGEXES = (
    "git (status|log)",
    "npm (run|test)",
    "rm ",
    "docker [a-z]+",
    "ls\\b",
    "(cat|grep) .*",
    "make test",
    "echo h.*o",
    "^git",
    "git.*$",
    "a\\\\b",
)
ARGUMENTS = (
    '"command":"git (status|push)',
    '"file_path":"src/',
    '"file_path":"[a-z/]*src/a.py"',
    "secret",
    '\\x00"file_path"',
)


@pytest.fixture
def gemini(workspace: Path) -> Iterator[Peer]:
    package = os.environ.get("REMIT_PEERS_GEMINI")  # the folder of the package, where it is installed already
    if not package:
        npm = [
            "npm",
            "install",
            "--prefix",
            "{}",
            "--no-fund",
            "--no-audit",
            "--ignore-scripts",
            f"@google/gemini-cli-core@{VERSION}",
        ]
        package = str(installed(f"gemini-{VERSION}", npm) / "node_modules/@google/gemini-cli-core")
    server = Path(__file__).parent / "servers/gemini_server.mjs"
    with peer(["node", server, package], workspace, {"HOME": str(workspace.parent)}) as started:
        yield started


def _rule(chance: random.Random) -> dict[str, Any]:
    decision = chance.choice(("allow", "allow", "allow", "ask_user", "deny"))
    rule: dict[str, Any] = {"decision": decision, "priority": chance.choice((1, 50, 100, 100, 200, 500, 999))}
    kind = chance.random()
    if kind < 0.45:
        prefixes = [start(chance) for _ in range(chance.randint(1, 3))]
        rule |= {"toolName": "run_shell_command", "commandPrefix": chance.choice((prefixes, prefixes[0]))}
    elif kind < 0.6:
        rule |= {"toolName": "run_shell_command", "commandRegex": chance.choice(REGEXES)}
    else:
        tools = ["run_shell_command", "read_file", "write_file", "replace", "glob", "grep_search", "web_fetch", "*"]
        rule["toolName"] = chance.choice((chance.choice(tools), chance.sample(tools, 2)))
        if chance.random() < 0.2:
            rule["argsPattern"] = chance.choice(ARGUMENTS)
    if chance.random() < 0.2:
        rule["modes"] = chance.sample(MODES, chance.randint(1, 2))
    for key, odds in (("allowRedirection", 0.1), ("interactive", 0.1)):
        if chance.random() < odds:
            rule[key] = chance.random() < 0.7
    return rule


def _call(chance: random.Random, workspace: Path) -> tuple[str, dict[str, Any]]:
    tool = chance.choice(("run_shell_command",) * 4 + ("read_file", "write_file", "replace", "glob", "web_fetch"))
    if tool == "run_shell_command":
        return tool, {"command": command(chance)}
    if tool == "web_fetch":
        return tool, {"url": "https://a.example/x", "prompt": "read"}
    place = path(chance, str(workspace), str(workspace.parent))
    if chance.random() < 0.3:
        place = place.removeprefix(f"{workspace}/")
    return tool, {"pattern": "*.py"} if tool == "glob" else {"file_path": place, "content": "x"}


def _toml(rules: list[dict[str, Any]]) -> str:
    """The rules as a policy file; JSON's texts, numbers and lists are TOML's as well."""
    return "\n".join(
        "[[rule]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in rule.items()) for rule in rules
    )


def test_never_looser(gemini: Peer, workspace: Path, request: pytest.FixtureRequest) -> None:
    def ask(file: dict[str, Any], calls: list[tuple[str, dict[str, Any]]]) -> list[str]:
        answers = gemini.ask({**file, "calls": calls})
        assert isinstance(answers, list), answers
        return ["ask" if answer == "ask_user" else answer for answer in answers]

    def again(asked: tuple[dict[str, Any], str, dict[str, Any]]) -> str:
        file, tool, given = asked
        return ask(file, [(tool, {**given, "command": plainly(given.get("command", ""))})])[0]

    chance, tally = random.Random(SEED), Tally(again)
    for _ in range(FILES):
        rules = [_rule(chance) for _ in range(chance.randint(1, 6))]
        file: dict[str, Any] = {
            "toml": _toml(rules),
            "mode": chance.choice(MODES),
            "interactive": chance.random() < 0.8,
        }
        calls = [_call(chance, workspace) for _ in range(CALLS)]
        engine = engine_of(convert("gemini", file["toml"]))
        for (tool, given), theirs in zip(calls, ask(file, calls), strict=True):
            asked = Request(
                tool,
                given,
                cwd=str(workspace),
                home=str(workspace.parent),
                mode=NAMES[file["mode"]],
                interactive=file["interactive"],
            )
            tally.add(theirs, engine.decide(asked), (file, tool, given))
    assert not tally.looser, "\n".join(tally.looser[:10])
    check_row(TABLE, NAME, tally.row(NAME), request.config.getoption("--update-golden"))
