"""AgentScope 2: a middleware in place of the built-in permission engine (`MiddlewareBase.on_check_permission`)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

from agentscope.message import ToolCallState
from agentscope.middleware import MiddlewareBase
from agentscope.permission import PermissionBehavior, PermissionDecision, PermissionRule

from remit.hosts.gate import Gate, why
from remit.sessions.deciding import SessionEngine
from remit.sessions.state import State
from remit.sessions.updates import Update, applied
from remit.verdict import Verdict

SOURCE = "remit"
_BEHAVIORS = {"allow": PermissionBehavior.ALLOW, "ask": PermissionBehavior.ASK, "deny": PermissionBehavior.DENY}


class RemitMiddleware(MiddlewareBase):
    """Decides each tool call; what is asked pauses the agent (`RequireUserConfirmEvent`) with the rules that would permit it.

    A call that a person confirmed is judged again: a confirmation answers an ask, never a deny. Rules that the person accepts become
    rules of the session, if the gate's engine is a SessionEngine; they are kept in its store and in the agent's own state.
    """

    def __init__(self, gate: Gate, session: str = "") -> None:
        self._gate, self._session = gate, session
        self._kept: set[tuple[str, str]] = set()  # a person who takes a rule out of the session has taken it back

    async def on_check_permission(
        self, agent: Any, input_kwargs: dict[str, Any], next_handler: Callable[..., Awaitable[PermissionDecision]]
    ) -> PermissionDecision:
        """The decision; the built-in engine is not consulted."""
        session = self._session or str(getattr(agent.state, "session_id", ""))
        try:
            await asyncio.to_thread(self._accept, agent, session)
        except Exception as error:  # noqa: BLE001  (an accepted rule that is lost permits nothing; the call is judged without it)
            return PermissionDecision(PermissionBehavior.DENY, f"remit: accepted rules cannot be kept ({error})")
        verdict = await self._gate.judge_async(input_kwargs["tool"].name, input_kwargs["tool_input"], session=session)
        if verdict.decision == "ask" and input_kwargs["tool_call"].state == ToolCallState.ALLOWED:
            return PermissionDecision(PermissionBehavior.ALLOW, "confirmed by a person", why(verdict))
        return _decision(verdict)

    def _accept(self, agent: Any, session: str) -> None:
        """Rules that were offered and accepted since the last call."""
        engine = self._gate.engine
        rules = [rule for rule in _accepted(agent.state.permission_context) if (session, rule) not in self._kept]
        if not rules or not session or not isinstance(engine, SessionEngine):
            return
        if not set(rules) <= set(engine.store.read(session).rules):

            def add(state: State) -> State:
                return applied(state, Update("addRules", tuple(rules)))

            engine.store.change(session, add)
        self._kept.update([(session, rule) for rule in rules])


def _accepted(context: Any) -> Iterator[str]:
    """The rules of the agent's context that come from here, as statements."""
    for tool, rules in context.allow_rules.items():
        for rule in rules:
            if rule.source == SOURCE and rule.behavior == PermissionBehavior.ALLOW:
                yield f"allow {tool}({rule.rule_content})" if rule.rule_content else f"allow {tool}"


def _decision(verdict: Verdict) -> PermissionDecision:
    rules = [_rule(item["rule"]) for item in verdict.suggestions]
    return PermissionDecision(
        behavior=_BEHAVIORS[verdict.decision],
        message=why(verdict),
        decision_reason=verdict.reason.code,
        suggested_rules=[rule for rule in rules if rule is not None] or None,
        # What a rule of the policy asks, no rule of the agent's own may answer.
        bypass_immune=verdict.decision == "ask" and verdict.reason.code not in ("no_rule", "default"),
    )


def _rule(statement: str) -> PermissionRule | None:
    """A suggestion (`allow Bash(npm run *)`) as a rule of AgentScope's; None for one about no tool."""
    effect, _, target = statement.partition(" ")
    tool, parenthesis, content = target.partition("(")
    if effect != "allow" or "." in tool or tool == "exec":
        return None
    return PermissionRule(
        tool_name=tool,
        rule_content=content.removesuffix(")") if parenthesis else None,
        behavior=PermissionBehavior.ALLOW,
        source=SOURCE,
    )
