"""Gate: a host's tool calls -> verdicts. What all frameworks share: reading arguments, and never raising."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Protocol

from remit.engine import failure
from remit.payloads import PayloadError, read_object
from remit.phrasing import sentence
from remit.request import Request
from remit.verdict import Reason, Verdict


class Decider(Protocol):
    """An Engine, or a SessionEngine."""

    def decide(self, request: Request) -> Verdict:
        """The verdict; never raises."""


class Gate:
    """Judges tool calls of one host.

    call: what all its requests have in common (`cwd`, `workspace`, `agent`, `user`, `labels`, `mode`, `interactive` …); `tool` and `input`
    are filled in. Thread-safe if the engine is.
    """

    def __init__(self, engine: Decider, call: Request | None = None) -> None:
        self.engine = engine
        self._call = call if call is not None else Request("")

    def judge(self, tool: str, arguments: Mapping[str, Any] | str, **changes: Any) -> Verdict:
        """The verdict on one call; arguments that are no JSON object are refused (reason `error`). Never raises."""
        try:
            given = read_object(arguments.encode("utf-8", "surrogatepass")) if isinstance(arguments, str) else arguments
            return _known(self.engine.decide(self._call._replace(tool=tool, input=given, **changes)))
        except PayloadError as error:
            return _refused(f"the arguments of {tool} are no JSON object: {error}")
        except Exception as error:  # noqa: BLE001  (whatever it is, the tool must not run)
            return failure(error, "", "")

    async def judge_async(self, tool: str, arguments: Mapping[str, Any] | str, **changes: Any) -> Verdict:
        """As `judge`, beside the event loop: an engine with sessions waits for the disk."""
        return await asyncio.to_thread(self.judge, tool, arguments, **changes)


def why(verdict: Verdict) -> str:
    """One line for the model or the person: what was decided, by which rule."""
    return f"remit: {sentence(verdict)}"


def _known(verdict: Verdict) -> Verdict:
    """The verdict, if it is one of the three: a host that knows another word may take it for none. Raises TypeError."""
    if not isinstance(verdict, Verdict) or verdict.decision not in ("allow", "ask", "deny"):
        raise TypeError("not a verdict")
    return verdict


def _refused(message: str) -> Verdict:
    return Verdict("deny", Reason("error", message=message), (), (), "default", "", "")
