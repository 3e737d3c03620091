"""The canary: a call that must be denied, run through the installed command exactly as the agent would run it."""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any

from remit.engine import CANARY

WAIT_SECONDS = 20.0


def payload(agent: str, folder: str) -> dict[str, Any]:
    """What the agent would send for a call of the tool that no policy can allow."""
    call: dict[str, Any] = {"session_id": "remit-doctor", "cwd": folder, "tool_name": CANARY, "tool_input": {}}
    if agent == "copilot":
        return {"sessionId": "remit-doctor", "timestamp": 0, "cwd": folder, "toolName": CANARY, "toolArgs": {}}
    if agent == "cursor":
        shared = {"conversation_id": "remit-doctor", "workspace_roots": [folder], "hook_event_name": "preToolUse"}
        return {**shared, "tool_name": CANARY, "tool_input": {}}
    if agent == "opencode":
        call = {"event": "tool.execute.before", "tool": CANARY, "args": {}, "directory": folder, "worktree": folder}
        return call
    if agent == "gemini":
        return {**call, "hook_event_name": "BeforeTool", "timestamp": "2026-01-01T00:00:00Z"}
    more = {"turn_id": "remit-doctor"} if agent == "codex" else {}
    return {**call, **more, "hook_event_name": "PreToolUse"}


def sing(agent: str, command: str | list[str], folder: str) -> str:
    """Run the command on the canary's call: "" when it is denied, else what happened instead."""
    words = ["sh", "-c", command] if isinstance(command, str) else command
    try:
        done = subprocess.run(
            words, input=json.dumps(payload(agent, folder)).encode(), capture_output=True, cwd=folder,
            env={**os.environ, "PYTHONPATH": folder}, timeout=WAIT_SECONDS, check=False,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError) as error:
        return f"the hook did not run ({error})"
    said = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode != 0:
        return f"the hook failed: {said or f'exit code {done.returncode}'}"
    return (
        "" if CANARY in done.stdout.decode("utf-8", "replace") and _denies(done.stdout) else "the hook did not deny it"
    )


def _denies(answer: bytes) -> bool:
    try:
        return "deny" in _values(json.loads(answer))
    except ValueError:
        return False


def _values(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [text for item in value.values() for text in _values(item)]
    return [value]
