"""Answers: JSON in ASCII, and refusals in the form that the route's clients know."""

from __future__ import annotations

import json
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from remit.daemon.service import Service
from remit.daemon.wire import Refused

_CODES = {404: "not_found", 405: "method_not_allowed"}


def json_answer(value: Any, *, status: int = 200, pretty: bool = False) -> Response:
    """A JSON response; with `pretty`, for people."""
    text = json.dumps(value, indent=2 if pretty else None) + ("\n" if pretty else "")
    return Response(text, status, media_type="application/json")


def service_of(request: Request) -> Service:
    """The service behind the application."""
    service: Service = request.app.state.service
    return service


def refusal(request: Request, error: Exception) -> Response:
    """The answer to a request that is refused; OPA's Data API has an error form of its own."""
    assert isinstance(error, Refused)
    if request.url.path.startswith("/v1/data"):
        code = "resource_not_found" if error.status == 404 else "invalid_parameter"
        return json_answer({"code": code, "message": error.message}, status=error.status)
    return json_answer(error.to_json(), status=error.status)


def unrouted(request: Request, error: Exception) -> Response:
    """The answer where no route or method fits."""
    assert isinstance(error, HTTPException)
    code = _CODES.get(error.status_code, "bad_request")
    answer = refusal(request, Refused(error.status_code, code, f"{request.method} is not answered at this path"))
    answer.headers.update(error.headers or {})
    return answer


def broken(request: Request, error: Exception) -> Response:
    """The answer when a route fails. It carries no decision."""
    return refusal(request, Refused(500, "internal", f"internal error ({type(error).__name__})"))
