"""The daemon's description of itself: it is what is published, and requests made from it find nothing that breaks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import schemathesis
from daemon_process import Daemon
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import response_schema_conformance, status_code_conformance

from remit.daemon.openapi import OPERATIONS, openapi
from remit.daemon.wire import CallForm, SessionForm
from remit.request import Request, Session

PUBLISHED = Path(__file__).parents[3] / "docs" / "openapi.json"
EXAMPLES = 10  # for each operation


def test_the_published_description_is_the_daemons(daemon: Daemon) -> None:
    assert json.loads(PUBLISHED.read_text()) == {**openapi(), "info": {**openapi()["info"], "version": "any"}}
    assert daemon.get("/openapi.json").json() == openapi()


def test_the_forms_have_the_fields_of_the_nouns() -> None:
    assert list(CallForm.model_fields) == list(Request._fields)
    assert set(SessionForm.model_fields) == set(Session._fields) - {"approved"}


def test_every_route_is_described() -> None:
    from remit.daemon.app import MODULES

    assert {route.path for module in MODULES for route in module.ROUTES} == {operation.path for operation in OPERATIONS}


def test_requests_made_from_the_description(daemon: Daemon) -> None:
    description: Any = schemathesis.openapi.from_dict(openapi())
    checks = [not_a_server_error, status_code_conformance, response_schema_conformance]
    base = f"http://127.0.0.1:{daemon.port()}"
    tried = 0
    for found in description.get_all_operations():
        operation = found.ok()
        if operation.path == "/readyz":
            continue

        @settings(
            max_examples=EXAMPLES, deadline=None, database=None, derandomize=True, phases=(Phase.generate,),
            suppress_health_check=list(HealthCheck),
        )  # fmt: skip
        def law(case: Any) -> None:
            case.call_and_validate(base_url=base, checks=checks, timeout=60)

        schemathesis_given(operation)(law)()
        tried += 1
    assert tried == len(OPERATIONS) - 1


def schemathesis_given(operation: Any) -> Any:
    from hypothesis import given

    return given(operation.as_strategy())
