"""OpenID AuthZEN Authorization API 1.0: is this agent permitted to call this tool?

subject: `{"type": "agent", "id": its name}`; action: `{"name": "tools/call"}`; resource: `{"type": "tool", "id": the tool, "properties":
its parameters}`; context: the other fields of a call. What is not put like that is denied. An ask is `decision: false`, and its context
says so: the standard knows yes and no.
"""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from remit.daemon.answers import json_answer, service_of
from remit.daemon.limits import body_of
from remit.daemon.service import Service
from remit.daemon.wire import Evaluation, Evaluations, Refused, call_of, form_of, parsed
from remit.phrasing import one_line, sentence
from remit.request import Request as Call
from remit.verdict import Verdict

EVALUATION, EVALUATIONS = "/access/v1/evaluation", "/access/v1/evaluations"
SUBJECTS, RESOURCE, ACTIONS = ("agent", "user"), "tool", ("tools/call", "call")
# Fields of a call that a context may carry; others are the client's own.
CONTEXT = (
    "cwd",
    "workspace",
    "home",
    "mode",
    "agent",
    "agent_kind",
    "interactive",
    "session",
    "host",
    "labels",
    "time",
)
_PARTS = ("subject", "action", "resource", "context")
# After which decision the rest of a list is not looked at.
_LAST = {"execute_all": None, "deny_on_first_deny": False, "permit_on_first_permit": True}


async def evaluation(request: Request) -> Response:
    """One decision."""
    service = service_of(request)
    body = await body_of(request, service.options.read_timeout_s)
    return json_answer(await _evaluate(service, parsed(body), len(body)))


async def evaluations(request: Request) -> Response:
    """The decisions in order, up to the one after which the client wants no more; without a list a single one."""
    service = service_of(request)
    body = await body_of(request, service.options.read_timeout_s)
    value = parsed(body)
    form = form_of(Evaluations, value)
    if not form.evaluations:
        return json_answer(await _evaluate(service, value, len(body)))
    shared = {part: value[part] for part in _PARTS if value.get(part) is not None}
    last = _LAST[form.options.evaluations_semantic]
    answers = []
    for item in form.evaluations:
        answers.append(await _evaluate_item(service, {**shared, **item}, len(body)))
        if answers[-1]["decision"] is last:
            break
    return json_answer({"evaluations": answers})


async def _evaluate_item(service: Service, value: dict[str, Any], size: int) -> dict[str, Any]:
    """As `_evaluate`; what is malformed is denied in its place."""
    try:
        return await _evaluate(service, value, size)
    except Refused as error:
        return {"decision": False, "context": {"error": {"status": error.status, "message": error.message}}}


async def _evaluate(service: Service, value: Any, size: int) -> dict[str, Any]:
    """Raises Refused for what is no evaluation."""
    asked = form_of(Evaluation, value)
    foreign = _foreign(asked)
    if foreign:
        return {"decision": False, "context": _reasons("deny", foreign, foreign)}
    return _answer(await service.decide(_call(asked), size))


def _foreign(asked: Evaluation) -> str:
    """Why the question is not one about an agent's call; "" when it is."""
    if asked.subject.type not in SUBJECTS:
        return f"a subject is one of: {', '.join(SUBJECTS)}"
    if asked.resource.type != RESOURCE:
        return f"a resource is a {RESOURCE}"
    return "" if asked.action.name in ACTIONS else f"an action is one of: {', '.join(ACTIONS)}"


def _call(asked: Evaluation) -> Call:
    """The call that is asked about. Raises Refused."""
    fields = {name: asked.context[name] for name in CONTEXT if name in asked.context}
    fields["agent" if asked.subject.type == "agent" else "user"] = asked.subject.id
    return call_of({**fields, "tool": asked.resource.id, "input": asked.resource.properties})


def _answer(verdict: Verdict) -> dict[str, Any]:
    said = one_line(verdict.reason.message) or sentence(verdict)
    context = _reasons(verdict.decision, sentence(verdict), said)
    more = {"reason": verdict.reason.code, "revision": verdict.revision, "decision_id": verdict.decision_id}
    return {"decision": verdict.decision == "allow", "context": {**context, **more}}


def _reasons(decision: str, admin: str, user: str) -> dict[str, Any]:
    return {"decision": decision, "reason_admin": {"en": admin}, "reason_user": {"en": user}}


async def configuration(request: Request) -> Response:
    """Where the endpoints are (section 9 of the standard)."""
    base = f"{request.url.scheme}://{request.headers.get('host') or 'localhost'}"
    endpoints = {"access_evaluation_endpoint": EVALUATION, "access_evaluations_endpoint": EVALUATIONS}
    return json_answer({"policy_decision_point": base, **{name: base + path for name, path in endpoints.items()}})


ROUTES = [
    Route(EVALUATION, evaluation, methods=["POST"]),
    Route(EVALUATIONS, evaluations, methods=["POST"]),
    Route("/.well-known/authzen-configuration", configuration, methods=["GET"]),
]
