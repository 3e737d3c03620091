"""OPA's Data API for one document, `remit/decision` (openpolicyagent.org/docs/rest-api, "Get a Document with Input").

Unlike OPA, which answers `{}` for a document that is not there, unknown paths are 404: a misspelt path must not look like a decision.
"""

from __future__ import annotations

import time
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from remit.daemon.answers import json_answer, service_of
from remit.daemon.limits import body_of
from remit.daemon.wire import OpaForm, call_of, form_of, parsed
from remit.phrasing import one_line, reason_sentence
from remit.verdict import Verdict

# Values of a query parameter that switch it off; OPA takes `?pretty` and `?pretty=true` alike.
_OFF = ("false", "0", "off")


async def decision(request: Request) -> Response:
    """The decision document on `input`; with `?metrics`, `?explain` and `?pretty` what these ask for."""
    started = time.perf_counter_ns()
    service = service_of(request)
    body = await body_of(request, service.options.read_timeout_s)
    call = call_of(form_of(OpaForm, parsed(body)).input)
    read = time.perf_counter_ns()
    verdict = await service.decide(call, len(body))
    answer: dict[str, Any] = {"result": verdict.to_json(), "decision_id": verdict.decision_id}
    if _wants(request, "metrics"):
        now = time.perf_counter_ns()
        answer["metrics"] = {
            "timer_rego_input_parse_ns": read - started,
            "timer_rego_query_eval_ns": now - read,
            "timer_server_handler_ns": now - started,
        }
    if _wants(request, "explain"):
        answer["explanation"] = _explanation(verdict)
    return json_answer(answer, pretty=_wants(request, "pretty"))


def _wants(request: Request, name: str) -> bool:
    value = request.query_params.get(name)
    return value is not None and value.lower() not in _OFF


def _explanation(verdict: Verdict) -> list[str]:
    """One line for the call, one for each unit, one for each rule on trial."""
    lines = [f"{verdict.decision}: {reason_sentence(verdict.reason)}"]
    lines += [f"  {unit.decision}: {unit.text}: {reason_sentence(unit.reason)}" for unit in verdict.units]
    lines += [f"  on trial: {reason.rule} ({reason.at}) would {reason.detail}" for reason in verdict.shadow]
    return [line[: len(line) - len(line.lstrip())] + one_line(line) for line in lines]


ROUTES = [Route("/v1/data/remit/decision", decision, methods=["POST"])]
