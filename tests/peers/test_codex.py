"""Codex's `execpolicy check`, and its rules as policies: never looser. What no rule names is neither allowed nor denied, there and here."""

from __future__ import annotations

import json
import os
import random
import shlex
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from call_texts import WORDS, start
from peering import Tally, check_row, engine_of, installed

from remit import Request
from remit.importers import convert

VERSION = "0.171.0"
TABLE, NAME = Path(__file__).parents[2] / "docs/peers.md", f"Codex execpolicy {VERSION}"
SEED, FILES, CALLS = 20261203, 120, 10
DECISIONS = {"allow": "allow", "prompt": "ask", "forbidden": "deny", None: "ask"}


@pytest.fixture
def codex() -> str:
    given = os.environ.get("REMIT_PEERS_CODEX")  # the program, where it is installed already
    if given:
        return given
    npm = ["npm", "install", "--prefix", "{}", "--no-fund", "--no-audit", f"@openai/codex@{VERSION}"]
    return str(installed(f"codex-{VERSION}", npm) / "node_modules/.bin/codex")


def _rule(chance: random.Random) -> str:
    pattern: list[Any] = list(start(chance).split(" "))
    if chance.random() < 0.3:
        pattern[-1] = [pattern[-1], *chance.sample(["push", "status", "-rf", "run", "x", "--", "a b", "*"], 2)]
    decision = chance.choice(("allow", "allow", "prompt", "forbidden"))
    return f'prefix_rule(pattern={json.dumps(pattern)}, decision="{decision}")'


def _call(chance: random.Random) -> list[str]:
    words = chance.choice(WORDS).split(" ")
    around: list[list[str]] = [[], [], [], [], ["env"], ["timeout", "5"], ["sudo"], ["A=1"], ["nohup"], ["command"]]
    if chance.random() < 0.1:
        words[0] = "/usr/bin/" + words[0]
    if chance.random() < 0.1:
        return ["bash", "-lc", " ".join(words)]
    return [*chance.choice(around), *words, *chance.choice(([], [], ["a b"], ["*"], ["$X"], ["--force"]))]


def test_never_looser(codex: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    def check(rules: Path, words: list[str]) -> str:
        command = [codex, "execpolicy", "check", "--rules", str(rules), "--", *words]
        environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
        done = subprocess.run(command, capture_output=True, check=True, timeout=60, env=environment)
        return DECISIONS[json.loads(done.stdout).get("decision")]

    chance, tally = random.Random(SEED), Tally(lambda asked: check(*asked))
    with ThreadPoolExecutor(4) as pool:
        for number in range(FILES):
            rules = tmp_path / f"{number}.rules"
            rules.write_text("\n".join(_rule(chance) for _ in range(chance.randint(1, 5))))
            calls = [_call(chance) for _ in range(CALLS)]
            engine = engine_of(convert("codex", rules.read_text()))
            for words, theirs in zip(calls, pool.map(check, [rules] * CALLS, calls), strict=True):
                asked = Request("Bash", {"command": shlex.join(words)}, cwd="/work", home="/home/user")
                tally.add(theirs, engine.decide(asked), (rules, words))
    assert not tally.looser, "\n".join(tally.looser[:10])
    check_row(TABLE, NAME, tally.row(NAME), request.config.getoption("--update-golden"))
