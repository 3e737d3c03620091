"""What changes a running daemon: on the admin socket, for root and the daemon's own account, or with the admin token.

Every action is logged, with who asked for it and what became of it.
"""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from remit.daemon.answers import json_answer, service_of
from remit.daemon.authority import authorised, say
from remit.daemon.limits import body_of
from remit.daemon.modes import ModeError
from remit.daemon.wire import ModeForm, Refused, form_of, parsed
from remit.effects.audit.database import Database
from remit.effects.audit.querying import Filter, row_json, where
from remit.errors import LoadError
from remit.reload.status import CHANGED, FAILED

MAX_RECORDS = 1000


async def reload(request: Request) -> Response:
    """Load the policies anew; 422 with the findings when they are not right, and then nothing has changed."""
    who = authorised(request, "reload")
    done = await asyncio.get_running_loop().run_in_executor(None, service_of(request).reload)
    if done is None:
        say(who, "reload", "too slow")
        raise Refused(503, "too_slow", "the policies are still being loaded")
    say(who, "reload", done.result)
    answer = {"changed": done.result == CHANGED, "revision": done.revision}
    if done.result != FAILED:
        return json_answer(answer)
    findings = [problem._asdict() for problem in done.problems]
    more = {"error": "policies", "message": "the policies cannot be used", "findings": findings}
    return json_answer({**answer, **more}, status=422)


async def switch_mode(request: Request) -> Response:
    """Forbid a mode until the daemon ends, or leave it to the policies again."""
    name = request.path_params["mode"]
    who = authorised(request, f"mode {name}")
    service = service_of(request)
    form = form_of(ModeForm, parsed(await body_of(request, service.options.read_timeout_s)))
    action = f"{'forbid' if form.forbidden else 'permit'} mode {name}"
    try:
        program = service.policies.engine().program
        off = service.modes.switch(program, name, forbidden=form.forbidden)
    except LoadError:
        raise Refused(503, "no_policy", "no policy is in force") from None
    except ModeError as error:
        say(who, action, f"refused: {error}")
        raise Refused(409, "mode", str(error)) from None
    say(who, action, "done")
    engine = service.modes.applied(service.policies.engine())
    return json_answer({"forbidden": off, "revision": engine.program.revision})


async def decisions(request: Request) -> Response:
    """The last records of the decision log that fit, in order, each as it is exported."""
    who = authorised(request, "read the log")
    place = service_of(request).options.log
    if not place:
        raise Refused(404, "no_log", "this daemon keeps no decision log")
    asked, last = _asked(request)
    try:
        found = await asyncio.get_running_loop().run_in_executor(None, _records, place, asked, last)
    except (OSError, ValueError) as error:
        raise Refused(503, "log", f"the decision log cannot be read ({type(error).__name__})") from None
    say(who, "read the log", f"{len(found)} records")
    return json_answer({"records": found})


def _asked(request: Request) -> tuple[Filter, int]:
    """What the query asks for, and how many records at most. Raises Refused."""
    given = dict(request.query_params)
    try:
        last = int(given.pop("last", "100"))
        numbers = {name: float(given.pop(name)) for name in ("since", "until") if name in given}
        after = int(given.pop("after", "0"))
        asked = Filter(**given, **numbers, after=after)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise Refused(400, "bad_request", f"a query has: last, {', '.join(Filter._fields)}") from None
    if not 0 < last <= MAX_RECORDS:
        raise Refused(400, "bad_request", f"last is a number from 1 to {MAX_RECORDS}")
    return asked, last


def _records(place: str, asked: Filter, last: int) -> list[dict[str, Any]]:
    return [row_json(row) for row in Database(place, read_only=True).rows(where(asked), last=last)]


ROUTES = [
    Route("/v1/admin/reload", reload, methods=["POST"]),
    Route("/v1/admin/log", decisions, methods=["GET"]),
    Route("/v1/admin/modes/{mode}", switch_mode, methods=["PUT"]),
]
