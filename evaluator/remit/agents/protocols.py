"""The agents whose hooks remit speaks, each with its protocol: a module that is loaded when that agent calls."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Protocol

    from remit.agents.fields import Call
    from remit.verdict import Verdict

    class AgentProtocol(Protocol):
        """What each of these modules has. EVENT: the one before a call. PROJECT_VARIABLE: where the agent names its project, "" for
        nowhere."""

        AGENT: str
        EVENT: str
        PROJECT_VARIABLE: str

        def read_call(self, payload: bytes, environment: Mapping[str, str]) -> Call:
            """The call that a payload announces. Raises PayloadError."""

        def call_of(self, fields: Mapping[str, Any], environment: Mapping[str, str]) -> Call:
            """As read_call, for JSON that has been read already."""

        def answer(self, event: str, verdict: Verdict) -> str:
            """What the hook prints, "" for no opinion."""

        def is_answer(self, event: str, text: str) -> bool:
            """Whether a text is what `answer` gives for some verdict."""


AGENTS = ("claude-code", "codex", "gemini", "copilot", "cursor", "opencode")


def protocol_of(agent: str) -> AgentProtocol:
    """The protocol of one of AGENTS."""
    name = f"remit.agents.{agent.replace('-', '_')}"
    __import__(name)  # importlib would be one more module for every hook
    return sys.modules[name]
