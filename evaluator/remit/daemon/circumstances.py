"""What a hook's request says, beside its payload, of the agent that waits for the answer."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from starlette.datastructures import Headers

from remit.daemon.options import account_home
from remit.daemon.peers import Peer, user_name
from remit.daemon.service import Service
from remit.daemon.wire import Refused
from remit.payloads import PayloadError, read_value
from remit.request import Request as Call
from remit_dsl.records import NamedTuple

POLICIES, PROJECT, HOME, LABELS = "remit-policies", "remit-project-dir", "remit-home", "remit-labels"


class Circumstances(NamedTuple):
    """policies: what the hook process was started with; None: no hook process of remit asks, but the agent itself."""

    policies: tuple[str, ...] | None
    project: str
    home: str
    labels: Mapping[str, str]


def circumstances_of(headers: Headers, service: Service) -> Circumstances:
    """What the header fields say; the daemon's own home and labels where they say nothing. Raises Refused for what a hook never sends."""
    if POLICIES not in headers:
        return Circumstances(None, headers.get(PROJECT, ""), account_home(), service.options.labels)
    policies, labels = _json(headers, POLICIES, "[]"), _json(headers, LABELS, "{}")
    if not isinstance(policies, list) or not all(isinstance(path, str) and path.startswith("/") for path in policies):
        raise Refused(400, "bad_request", f"{POLICIES} is a JSON array of absolute paths")
    if not isinstance(labels, dict) or not all(isinstance(value, str) for value in labels.values()):
        raise Refused(400, "bad_request", f"{LABELS} is a JSON object of texts")
    home = headers.get(HOME, "") or account_home()
    if not home.startswith("/"):
        raise Refused(400, "bad_request", f"{HOME} is an absolute path")
    return Circumstances(tuple(policies), headers.get(PROJECT, ""), home, labels)


def _json(headers: Headers, name: str, missing: str) -> Any:
    try:
        return read_value(headers.get(name, missing).encode("latin-1"))
    except PayloadError as error:
        raise Refused(400, "bad_request", f"{name}: {error}") from None


def with_circumstances(call: Call, given: Circumstances, peer: Peer | None) -> Call:
    """The call as a hook process would judge it: labels, and the account that asks."""
    user = user_name(peer.uid) if peer is not None else ""
    return call._replace(home=given.home, labels=given.labels, user=user, host=os.uname().nodename)
