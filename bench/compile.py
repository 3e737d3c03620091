"""Compiling 10,000 rules in 100 files: cold, from the cache, and after a change of one file; beside bare LALR parsing.

Each sample is a fresh process with a cache folder of its own, since loading the grammar is part of a cold start.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.report import Row, row
from bench.workload import remit_policy, rules

FILES, RULES, ROUNDS = 100, 10_000, 3


def rows() -> list[Row]:
    """Four rows; ratios are to bare lexing and parsing of the same text, grammar loading included."""
    samples: dict[str, list[int]] = {"bare": [], "cold": [], "changed": [], "cached": []}
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as folder:
            policies = _write(Path(folder, "policies"))
            samples["bare"] += _child("bare", policies, folder)
            cold, changed = _child("load", policies, folder)
            samples["cold"].append(cold)
            samples["changed"].append(changed)
            _child("start", policies, folder)  # the changed policies are cached from here on
            samples["cached"] += _child("start", policies, folder)
    bare = row("compile: bare lark", f"{RULES:,} rules", samples["bare"])
    cases = {"cold": "cold", "cached": "cached program", "changed": f"1 of {FILES} files changed"}
    return [bare, *[row("compile: remit", case, samples[key], bare.median) for key, case in cases.items()]]


def _write(folder: Path) -> Path:
    folder.mkdir()
    given = rules(RULES)
    share = RULES // FILES
    for index in range(FILES):
        text = remit_policy(given[index * share : (index + 1) * share], f"bench.part-{index}")
        (folder / f"part-{index:03}.remit").write_text(text)
    return folder


def _child(step: str, policies: Path, cache: str) -> list[int]:
    environment = {**os.environ, "XDG_CACHE_HOME": str(Path(cache, "cache"))}
    command = [sys.executable, "-m", "bench.compile", step, str(policies)]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    times: list[int] = json.loads(done.stdout)
    return times


def _bare(policies: Path) -> list[int]:
    texts = [path.read_text() for path in sorted(policies.iterdir())]
    start = time.perf_counter_ns()
    from importlib.resources import files

    from lark import Lark

    grammar = files("remit_dsl").joinpath("grammar.lark").read_text()
    parser = Lark(grammar, parser="lalr", lexer="contextual")
    for text in texts:
        parser.parse(text)
    return [time.perf_counter_ns() - start]


def _start(policies: Path) -> list[int]:
    start = time.perf_counter_ns()
    from remit import Engine

    Engine.load(policies)
    return [time.perf_counter_ns() - start]


def _load(policies: Path) -> list[int]:
    start = time.perf_counter_ns()
    from remit import Engine

    engine = Engine.load(policies)
    loaded = time.perf_counter_ns()
    with (policies / "part-000.remit").open("a") as file:
        file.write(f"deny Bash(changed-{loaded} *)\n")
    changed = time.perf_counter_ns()
    engine.reload()
    return [loaded - start, time.perf_counter_ns() - changed]


if __name__ == "__main__":
    steps = {"bare": _bare, "start": _start, "load": _load}
    print(json.dumps(steps[sys.argv[1]](Path(sys.argv[2]))))
