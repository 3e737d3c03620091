"""State: what is known of one session. Data only."""

from __future__ import annotations

import json
from typing import Any

from remit_dsl.records import NamedTuple

# How much a session remembers: its newest, so that a long run costs no more than a short one.
MAX_PLACES = 256
MAX_APPROVALS = 64
MAX_ASKED = 16
MAX_RULES = 512
MAX_DIRECTORIES = 64
MAX_TEXT = 4096
# Processes read the clock before they take their turn to write.
MAX_SKEW_S = 30.0


class Approval(NamedTuple):
    """Somebody let one exact call happen once. call: its fingerprint (`remit.request.fingerprint`); expires: seconds since the epoch."""

    call: str
    by: str
    expires: float


class Asked(NamedTuple):
    """A call that was asked about: its fingerprint, and what a person knows it by."""

    call: str
    tool: str
    text: str
    folder: str


class State(NamedTuple):
    """One session. mode: "" = what each request says. rules: statements of the policy language, of tier `session`. directories: added to
    the workspace. last_call: fingerprint of the newest call, and repeats how often in a row it came. read, wrote, fetched: what calls that
    were allowed touched for certain, newest last. asked: the calls that were asked about, newest last. steps, tokens: as the host tells.
    seen: when it was last used (seconds since the epoch)."""

    id: str
    mode: str = ""
    rules: tuple[str, ...] = ()
    directories: tuple[str, ...] = ()
    approvals: tuple[Approval, ...] = ()
    calls: int = 0
    denials: int = 0
    consecutive_denials: int = 0
    repeats: int = 0
    last_call: str = ""
    read: tuple[str, ...] = ()
    wrote: tuple[str, ...] = ()
    fetched: tuple[str, ...] = ()
    asked: tuple[Asked, ...] = ()
    steps: int = 0
    tokens: int = 0
    cancelled: bool = False
    created: float = 0.0
    seen: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values, field by field."""
        asked, approvals = [call._asdict() for call in self.asked], [one._asdict() for one in self.approvals]
        return {**self._asdict(), "asked": asked, "approvals": approvals}


def without_expired(state: State, now: float) -> State:
    """The state as it holds now: approvals end. A clock that was set back would make them last longer, so that ends them too."""
    back = now < state.seen - MAX_SKEW_S
    live = tuple([approval for approval in state.approvals if approval.expires > now and not back])
    return state if live == state.approvals else state._replace(approvals=live)


def state_text(state: State) -> str:
    """The state as it is stored."""
    return json.dumps(state.to_json(), separators=(",", ":"), sort_keys=True)


def state_of(text: str) -> State:
    """The state that `state_text` wrote. Raises ValueError for anything else: half a state is none."""
    fields = json.loads(text)
    known = State("")._asdict()
    if not isinstance(fields, dict) or fields.keys() != known.keys():
        raise ValueError("not the state of a session")
    if any(not _fits(fields[name], value) for name, value in known.items()):
        raise ValueError("not the state of a session")
    approvals = tuple([Approval(**approval) for approval in fields.pop("approvals")])
    asked = tuple([Asked(**call) for call in fields.pop("asked")])
    lists = {name: tuple(value) for name, value in fields.items() if isinstance(value, list)}
    return State(**{**fields, **lists, "approvals": approvals, "asked": asked})


def _fits(value: Any, like: Any) -> bool:
    if isinstance(like, tuple):
        return isinstance(value, list)
    if isinstance(like, float):
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return type(value) is type(like)
