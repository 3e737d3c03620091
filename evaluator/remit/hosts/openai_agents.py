"""OpenAI Agents SDK: function tools that ask remit before they run (a tool input guardrail, and `needs_approval`)."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

from agents import FunctionTool, RunContextWrapper, Tool
from agents.tool_guardrails import ToolGuardrailFunctionOutput, ToolInputGuardrail, ToolInputGuardrailData

from remit.hosts.gate import Gate, why


def guarded(tools: Iterable[Tool], gate: Gate) -> list[Tool]:
    """The function tools of an agent behind the gate.

    What is denied is answered with the reason; what is asked pauses the run (`result.interruptions`) until `state.approve(item)`. An
    approval never lifts a deny. Raises TypeError for a tool that runs elsewhere or has no guardrails (hosted tools, shell, computer):
    nothing would stop it.
    """
    return [_guarded(tool, gate) for tool in tools]


def _guarded(tool: Tool, gate: Gate) -> FunctionTool:
    if not isinstance(tool, FunctionTool):
        raise TypeError(f"{type(tool).__name__} cannot be guarded: only function tools pass through guardrails")
    own = tool.needs_approval

    async def needs_approval(context: RunContextWrapper[Any], arguments: dict[str, Any], call_id: str) -> bool:
        verdict = await gate.judge_async(tool.name, arguments)
        if verdict.decision == "ask":
            return True
        return own if isinstance(own, bool) else await own(context, arguments, call_id)

    async def before(data: ToolInputGuardrailData) -> ToolGuardrailFunctionOutput:
        verdict = await gate.judge_async(tool.name, data.context.tool_arguments)
        approved = data.context.is_tool_approved(tool.name, data.context.tool_call_id) is True
        if verdict.decision == "allow" or (verdict.decision == "ask" and approved):
            return ToolGuardrailFunctionOutput.allow()
        return ToolGuardrailFunctionOutput.reject_content(why(verdict))

    guardrails = [ToolInputGuardrail(guardrail_function=before, name="remit"), *(tool.tool_input_guardrails or [])]
    return dataclasses.replace(tool, needs_approval=needs_approval, tool_input_guardrails=guardrails)
