"""The callbacks for the Claude Agent SDK, as the SDK calls them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from host_policy import POLICY, gate

pytest.importorskip("claude_agent_sdk", reason="needs `claude-agent-sdk` (dependency group `hosts`)")

from claude_agent_sdk import ClaudeAgentOptions, PermissionResultAllow, ToolPermissionContext

from remit.hosts.claude_sdk import can_use_tool, pre_tool_use
from remit.hosts.gate import Gate

pytestmark = pytest.mark.filterwarnings("default")


def hook(payload: Any, guard: Gate | None = None) -> dict[str, Any]:
    [matcher] = pre_tool_use(guard or gate())["PreToolUse"]
    assert matcher.matcher is None
    [callback] = matcher.hooks
    return asyncio.run(callback(payload, "t", {"signal": None}))["hookSpecificOutput"]  # type: ignore


def payload(command: Any, **changes: Any) -> dict[str, Any]:
    common = {"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/w", "permission_mode": "bypassPermissions"}
    return {**common, "tool_name": "Bash", "tool_input": {"command": command}, **changes}


@pytest.mark.parametrize(
    ("given", "decision"),
    [
        (payload("ls"), "allow"),
        (payload("rm x"), "deny"),
        (payload("git push"), "ask"),
        (payload("make x", permission_mode="default"), "ask"),
        (payload("make x"), "allow"),
        (payload("ls", tool_input=None), "deny"),
        (payload("ls", cwd="relative"), "deny"),
        (payload("ls", hook_event_name="Stop"), "deny"),
        (None, "deny"),
        ({}, "deny"),
    ],
)
def test_the_hook(given: Any, decision: str) -> None:
    assert hook(given)["permissionDecision"] == decision


class Broken:
    """An engine that breaks its promise."""

    def decide(self, request: Any) -> Any:
        raise MemoryError(request.tool)


def test_the_hook_never_raises() -> None:
    assert hook(payload("ls"), Gate(Broken()))["permissionDecision"] == "deny"


@pytest.mark.parametrize(
    ("command", "person", "runs"),
    [
        ("ls", True, True),
        ("ls", False, False),
        ("rm x", True, False),
        ("git push", True, True),
        ("git push", False, False),
        ("git push", "yes", False),
    ],
)
def test_the_callback_asks_the_person_whatever_is_not_denied(command: str, person: Any, runs: bool) -> None:
    asked = []

    async def answer(_tool: str, given: dict[str, Any], reason: str) -> bool:
        asked.append((given["command"], reason))
        return person  # type: ignore[no-any-return]

    result = asyncio.run(can_use_tool(gate(), answer)("Bash", {"command": command}, ToolPermissionContext()))
    assert isinstance(result, PermissionResultAllow) is runs
    assert [one for one, _ in asked] == ([] if command == "rm x" else [command])
    assert command != "git push" or "A person publishes." in asked[0][1]


def test_what_the_hook_asks_because_of_where_it_runs_is_asked() -> None:
    """The callback is told neither the folder nor the session of the call."""
    policy = 'policy p for org\nuse std\nallow here: Bash(ls *)\nask there: Bash(ls *) when request.cwd == "/prod"\n'
    assert hook(payload("ls", cwd="/prod"), gate(policy))["permissionDecision"] == "ask"
    said = []

    async def refuses(_tool: str, _given: dict[str, Any], reason: str) -> bool:
        said.append(reason)
        return False

    context = ToolPermissionContext(decision_reason="remit: rule there (p.remit:4)")
    result = asyncio.run(can_use_tool(gate(policy), refuses)("Bash", {"command": "ls"}, context))
    assert not isinstance(result, PermissionResultAllow)
    assert said == ["remit: rule there (p.remit:4)"]


def test_the_options_take_both() -> None:
    async def nobody(_tool: str, _given: dict[str, Any], _reason: str) -> bool:
        return False

    options = ClaudeAgentOptions(hooks=pre_tool_use(gate(POLICY)), can_use_tool=can_use_tool(gate(), nobody))  # type: ignore
    assert options.hooks
