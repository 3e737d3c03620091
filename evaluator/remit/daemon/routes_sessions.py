"""Sessions: seen by whoever may change the daemon, changed by whoever has the admin token. Every action is logged, with who asked."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from remit.daemon.answers import json_answer, service_of
from remit.daemon.authority import authorised, say
from remit.daemon.limits import body_of
from remit.daemon.wire import Refused, SessionChangeForm, UpdateForm, call_of, form_of, parsed
from remit.sessions import outcome
from remit.sessions.state import Approval, State
from remit.sessions.store import Store, StoreError
from remit.sessions.updates import Update, UpdateError, applied, approved

Found = TypeVar("Found")


async def sessions(request: Request) -> Response:
    """All sessions with the time of their last use, newest first."""
    who = authorised(request, "list sessions")
    found = await _with(_store(request), lambda store: store.ids())
    say(who, "list sessions", f"{len(found)} sessions")
    return json_answer({"sessions": [{"id": session, "seen": seen} for session, seen in found]})


async def session(request: Request) -> Response:
    """What is known of one session; a new one's state for an id that is not known."""
    name = request.path_params["session"]
    who = authorised(request, f"show session {name}")
    state = await _with(_store(request), lambda store: store.read(name))
    say(who, f"show session {name}", "done")
    return json_answer(state.to_json())


async def change_session(request: Request) -> Response:
    """The session's state after a change: an update, an approval, whether it is cancelled; all of these or nothing."""
    name = request.path_params["session"]
    action = f"change session {name}"
    who = authorised(request, action, by_token=True)
    store = _store(request)
    value = parsed(await body_of(request, service_of(request).options.read_timeout_s))
    form = form_of(SessionChangeForm, value)
    approval = _approval(form, value, who)
    try:
        state = await _with(store, lambda store: store.change(name, lambda state: _changed(state, form, approval)))
    except Refused as error:
        say(who, action, f"refused: {error}")
        raise
    say(who, f"{action}: {', '.join(sorted(form.model_fields_set))}", "done")
    return json_answer(state.to_json())


def _store(request: Request) -> Store:
    found = service_of(request).sessions
    if found is None:
        raise Refused(404, "no_sessions", "this daemon keeps no sessions")
    return found.store


async def _with(store: Store, use: Callable[[Store], Found]) -> Found:
    """What comes of `use`, on a thread of its own. Raises Refused."""
    try:
        return await asyncio.to_thread(use, store)
    except UpdateError as error:
        raise Refused(409, "session", str(error)) from None
    except StoreError as error:
        raise Refused(503, "sessions", str(error)) from None


def _approval(form: SessionChangeForm, value: Any, who: str) -> Approval | None:
    """Raises Refused for a call that nothing can be told from."""
    if form.approve is None:
        return None
    call = outcome.call_of(call_of(value["approve"]["call"]))
    if not call:
        raise Refused(400, "bad_request", "this call equals no other: it cannot be approved")
    return Approval(call, who, time.time() + form.approve.seconds)


def _changed(state: State, form: SessionChangeForm, approval: Approval | None) -> State:
    if form.update is not None:
        state = applied(state, _update(form.update))
    if approval is not None:
        state = approved(state, approval)
    return state if form.cancelled is None else state._replace(cancelled=form.cancelled)


def _update(form: UpdateForm) -> Update:
    return Update(form.kind, tuple(form.rules), form.effect, form.mode, tuple(form.directories))


ROUTES = [
    Route("/v1/sessions", sessions, methods=["GET"]),
    Route("/v1/sessions/{session}", session, methods=["GET"]),
    Route("/v1/sessions/{session}", change_session, methods=["POST"]),
]
