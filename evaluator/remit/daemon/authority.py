"""Who may change a running daemon, and the log of what is done there."""

from __future__ import annotations

import hmac
import logging

from starlette.requests import Request

from remit.daemon.answers import service_of
from remit.daemon.peers import is_own
from remit.daemon.wire import Refused
from remit.phrasing import one_line

log = logging.getLogger("remit.admin")


def authorised(request: Request, action: str, *, by_token: bool = False) -> str:
    """Who asks. Raises Refused, logged, for everybody who may not. by_token: for what could permit something. Agents run by the daemon's
    account, too, and reach its admin socket."""
    peer, state = request.state.peer, request.state
    who = f"uid {peer.uid} pid {peer.pid}" if peer is not None else str(request.client.host if request.client else "")
    if state.entrance == "admin" and is_own(peer) and not by_token:
        return who
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    token = service_of(request).options.admin_token
    if token and scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode("latin-1", "replace"), token):
        return f"{who} by token"
    say(who, action, "refused: not authorised")
    if state.entrance == "admin" or token:
        raise Refused(401, "unauthorised", "this needs the admin token")
    raise Refused(403, "forbidden", "this is answered on the admin socket only")


def say(who: str, action: str, outcome: str) -> None:
    """One line in the log: who did what, and what became of it."""
    log.warning("admin: %s: %s: %s", one_line(who, 100), one_line(action, 100), one_line(outcome))
