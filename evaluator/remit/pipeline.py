"""Pipeline: a host's own steps around a decision. Before it: let on, block, change the input, ask. After the call: change the output.

A step can make a decision stricter, never looser: what it changes is judged as changed, and what it lets on is judged all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from remit.request import Request
from remit.verdict import Reason, Verdict
from remit_dsl.records import NamedTuple


class Block(NamedTuple):
    """The call must not run."""

    reason: str


class Change(NamedTuple):
    """The call goes on with these parameters."""

    input: Mapping[str, Any]


class Ask(NamedTuple):
    """A person must be asked, also where the policy permits the call."""

    reason: str


Before = Callable[[Request], Block | Change | Ask | None]
After = Callable[[Request, Any], Any]


class Decider(Protocol):
    """An Engine, or a SessionEngine."""

    def decide(self, request: Request) -> Verdict:
        """The verdict; never raises."""


class Judged(NamedTuple):
    """The call as it may run, and the verdict on it."""

    request: Request
    verdict: Verdict


class Pipeline:
    """Steps before and after, each with a name of its own for reasons. A step that raises blocks the call."""

    def __init__(
        self,
        engine: Decider,
        before: Sequence[tuple[str, Before]] = (),
        after: Sequence[tuple[str, After]] = (),
    ) -> None:
        self._engine, self._before, self._after = engine, tuple(before), tuple(after)

    def judge(self, request: Request) -> Judged:
        """All steps in order, then the policy on what they made of the call. The first block ends it. Never raises."""
        asks: list[tuple[str, str]] = []
        for name, step in self._before:
            try:
                said = step(request)
            except Exception as error:  # noqa: BLE001  (whatever it is, the call must not run)
                said = Block(f"the step failed ({type(error).__name__})")
            if isinstance(said, Block):
                return Judged(request, _stopped(request, "deny", name, said.reason))
            if isinstance(said, Change):
                request = request._replace(input=said.input)
            elif isinstance(said, Ask):
                asks.append((name, said.reason))
            elif said is not None:
                return Judged(request, _stopped(request, "deny", name, "the step answered with something else"))
        verdict = self._engine.decide(request)
        if asks and verdict.decision == "allow":
            verdict = _asked(request, verdict, *asks[0])
        return Judged(request, verdict)

    def output(self, request: Request, output: Any) -> Any:
        """The output after all steps; what a step raises goes to the caller, who must not use the output then."""
        for _, step in self._after:
            output = step(request, output)
        return output


def _asked(request: Request, verdict: Verdict, name: str, reason: str) -> Verdict:
    """An ask in the place of an allow; where nobody can be asked, a denial."""
    silent = not request.interactive or request.agent_kind == "silent" or request.mode in ("dont_ask", "dontAsk")
    said = _stopped(request, "deny" if silent else "ask", name, reason)
    if silent:
        said = said._replace(reason=said.reason._replace(code="non_interactive", detail="rule"))
    return said._replace(revision=verdict.revision, decision_id=verdict.decision_id)


def _stopped(request: Request, decision: str, name: str, reason: str) -> Verdict:
    return Verdict(decision, Reason("rule", f"step:{name}", message=reason), (), (), request.mode, "", "")
