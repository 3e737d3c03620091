"""POST /v1/hooks/AGENT: what a hook process would answer to the same payload.

Asked in two ways. An agent whose hooks can be of type http sends its payload and takes the body for what a hook prints; it lets a call
through on any status but 2xx, so a refusal is an answer that denies, with status 200. A hook process of remit sends the header
`Remit-Policies` as well, and is told to refuse by `Remit-Exit: 2`; anything else than 200 makes it decide alone.

Rule of this file: whatever goes wrong refuses the call.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from remit.agents.claude_code import PERMISSION_REQUEST
from remit.agents.protocols import AGENTS, protocol_of
from remit.daemon.answers import service_of
from remit.daemon.circumstances import Circumstances, circumstances_of, with_circumstances
from remit.daemon.limits import body_of
from remit.daemon.options import account_home
from remit.daemon.peers import is_own
from remit.daemon.service import Service, failure_of
from remit.daemon.wire import Refused
from remit.effects.audit.outcome import MESSAGE as UNRECORDED
from remit.hook import HookError, why
from remit.payloads import MAX_BYTES, PayloadError, read_object
from remit.phrasing import one_line, sentence

if TYPE_CHECKING:
    from remit.agents.protocols import AgentProtocol

_REFUSED = {"Remit-Exit": "2"}


async def hook(request: Request) -> Response:
    """What the agent is to read, empty where nothing speaks of the call."""
    agent = request.path_params["agent"]
    if agent not in AGENTS:
        raise Refused(404, "not_found", f"for agents: {', '.join(AGENTS)}")
    protocol = protocol_of(agent)
    service = service_of(request)
    given = circumstances_of(request.headers, service)
    if given.policies is not None and not _decides_for(given, request, service):
        raise Refused(409, "other_policies", "this daemon decides by something else than the hook was started with")
    body = b""
    try:
        body = await _payload(request, service)
        text, outcome = await _answer(protocol, body, given, request)
        answer = _said(text)
    except Exception as error:  # noqa: BLE001  (as around a hook process: whatever it is, the call must not run)
        reason = one_line(error.message if isinstance(error, Refused) else why(error))
        outcome = "error"
        answer = _refused(f"remit: {reason}") if given.policies is not None else _said(_denial(protocol, body, reason))
    service.metrics.hook_request(protocol.AGENT, outcome)
    return answer


async def _payload(request: Request, service: Service) -> bytes:
    """The body. Raises PayloadError, in the words of the hook process, when it is too long."""
    try:
        return await body_of(request, service.options.read_timeout_s)
    except Refused as error:
        if error.code == "too_large":
            raise PayloadError(f"more than {MAX_BYTES} bytes") from None
        raise


def _decides_for(given: Circumstances, request: Request, service: Service) -> bool:
    """Whether the hook process would decide by the same policies: those that it names, or those that its account finds. One that keeps
    sessions asks nobody, so that the others know of none; one whose HOME is not the account's home judges the call in both."""
    assert given.policies is not None
    if os.path.normpath(given.home) != os.path.normpath(account_home()):
        return False
    return service.sessions is None and service.has_policies(given.policies) and is_own(request.state.peer)


async def _answer(protocol: AgentProtocol, body: bytes, given: Circumstances, request: Request) -> tuple[str, str]:
    """What the hook would print, and that in a word (one of HOOK_OUTCOMES). Raises whatever would make it refuse."""
    call = protocol.read_call(body, {protocol.PROJECT_VARIABLE: given.project})
    if call.request is None:
        return "", "abstain"
    again = call.event != protocol.EVENT  # such as a prompt's, which tells of a call that was judged before
    asked = with_circumstances(call.request, given, request.state.peer)
    verdict = (await service_of(request).judge_all([asked], len(body), again=again))[0]
    if verdict.reason.code == "error" and verdict.reason.message != UNRECORDED:
        raise HookError(sentence(verdict))
    text = protocol.answer(call.event, verdict)
    return text, verdict.decision if text else "abstain"


def _said(text: str) -> Response:
    return Response(text.encode("ascii"), 200, media_type="application/json")


def _refused(reason: str) -> Response:
    return Response(reason.encode("utf-8", "backslashreplace"), 200, _REFUSED, "text/plain")


def _denial(protocol: AgentProtocol, body: bytes, reason: str) -> str:
    """The denial that the agent understands, for the event that waits; before a call runs if that cannot be read."""
    try:
        event = read_object(body).get("hook_event_name")
    except PayloadError:
        event = protocol.EVENT
    known = event if event == PERMISSION_REQUEST else protocol.EVENT
    return protocol.answer(str(known), failure_of(reason))


ROUTES = [Route("/v1/hooks/{agent}", hook, methods=["POST"])]
