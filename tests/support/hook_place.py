"""A machine for hooks, and the hook as a client starts it: one process a call."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

POLICY = """\
policy org.base for org
use std
deny no-force-push: Bash(git push --force *), Bash(git push -f *)
  because "Force pushes\\nrewrite \\u{202E} history."
ask publishing: Bash(git push *) because "Publishing leaves the machine."
deny not-eve: Bash(deploy *) because "no" when request.labels.env == "prod"
deny secret: fs.read(~/secret) because "no"
allow building: Bash(npm run *)
"""
HOOK = [sys.executable, "-I", "-m", "remit", "hook", "claude-code"]
LAUNCHER = Path(__file__).parents[2] / "evaluator" / "remit" / "launch.py"
LAUNCHED = [sys.executable, "-I", "-S", str(LAUNCHER), "hook", "claude-code"]


class Place(NamedTuple):
    """A machine for hooks: a policy, a workspace, an environment."""

    policy: Path
    workspace: Path
    environment: dict[str, str]

    def payload(self, command: str = "git push -f", **changes: Any) -> bytes:
        fields = {
            "session_id": "748e",
            "transcript_path": f"{self.workspace}/.claude/projects/x/748e.jsonl",
            "cwd": str(self.workspace),
            "prompt_id": "285d",
            "permission_mode": "default",
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": command, "description": "run"},
            "tool_use_id": "toolu_fake0000",
        }
        return json.dumps({key: value for key, value in {**fields, **changes}.items() if value is not None}).encode()

    def run(
        self, stdin: bytes, *arguments: str, command: list[str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        given = arguments or ("--policy", str(self.policy))
        whole = [*(command or HOOK), *(() if "--home" in given else ("--home", self.environment["HOME"])), *given]
        return subprocess.run(
            whole, input=stdin, capture_output=True, cwd=self.workspace, env=self.environment, timeout=60, check=False
        )

    def decision(self, stdin: bytes, *arguments: str, command: list[str] | None = None) -> tuple[str, str]:
        done = self.run(stdin, *arguments, command=command)
        assert (done.returncode, done.stderr) == (0, b"")
        output = json.loads(done.stdout)["hookSpecificOutput"]
        assert list(output) == ["hookEventName", "permissionDecision", "permissionDecisionReason"]
        return output["permissionDecision"], output["permissionDecisionReason"]


def make_place(root: Path) -> Place:
    """A machine below `root`, whose program is cached."""
    (root / "policies").mkdir()
    policy = root / "policies" / "org.remit"
    policy.write_text(POLICY)
    workspace = root / "workspace"
    workspace.mkdir()
    environment = {"HOME": str(root / "home"), "PATH": os.environ["PATH"]}
    found = Place(policy.parent, workspace, environment)
    found.run(found.payload())
    return found


def refused(done: subprocess.CompletedProcess[bytes]) -> str:
    """What standard error says of a refusal, after all that must hold of one."""
    assert (done.returncode, done.stdout) == (2, b""), done
    said = done.stderr.decode()
    assert said.startswith("remit: ")
    assert said.endswith("\n")
    assert said.count("\n") == 1
    assert len(said) > len("remit: \n")
    return said


def patched(code: str) -> list[str]:
    """The hook with something broken in it."""
    start = "import sys; sys.argv[1:1] = ['hook', 'claude-code']"
    return [sys.executable, "-I", "-c", f"{start}\n{code}\nfrom remit.__main__ import main\nmain()"]
