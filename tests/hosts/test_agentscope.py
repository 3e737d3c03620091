"""A real AgentScope 2 agent with a scripted model: ask, pause, resume, and the rule that was accepted."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from host_policy import POLICY, Ran, gate

pytest.importorskip("agentscope.middleware", reason="needs `agentscope>=2.0.11` (dependency group `hosts`)")

from agentscope.agent import Agent
from agentscope.credential import CredentialBase
from agentscope.event import ConfirmResult, RequireUserConfirmEvent, UserConfirmResultEvent
from agentscope.formatter import OpenAIChatFormatter
from agentscope.message import TextBlock, ToolCallBlock, UserMsg
from agentscope.model import ChatModelBase, ChatResponse
from agentscope.permission import PermissionMode
from agentscope.tool import FunctionTool, Toolkit

from remit import Request
from remit.hosts.agentscope import RemitMiddleware
from remit.hosts.gate import Gate
from remit.sessions.deciding import SessionEngine
from remit.sessions.store import Store
from remit.sessions.updates import Update, applied

pytestmark = pytest.mark.filterwarnings("default")


class Script(ChatModelBase):
    """Calls `run` with one command a turn, and then ends."""

    def __init__(self, commands: list[str]) -> None:
        super().__init__(CredentialBase(), "scripted", self.Parameters(), stream=False)
        self.formatter = OpenAIChatFormatter()
        self.commands = commands

    async def _call_api(self, *_: Any, **__: Any) -> ChatResponse:
        if not self.commands:
            return ChatResponse([TextBlock(text="done")], True)
        given = json.dumps({"command": self.commands.pop(0)})
        return ChatResponse([ToolCallBlock(id=f"c{len(self.commands)}", name="run", input=given)], True)


class Host:
    """An agent whose model calls `run` with these commands, one after the other."""

    def __init__(self, *commands: str, guard: Gate | None = None) -> None:
        self.ran = Ran()

        def run(command: str) -> str:
            """Run a command.

            Args:
                command: The command.
            """
            return self.ran(command)

        self.model, self.tool = Script(list(commands)), FunctionTool(run)
        self.agent = Agent(
            "a",
            "system",
            self.model,
            Toolkit(tools=[self.tool]),
            middlewares=[RemitMiddleware(guard or gate(), session="s")],
        )

    def send(self, given: Any) -> list[Any]:
        async def all_events() -> list[Any]:
            return [event async for event in self.agent.reply_stream(given)]

        return asyncio.run(all_events())

    def start(self) -> list[RequireUserConfirmEvent]:
        return questions(self.send(UserMsg("user", "go")))

    def answer(self, event: RequireUserConfirmEvent, confirmed: bool, **changes: Any) -> list[RequireUserConfirmEvent]:
        result = ConfirmResult(confirmed=confirmed, tool_call=event.tool_calls[0], **changes)
        return questions(self.send(UserConfirmResultEvent(reply_id=event.reply_id, confirm_results=[result])))


def questions(events: list[Any]) -> list[RequireUserConfirmEvent]:
    return [event for event in events if isinstance(event, RequireUserConfirmEvent)]


def test_allowed_runs_and_denied_does_not_in_any_mode() -> None:
    for mode in PermissionMode:
        host = Host("ls", "rm x", "echo y")
        host.agent.state.permission_context.mode = mode
        assert host.start() == []
        assert host.ran == ["ls", "echo y"]


def test_asked_pauses_and_runs_once_when_confirmed() -> None:
    host = Host("git push", "ls")
    [event] = host.start()
    assert host.ran == []
    assert host.answer(event, confirmed=True) == []
    assert host.ran == ["git push", "ls"]


def test_refused_does_not_run() -> None:
    host = Host("git push")
    [event] = host.start()
    host.answer(event, confirmed=False)
    assert host.ran == []


def test_a_confirmed_call_that_was_changed_is_judged_anew() -> None:
    host = Host("git push")
    [event] = host.start()
    changed = event.tool_calls[0].model_copy(update={"input": json.dumps({"command": "rm -rf x"})})
    result = ConfirmResult(confirmed=True, tool_call=changed)
    host.send(UserConfirmResultEvent(reply_id=event.reply_id, confirm_results=[result]))
    assert "rm -rf x" not in host.ran


def sessions(folder: Path) -> Gate:
    (folder / "p.remit").write_text(POLICY, encoding="utf-8")
    engine = SessionEngine.load(folder / "p.remit", store=folder / "s.db")
    return Gate(engine, Request("", cwd="/w", workspace=["/w"], home="/h"))


def test_an_accepted_rule_permits_the_next_call_like_it_also_after_a_restart(tmp_path: Path) -> None:
    host = Host("npm run build", "npm run test", "rm x", guard=sessions(tmp_path))
    [event] = host.start()
    rules = event.tool_calls[0].suggested_rules
    assert [(rule.tool_name, rule.rule_content) for rule in rules] == [("Bash", "npm run *")]
    assert host.answer(event, confirmed=True, rules=rules) == []
    assert host.ran == ["npm run build", "npm run test"]
    later = Host("npm run lint", guard=sessions(tmp_path))
    assert later.start() == []
    assert later.ran == ["npm run lint"]


def test_an_accepted_rule_that_was_taken_back_does_not_return(tmp_path: Path) -> None:
    guard = sessions(tmp_path)
    host = Host("npm run build", "git push", "npm run test", guard=guard)
    [event] = host.start()
    rules = event.tool_calls[0].suggested_rules
    [push] = host.answer(event, confirmed=True, rules=rules)
    Store(tmp_path / "s.db").change("s", lambda state: applied(state, Update("removeRules", state.rules)))
    assert [one.tool_calls[0].name for one in host.answer(push, confirmed=False)] == ["run"]
    assert host.ran == ["npm run build"]


def test_what_a_rule_asks_no_accepted_rule_answers(tmp_path: Path) -> None:
    host = Host("git push", "git push", guard=sessions(tmp_path))
    [event] = host.start()
    [again] = host.answer(event, confirmed=True)
    assert again.tool_calls[0].id != event.tool_calls[0].id
    assert host.ran == ["git push"]
