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

ROUNDS = 40
BARE = [sys.executable, "-I", "-S", "-c", "pass"]


def rows() -> list[Row]:
    """Two rows: the interpreter alone, and the hook with a policy of 100 rules whose program is cached."""
    with tempfile.TemporaryDirectory() as folder:
        policy = Path(folder, "policy.remit")
        policy.write_text(remit_policy(rules(100)))
        environment = dict(os.environ)
        remit = str(Path(sys.executable).with_name("remit"))
        hook = [remit, "hook", "claude-code", "--policy", str(policy), "--home", folder]
        bare_times, hook_times = [], []
        _run(hook, _payload("ls", folder), environment)
        for command in islice(fresh_commands(seed=1), ROUNDS):
            payload = _payload(command, folder)
            bare_times.append(_run(BARE, payload, environment))
            hook_times.append(_run(hook, payload, environment))
    bare = row("start: python -I -S", "bare interpreter", bare_times)
    return [bare, row("start: remit hook", "100 rules, cached", hook_times, bare.median)]


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
