"""What the daemon tells of itself: policies, program, health, and its own description."""

from __future__ import annotations

import json

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from remit.daemon.answers import json_answer, service_of
from remit.daemon.openapi import openapi
from remit.daemon.wire import Refused
from remit_dsl.listing import listing
from remit_dsl.program import Program


def _program(request: Request) -> Program:
    engine = service_of(request).engine()
    if engine is None:
        raise Refused(503, "no_policy", "no policy is in force")
    return engine.program


async def policies(request: Request) -> Response:
    """The policies in force."""
    program = _program(request)
    names = ("name", "tier", "owner", "title", "file")
    found = [dict(zip(names, row, strict=True)) for row in program.tables["policies"]]
    return json_answer({"result": found, "revision": program.revision})


async def program(request: Request) -> Response:
    """The program in force, as text, or as JSON for whoever accepts that."""
    found = _program(request)
    if "application/json" in request.headers.get("accept", ""):
        return json_answer(json.loads(found.to_json()))
    return Response(listing(found), media_type="text/plain")


async def live(_request: Request) -> Response:
    """The daemon answers."""
    return json_answer({"status": "live"})


async def ready(request: Request) -> Response:
    """Whether the daemon should be asked, and every reason why not."""
    service = service_of(request)
    problems = service.problems()
    status = "ready" if not problems else "refusing" if any(item.blocking for item in problems) else "degraded"
    engine = service.engine()
    revision = engine.program.revision if engine is not None else ""
    answer = {"status": status, "revision": revision, "reasons": [item.to_json() for item in problems]}
    return json_answer(answer, status=503 if problems else 200)


async def metrics(request: Request) -> Response:
    """What Prometheus scrapes."""
    text, kind = service_of(request).metrics.exposition(request.headers.get("accept", ""))
    return Response(text, 200, {"Content-Type": kind})


async def description(_request: Request) -> Response:
    """This interface (OpenAPI 3.1)."""
    return json_answer(openapi())


ROUTES = [
    Route("/v1/policies", policies, methods=["GET"]),
    Route("/v1/program", program, methods=["GET"]),
    Route("/livez", live, methods=["GET"]),
    Route("/readyz", ready, methods=["GET"]),
    Route("/metrics", metrics, methods=["GET"]),
    Route("/openapi.json", description, methods=["GET"]),
]
