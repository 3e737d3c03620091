"""Request: one tool call that an agent wants to make, and what is known about who makes it."""

from __future__ import annotations

from remit_dsl.digest import fingerprint_of
from remit_dsl.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

MAX_REQUEST_BYTES = 1 << 20


class Session(NamedTuple):
    """What earlier calls of the session left behind.

    approved: fingerprints of calls that a human has approved once; consecutive_denials and denials count refusals by
    policy or classifier (the limits stand in `decide`). repeats: how often in a row this same call came before. read, wrote, fetched: paths
    and hosts that earlier calls touched. steps, tokens, cancelled: as the host of the session tells.
    """

    id: str = ""
    calls: int = 0
    denials: int = 0
    consecutive_denials: int = 0
    repeats: int = 0
    approved: frozenset[str] = frozenset()
    read: Sequence[str] = ()
    wrote: Sequence[str] = ()
    fetched: Sequence[str] = ()
    steps: int = 0
    tokens: int = 0
    cancelled: bool = False


class Request(NamedTuple):
    """One tool call. Only `tool` is required.

    input: the call's parameters as the agent sent them. cwd, home: absolute paths ("" = this process's own). workspace: the
    folders the agent works in (none = cwd). mode: the agent's permission mode. agent: its name ("claude-code"); agent_kind:
    "main" or "subagent"; interactive: whether somebody can be asked. session: an id, or a Session with its history.
    classifier: the answer of a classifier, "" when it was not consulted.
    """

    tool: str
    input: Mapping[str, Any] = {}
    cwd: str = ""
    workspace: Sequence[str] = ()
    home: str = ""
    mode: str = "default"
    agent: str = ""
    agent_kind: str = "main"
    interactive: bool = True
    session: str | Session = ""
    user: str = ""
    host: str = ""
    labels: Mapping[str, str] = {}
    time: str = ""
    classifier: str = ""


def fingerprint(request: Request) -> str:
    """The hash that a one-shot approval is bound to: tool, input, working directory, agent. Raises TypeError or ValueError where
    the input is not JSON."""
    given = request.input
    if "command" in given and "description" in given:  # what the model says of the command, in other words each time
        given = {name: value for name, value in given.items() if name != "description"}
    exact = [request.tool, given, request.cwd, request.agent, request.agent_kind]
    import json

    text = json.dumps(exact, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return fingerprint_of(text)
