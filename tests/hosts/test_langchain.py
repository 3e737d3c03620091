"""A real LangChain agent with a scripted model: what remit says is what happens to the tool."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from host_policy import Ran, gate

pytest.importorskip("langchain.agents.middleware", reason="needs `langchain` (dependency group `hosts`)")

from langchain.agents import create_agent
from langchain.tools import tool
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from remit.hosts.langchain import RemitMiddleware

pytestmark = pytest.mark.filterwarnings("default")
CONFIG: Any = {"configurable": {"thread_id": "t"}}


class Model(GenericFakeChatModel):
    """Says what the script says, whatever tools it is given."""

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        return self


class Host:
    """An agent whose model calls `run` with these commands, all at once, and then ends."""

    def __init__(self, *commands: str) -> None:
        self.ran = Ran()

        @tool
        def run(command: str) -> str:
            """Run a command."""
            return self.ran(command)

        calls = [{"name": "run", "args": {"command": one}, "id": f"c{at}"} for at, one in enumerate(commands)]
        script = iter([AIMessage("", tool_calls=calls), AIMessage("done")])
        self.tool, self.model = run, Model(messages=script)
        self.agent: Any = create_agent(
            self.model, [run], middleware=[RemitMiddleware(gate())], checkpointer=InMemorySaver()
        )

    def start(self) -> Any:
        return self.agent.invoke({"messages": [("user", "go")]}, CONFIG)

    def resume(self, *decisions: Any) -> Any:
        return self.agent.invoke(Command(resume={"decisions": list(decisions)}), CONFIG)


def answers(result: Any) -> list[tuple[str, str]]:
    return [(item.status, item.content) for item in result["messages"] if isinstance(item, ToolMessage)]


def test_allowed_runs() -> None:
    host = Host("ls")
    assert answers(host.start()) == [("success", "ran ls")]
    assert host.ran == ["ls"]


def test_denied_does_not_run_and_the_model_learns_why() -> None:
    host = Host("rm x")
    [(status, content)] = answers(host.start())
    assert (status, host.ran) == ("error", [])
    assert "Nothing is removed here." in content


def test_asynchronously_too() -> None:
    host = Host("rm x")
    result = asyncio.run(host.agent.ainvoke({"messages": [("user", "go")]}, CONFIG))
    assert (answers(result)[0][0], host.ran) == ("error", [])
    other = Host("ls")
    asyncio.run(other.agent.ainvoke({"messages": [("user", "go")]}, CONFIG))
    assert other.ran == ["ls"]


def test_asked_interrupts_and_runs_once_when_approved() -> None:
    host = Host("git push")
    interrupted = host.start()["__interrupt__"][0].value
    assert host.ran == []
    assert interrupted["action_requests"][0]["args"] == {"command": "git push"}
    assert "A person publishes." in interrupted["action_requests"][0]["description"]
    assert answers(host.resume({"type": "approve"})) == [("success", "ran git push")]
    assert host.ran == ["git push"]


@pytest.mark.parametrize(
    "decisions",
    [
        [{"type": "reject", "message": "not today"}],
        [],
        [{"type": "approve"}, {"type": "approve"}],
        ["approve"],
        [{"type": "Approve"}],
        [{"type": "edit"}],
        [{"type": "edit", "edited_action": {"name": "other", "args": {"command": "ls"}}}],
        [{"type": "respond", "message": "ask later"}],
    ],
)
def test_whatever_is_no_approval_does_not_run(decisions: list[Any]) -> None:
    host = Host("git push")
    host.start()
    host.resume(*decisions)
    assert host.ran == []


def test_an_edited_call_is_judged_anew() -> None:
    host = Host("git push")
    host.start()
    edited = {"type": "edit", "edited_action": {"name": "run", "args": {"command": "rm -rf x"}}}
    assert answers(host.resume(edited))[0][0] == "error"
    assert host.ran == []
    other = Host("git push")
    other.start()
    other.resume({"type": "edit", "edited_action": {"name": "run", "args": {"command": "ls x"}}})
    assert other.ran == ["ls x"]


def test_calls_at_once_are_judged_one_by_one() -> None:
    host = Host("ls", "rm x", "echo y")
    assert [status for status, _ in answers(host.start())] == ["success", "error", "success"]
    assert sorted(host.ran) == ["echo y", "ls"]
