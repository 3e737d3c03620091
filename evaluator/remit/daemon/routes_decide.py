"""POST /v1/decide: one call, or an array of calls."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from remit.daemon.answers import json_answer, service_of
from remit.daemon.limits import body_of
from remit.daemon.wire import MAX_BATCH, Refused, call_of, parsed
from remit.request import Request as Call
from remit.verdict import Verdict


async def decide(request: Request) -> Response:
    """The verdict on a call; for an array the verdicts in order, with an error in the place of what is no call."""
    service = service_of(request)
    body = await body_of(request, service.options.read_timeout_s)
    value = parsed(body)
    if not isinstance(value, list):
        verdict = await service.decide(call_of(value), len(body))
        return json_answer(verdict.to_json())
    if len(value) > MAX_BATCH:
        raise Refused(413, "too_large", f"more than {MAX_BATCH} calls at once")
    read = [_call_or_error(item) for item in value]
    verdicts = iter(await service.decide_all([item for item in read if isinstance(item, Call)], len(body)))
    return json_answer([_answer(item, verdicts) for item in read])


def _call_or_error(value: Any) -> Call | Refused:
    try:
        return call_of(value)
    except Refused as error:
        return error


def _answer(item: Call | Refused, verdicts: Any) -> dict[str, Any]:
    if isinstance(item, Refused):
        return dict(item.to_json())
    verdict: Verdict = next(verdicts)
    return verdict.to_json()


ROUTES = [Route("/v1/decide", decide, methods=["POST"])]
