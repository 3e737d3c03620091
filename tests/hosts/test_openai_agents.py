"""A real OpenAI Agents run with a scripted model."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import pytest
from host_policy import Ran, gate

pytest.importorskip("agents.tool_guardrails", reason="needs `openai-agents` (dependency group `hosts`)")

from agents import (
    Agent,
    CodeInterpreterTool,
    Model,
    ModelBehaviorError,
    ModelResponse,
    Runner,
    RunState,
    Usage,
    function_tool,
)
from agents.tracing import set_tracing_disabled
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from remit.hosts.openai_agents import guarded

pytestmark = pytest.mark.filterwarnings("default")
set_tracing_disabled(True)


class Script(Model):
    """Says one list of items after the other."""

    def __init__(self, *turns: list[Any]) -> None:
        self.turns = list(turns)

    async def get_response(self, *_: Any, **__: Any) -> ModelResponse:
        return ModelResponse(output=self.turns.pop(0), usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


def call(at: int, arguments: str) -> ResponseFunctionToolCall:
    return ResponseFunctionToolCall(call_id=f"c{at}", name="run", arguments=arguments, type="function_call")


def done() -> ResponseOutputMessage:
    text = ResponseOutputText(text="done", type="output_text", annotations=[])
    return ResponseOutputMessage(id="m", content=[text], role="assistant", status="completed", type="message")


class Host:
    """An agent whose model calls `run` with these arguments, all at once, and then ends."""

    def __init__(self, *arguments: str) -> None:
        self.ran = Ran()

        @function_tool
        def run(command: str) -> str:
            """Run a command."""
            return self.ran(command)

        script = Script([call(at, one) for at, one in enumerate(arguments)], [done()], [done()])
        self.tool = run
        self.agent: Agent[Any] = Agent(name="a", model=script, tools=guarded([run], gate()))

    def start(self, given: Any = "go") -> Any:
        return asyncio.run(Runner.run(self.agent, given))


def outputs(result: Any) -> list[str]:
    return [str(item.output) for item in result.new_items if item.type == "tool_call_output_item"]


def test_allowed_runs_and_denied_does_not() -> None:
    host = Host('{"command": "ls"}', '{"command": "rm x"}')
    allowed, denied = outputs(host.start())
    assert (allowed, host.ran) == ("ran ls", ["ls"])
    assert "Nothing is removed here." in denied


def test_asked_pauses_and_runs_once_when_approved() -> None:
    host = Host('{"command": "git push"}')
    result = host.start()
    assert [item.tool_name for item in result.interruptions] == ["run"]
    assert host.ran == []
    state = result.to_state()
    state.approve(result.interruptions[0])
    assert outputs(host.start(state)) == ["ran git push"]
    assert host.ran == ["git push"]


def test_an_approval_survives_being_stored() -> None:
    host = Host('{"command": "git push"}')
    result = host.start()
    state = asyncio.run(RunState.from_string(host.agent, result.to_state().to_string()))
    state.approve(state.get_interruptions()[0])
    host.start(state)
    assert host.ran == ["git push"]


def test_rejected_does_not_run() -> None:
    host = Host('{"command": "git push"}')
    result = host.start()
    state = result.to_state()
    state.reject(result.interruptions[0])
    host.start(state)
    assert host.ran == []


def test_an_approval_of_everything_lifts_no_deny() -> None:
    host = Host('{"command": "git push"}')
    result = host.start()
    state = result.to_state()
    state.approve(result.interruptions[0], always_approve=True)
    host.agent.model.turns.insert(0, [call(7, '{"command": "rm x"}')])  # type: ignore[union-attr]
    host.start(state)
    assert host.ran == ["git push"]


def test_arguments_that_are_no_json_do_not_run() -> None:
    host = Host('{"command": "ls"')
    with contextlib.suppress(ModelBehaviorError):  # the SDK may end the run, or tell the model
        host.start()
    assert host.ran == []


def test_what_has_no_guardrail_is_refused_when_the_agent_is_made() -> None:
    hosted = CodeInterpreterTool(tool_config={"type": "code_interpreter", "container": {"type": "auto"}})
    with pytest.raises(TypeError, match="cannot be guarded"):
        guarded([hosted], gate())
