"""Claude Agent SDK: a hook before every tool call, and the callback that answers what is asked (`hooks`, `can_use_tool`)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from claude_agent_sdk import HookMatcher, PermissionResultAllow, PermissionResultDeny, ToolPermissionContext

from remit.agents.claude_code import Call, call_of
from remit.hosts.gate import Gate, why
from remit.payloads import PayloadError
from remit.phrasing import one_line
from remit.verdict import Verdict

# Longer than any decision takes: the client lets a call through when a hook is late.
HOOK_SECONDS = 30.0

PermissionResult: TypeAlias = PermissionResultAllow | PermissionResultDeny
# The host's person: the tool, its input, and why it is asked -> whether it may run.
Person = Callable[[str, dict[str, Any], str], Awaitable[bool]]


def pre_tool_use(gate: Gate) -> dict[str, list[HookMatcher]]:
    """The `hooks` of ClaudeAgentOptions: every tool call is judged, whatever the permission mode. Never raises: the client would let
    the call through."""

    async def before(payload: Any, _tool_use_id: str | None, _context: Any) -> dict[str, Any]:
        try:
            call = call_of(payload, {})
            return _answer(await _judged(gate, call))
        except PayloadError as error:
            return _said("deny", f"remit: the hook's input is not as the client sends it: {error}")
        except Exception as error:  # noqa: BLE001  (the client lets a call through when its hook fails)
            return _said("deny", f"remit: internal error ({type(error).__name__})")

    return {"PreToolUse": [HookMatcher(matcher=None, hooks=[before], timeout=HOOK_SECONDS)]}  # type: ignore[list-item]


def can_use_tool(gate: Gate, person: Person) -> Callable[[str, dict[str, Any], ToolPermissionContext], Any]:
    """The `can_use_tool` of ClaudeAgentOptions: asks the host's person. What is denied stays denied, whatever they say.

    Whatever comes here was asked, by the hook or by the client's own rules, and a person answers it. An allow is no answer: it is found
    without the session and the folder that the hook knew of.
    """

    async def callback(tool: str, given: dict[str, Any], context: ToolPermissionContext) -> PermissionResult:
        verdict = await gate.judge_async(tool, given, agent_kind="subagent" if context.agent_id else "main")
        if verdict.decision == "deny":
            return PermissionResultDeny(message=why(verdict))
        reason = why(verdict) if verdict.decision == "ask" else one_line(context.decision_reason or why(verdict))
        if await person(tool, given, reason) is True:
            return PermissionResultAllow()
        return PermissionResultDeny(message="remit: a person refused the call")

    return callback


async def _judged(gate: Gate, call: Call) -> Verdict:
    request = call.request
    if request is None:
        raise PayloadError(f"no decision is due at {call.event}")
    return await gate.judge_async(
        request.tool, request.input, cwd=request.cwd, workspace=request.workspace, mode=request.mode,
        agent=request.agent, agent_kind=request.agent_kind, session=request.session,
    )  # fmt: skip


def _answer(verdict: Verdict) -> dict[str, Any]:
    return _said(verdict.decision, why(verdict))


def _said(decision: str, reason: str) -> dict[str, Any]:
    output = {"hookEventName": "PreToolUse", "permissionDecision": decision, "permissionDecisionReason": reason}
    return {"hookSpecificOutput": output}
