"""A real Pydantic AI agent with a scripted model."""

from __future__ import annotations

from typing import Any

import pytest
from host_policy import Ran, gate

pytest.importorskip("pydantic_ai", reason="needs `pydantic-ai-slim` (dependency group `hosts`)")

from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ToolApproved, ToolDenied
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.toolsets import FunctionToolset

from remit.hosts.pydantic_ai import RemitToolset

pytestmark = pytest.mark.filterwarnings("default")


class Host:
    """An agent whose model calls `run` with these commands, all at once, and then ends."""

    def __init__(self, *commands: str) -> None:
        self.ran = Ran()
        self.commands = commands
        tools: FunctionToolset[Any] = FunctionToolset()
        tools.add_function(self._run, name="run", description="Run a command.")
        self.tools, self.model = tools, FunctionModel(self._model)
        self.agent: Agent[Any, Any] = Agent(
            self.model, toolsets=[RemitToolset(tools, gate())], output_type=[str, DeferredToolRequests]
        )

    def _run(self, command: str) -> str:
        return self.ran(command)

    def _model(self, messages: list[Any], _info: AgentInfo) -> ModelResponse:
        if any(isinstance(part, ToolReturnPart) for message in messages for part in message.parts):
            return ModelResponse([TextPart("done")])
        calls = [ToolCallPart("run", {"command": one}, f"c{at}") for at, one in enumerate(self.commands)]
        return ModelResponse(calls)

    def start(self) -> Any:
        return self.agent.run_sync("go")

    def resume(self, result: Any, approvals: Any) -> Any:
        history = result.all_messages()
        return self.agent.run_sync(
            message_history=history, deferred_tool_results=DeferredToolResults(approvals=approvals)
        )


def answers(result: Any) -> list[str]:
    parts = [part for message in result.all_messages() for part in message.parts]
    return [str(part.content) for part in parts if isinstance(part, ToolReturnPart)]


def test_allowed_runs_and_denied_does_not() -> None:
    host = Host("ls", "rm x")
    allowed, denied = answers(host.start())
    assert (allowed, host.ran) == ("ran ls", ["ls"])
    assert "Nothing is removed here." in denied


def test_asked_is_deferred_and_runs_once_when_approved() -> None:
    host = Host("git push")
    result = host.start()
    assert [call.tool_call_id for call in result.output.approvals] == ["c0"]
    assert "A person publishes." in result.output.metadata["c0"]["reason"]
    assert host.ran == []
    host.resume(result, {"c0": True})
    assert host.ran == ["git push"]


@pytest.mark.parametrize("approval", [False, ToolDenied("no")])
def test_refused_does_not_run(approval: Any) -> None:
    host = Host("git push")
    host.resume(host.start(), {"c0": approval})
    assert host.ran == []


def test_an_approval_with_other_arguments_is_judged_anew() -> None:
    host = Host("git push")
    host.resume(host.start(), {"c0": ToolApproved(override_args={"command": "rm -rf x"})})
    assert host.ran == []
