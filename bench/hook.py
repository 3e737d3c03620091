"""Wall time of the hook process beside a bare interpreter start, one after the other."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

from bench.report import Row, row
from bench.workload import fresh_commands, remit_policy, rules

import remit

ROUNDS = 40
BARE = [sys.executable, "-I", "-S", "-c", "pass"]
# As docs/integrations.md registers it, and as a module, where the environment may be a project's own.
STARTS = {
    "launcher": [sys.executable, "-I", "-S", str(Path(remit.__file__).with_name("launch.py"))],
    "-I -m remit": [sys.executable, "-I", "-m", "remit"],
}


def rows() -> list[Row]:
    """The interpreter alone, and the hook with a policy of 100 rules whose program is cached: in every way to start it, new commands."""
    with tempfile.TemporaryDirectory() as folder:
        policy = Path(folder, "policy.remit")
        policy.write_text(remit_policy(rules(100)))
        environment = dict(os.environ)
        told = ["hook", "claude-code", "--policy", str(policy), "--home", folder]
        times: dict[str, list[int]] = {name: [] for name in ("", *STARTS)}
        _run([*STARTS["launcher"], *told], _payload("ls", folder), environment)
        for command in islice(fresh_commands(seed=1), ROUNDS):
            payload = _payload(command, folder)
            times[""].append(_run(BARE, payload, environment))
            for name, start in STARTS.items():
                times[name].append(_run([*start, *told], payload, environment))
    bare = row("start: python -I -S", "bare interpreter", times[""])
    return [bare, *[row("start: remit hook", f"100 rules, {name}", times[name], bare.median) for name in STARTS]]


def _payload(command: str, cwd: str) -> bytes:
    payload = {
        "session_id": "bench",
        "transcript_path": f"{cwd}/transcript.jsonl",
        "cwd": cwd,
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command, "description": "bench"},
        "tool_use_id": "toolu_bench",
    }
    return json.dumps(payload).encode()


def _run(command: list[str], payload: bytes, environment: dict[str, str]) -> int:
    start = time.perf_counter_ns()
    subprocess.run(command, input=payload, env=environment, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter_ns() - start
