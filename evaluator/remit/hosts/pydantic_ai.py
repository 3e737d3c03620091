"""Pydantic AI: a toolset around a toolset (pydantic_ai.toolsets.WrapperToolset); what is asked becomes a deferred approval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.exceptions import ApprovalRequired
from pydantic_ai.toolsets import WrapperToolset
from pydantic_ai.toolsets.abstract import ToolsetTool

from remit.hosts.gate import Gate, why


@dataclass
class RemitToolset(WrapperToolset[Any]):
    """Runs what is allowed, answers what is denied with the reason, and defers what is asked (`DeferredToolRequests.approvals`).

    A call that comes back approved, with arguments changed or not, is judged again: an approval answers an ask, never a deny.
    """

    gate: Gate

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> Any:
        """The tool's own result, or the reason why not."""
        verdict = await self.gate.judge_async(name, tool_args)
        if verdict.decision == "ask" and not ctx.tool_call_approved:
            raise ApprovalRequired(metadata={"reason": why(verdict)})
        if verdict.decision in ("allow", "ask"):
            return await super().call_tool(name, tool_args, ctx, tool)
        return why(verdict)
