"""The contenders: each takes the same prefix rules and times single decisions on commands that it has never seen."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Any, Protocol

from bench.workload import PrefixRule, remit_policy


class Peer(Protocol):
    """One engine, loaded with rules."""

    def measure(self, commands: Sequence[str]) -> list[int]:
        """Nanoseconds of each decision, in order."""


class Remit:
    """In process, as an embedding host calls it: split, observe, decide."""

    def __init__(self, rules: list[PrefixRule]) -> None:
        from remit import Engine, Request

        self._engine = Engine.from_source(remit_policy(rules), second_opinion="off")
        self._request = Request

    def measure(self, commands: Sequence[str]) -> list[int]:
        """Building the request is part of the call."""
        times = []
        for command in commands:
            start = time.perf_counter_ns()
            request = self._request(tool="Bash", input={"command": command}, cwd="/w", workspace=["/w"], home="/home/u")
            self._engine.decide(request)
            times.append(time.perf_counter_ns() - start)
        return times


class AgentScope:
    """AgentScope 2's PermissionEngine in its default mode, with its own Bash tool."""

    def __init__(self, rules: list[PrefixRule]) -> None:
        from agentscope.permission import PermissionBehavior, PermissionContext, PermissionEngine, PermissionRule
        from agentscope.tool import Bash

        self._tool = Bash()
        self._engine = PermissionEngine(PermissionContext())
        for rule in rules:
            behavior = PermissionBehavior(rule.effect)
            self._engine.add_rule(
                PermissionRule(tool_name="Bash", rule_content=f"{rule.prefix}:*", behavior=behavior, source="bench")
            )

    def measure(self, commands: Sequence[str]) -> list[int]:
        """Within one running loop, so that starting a loop is not counted."""
        return asyncio.run(self._measure(commands))

    async def _measure(self, commands: Sequence[str]) -> list[int]:
        times = []
        for command in commands:
            start = time.perf_counter_ns()
            await self._engine.check_permission(self._tool, {"command": command})
            times.append(time.perf_counter_ns() - start)
        return times


class Cedar:
    """Cedar with policies and entities parsed beforehand. It knows no shell and no `ask`: it sees the raw text, and an
    ask is a `forbid`."""

    def __init__(self, rules: list[PrefixRule]) -> None:
        import cedarpy

        self._cedar: Any = cedarpy
        self._policies = cedarpy.PolicySet.from_str("\n".join(_cedar_policy(rule) for rule in rules))
        self._entities = cedarpy.Entities.from_json_str("[]")

    def measure(self, commands: Sequence[str]) -> list[int]:
        """One authorization call for each command."""
        times = []
        for command in commands:
            start = time.perf_counter_ns()
            request = {
                "principal": {"type": "Agent", "id": "a"},
                "action": {"type": "Action", "id": "Bash"},
                "resource": {"type": "Machine", "id": "m"},
                "context": {"command": command},
            }
            self._cedar.is_authorized(request, self._policies, self._entities)
            times.append(time.perf_counter_ns() - start)
        return times


def _cedar_policy(rule: PrefixRule) -> str:
    effect = "permit" if rule.effect == "allow" else "forbid"
    matches = f'context.command == "{rule.prefix}" || context.command like "{rule.prefix} *"'
    return f'{effect} (principal, action == Action::"Bash", resource) when {{ {matches} }};'


PEERS: dict[str, type[Remit] | type[AgentScope] | type[Cedar]] = {
    "remit": Remit,
    "agentscope": AgentScope,
    "cedar": Cedar,
}
