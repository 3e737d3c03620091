"""LangChain agents: a middleware around every tool call (langchain.agents.middleware, `wrap_tool_call`)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

from langchain.agents.middleware import AgentMiddleware
from langchain.tools.tool_node import ToolCallRequest
from langchain_core.messages import ToolMessage
from langgraph.types import Command, interrupt

from remit.hosts.gate import Gate, why
from remit.verdict import Verdict

Result: TypeAlias = ToolMessage | Command[Any]


class RemitMiddleware(AgentMiddleware[Any, Any]):
    """Runs what is allowed, answers what is denied, and interrupts the graph for what is asked.

    The interrupt has the form of LangChain's own HumanInTheLoopMiddleware: it is resumed with `{"decisions": [{"type": "approve"}]}`, or
    `edit` (the new call is judged anew), `reject`, `respond`. Any other answer is a rejection.
    """

    def __init__(self, gate: Gate) -> None:
        super().__init__()
        self._gate = gate

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Result]) -> Result:
        """The tool's own answer, or a refusal."""
        while True:
            verdict = self._gate.judge(request.tool_call["name"], request.tool_call["args"])
            step = _step(request, verdict)
            if not isinstance(step, ToolCallRequest):
                return step if step is not None else handler(request)
            request = step

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Result]]
    ) -> Result:
        """As `wrap_tool_call`."""
        while True:
            verdict = await self._gate.judge_async(request.tool_call["name"], request.tool_call["args"])
            step = _step(request, verdict)
            if not isinstance(step, ToolCallRequest):
                return step if step is not None else await handler(request)
            request = step


def _step(request: ToolCallRequest, verdict: Verdict) -> ToolMessage | ToolCallRequest | None:
    """None: run it. A message: the answer instead. A request: judge that one."""
    if verdict.decision == "allow":
        return None
    if verdict.decision != "ask":
        return _answer(request, why(verdict))
    decision = _human(interrupt(_question(request, verdict)))
    kind = decision.get("type")
    if kind == "approve":
        return None
    if kind == "edit":
        edited = decision.get("edited_action")
        return _edited(request, edited) or _answer(request, "remit: the edited call is not complete")
    return _answer(request, str(decision.get("message") or "remit: a person refused the call"), kind != "respond")


def _question(request: ToolCallRequest, verdict: Verdict) -> dict[str, Any]:
    call = request.tool_call
    action = {"name": call["name"], "args": call["args"], "description": why(verdict)}
    review = {"action_name": call["name"], "allowed_decisions": ["approve", "edit", "reject", "respond"]}
    return {"action_requests": [action], "review_configs": [review]}


def _human(answer: Any) -> Mapping[str, Any]:
    """The one decision of an answer; an empty one for whatever is not of the form."""
    decisions = answer.get("decisions") if isinstance(answer, Mapping) else None
    if isinstance(decisions, list) and len(decisions) == 1 and isinstance(decisions[0], Mapping):
        return decisions[0]
    return {}


def _edited(request: ToolCallRequest, action: Any) -> ToolCallRequest | None:
    if not isinstance(action, Mapping) or action.get("name") != request.tool_call["name"]:
        return None
    arguments = action.get("args")
    if not isinstance(arguments, dict):
        return None
    return request.override(tool_call={**request.tool_call, "args": arguments})


def _answer(request: ToolCallRequest, text: str, is_error: bool = True) -> ToolMessage:
    call = request.tool_call
    status = "error" if is_error else "success"
    return ToolMessage(content=text, tool_call_id=call["id"], name=call["name"], status=status)
