"""What a decision leaves behind in its session. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from remit.request import Request, fingerprint
from remit.sessions.state import MAX_ASKED, MAX_PLACES, MAX_TEXT, Asked, State
from remit.transcript import compact
from remit.verdict import Verdict

# Refusals that say nothing of what the agent is up to.
_NOT_COUNTED = frozenset(("error", "denial_limit", "stale_policy"))


def after(state: State, request: Request, verdict: Verdict, now: float) -> State:
    """The state after a call was decided.

    A refusal counts towards the denial limits; a call that is allowed ends a row of refusals; an ask leaves it as it is. An approval that
    was used is gone.
    """
    state = with_call(state, request, now)
    if verdict.decision == "deny":
        counted = verdict.reason.code not in _NOT_COUNTED
        row = state.consecutive_denials + counted
        return state._replace(denials=state.denials + counted, consecutive_denials=row)
    if verdict.decision == "ask":
        call = Asked(state.last_call, request.tool, compact(request.input), request.cwd)
        others = [known for known in state.asked if known.call != call.call]
        return state._replace(asked=(*others, call)[-MAX_ASKED:]) if call.call else state
    return _allowed(state, request, verdict)._replace(consecutive_denials=0)


def with_call(state: State, request: Request, now: float) -> State:
    """The state with one more call. repeats: how many calls like this one came right before it."""
    call = call_of(request)
    repeats = state.repeats + 1 if call and call == state.last_call else 0
    return state._replace(
        calls=state.calls + 1, last_call=call, repeats=repeats, created=state.created or now, seen=now
    )


def call_of(request: Request) -> str:
    """The fingerprint of the call, "" for one that has none: it equals no other."""
    try:
        return fingerprint(request)
    except (TypeError, ValueError, RecursionError):
        return ""


def _allowed(state: State, request: Request, verdict: Verdict) -> State:
    touched: dict[str, list[str]] = {"fs.read": [], "fs.write": [], "net.connect": []}
    for access in [access for unit in verdict.units for access in unit.accesses if access.sure]:
        known = touched.get(access.kind)
        path, host = access.path, access.host
        if known is not None and path is not None and path.paths:
            known.append(path.paths[-1])
        elif known is not None and host is not None and host.name:
            known.append(host.name)
    approvals = state.approvals
    if verdict.reason.code == "approval":
        used = call_of(request)
        approvals = tuple([approval for approval in approvals if approval.call != used])
    return state._replace(
        approvals=approvals,
        read=newest(state.read, touched["fs.read"]),
        wrote=newest(state.wrote, touched["fs.write"]),
        fetched=newest(state.fetched, touched["net.connect"]),
    )


def newest(known: Iterable[str], more: Iterable[str]) -> tuple[str, ...]:
    """The places, each once, the newest last; the oldest are forgotten."""
    places = dict.fromkeys(known)
    for place in more:
        if len(place) <= MAX_TEXT:
            places.pop(place, None)
            places[place] = None
    return tuple(places)[-MAX_PLACES:]
