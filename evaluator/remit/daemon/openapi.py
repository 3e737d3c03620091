"""The daemon's interface as OpenAPI 3.1 (spec.openapis.org/oas/v3.1.1): one table of operations, schemas from the forms."""

from __future__ import annotations

import functools
from importlib.metadata import version
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from remit.agents.protocols import AGENTS
from remit.daemon.wire import MAX_BATCH, CallForm, Evaluation, Evaluations, ModeForm, OpaForm, SessionChangeForm
from remit.effects.audit.querying import Filter
from remit.verdict import DECISIONS, REASON_CODES
from remit_dsl.records import NamedTuple

_REF = "#/components/schemas/"
_FORMS: tuple[type[BaseModel], ...] = (CallForm, Evaluation, Evaluations, ModeForm, OpaForm, SessionChangeForm)


class Operation(NamedTuple):
    """One method of one path. body: a schema, None = no body; answers: status -> (what it means, its schema, None = text)."""

    path: str
    method: str
    summary: str
    body: dict[str, Any] | None
    answers: dict[str, tuple[str, dict[str, Any] | None]]
    parameters: tuple[dict[str, Any], ...] = ()
    is_admin: bool = False


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": _REF + name}


def _query(name: str) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": False, "schema": {"type": "string"}, "allowEmptyValue": True}


def _path(name: str, *values: str) -> dict[str, Any]:
    schema = {"type": "string", **({"enum": list(values)} if values else {})}
    return {"name": name, "in": "path", "required": True, "schema": schema}


def _list_of(schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": schema}


def _refused(name: str, *statuses: int) -> dict[str, tuple[str, dict[str, Any] | None]]:
    return {str(status): (_MEANING[status], _ref(name)) for status in statuses}


_MEANING = {
    400: "The body is not what it should be.",
    401: "The admin token is missing or wrong.",
    403: "Answered on the admin socket only.",
    404: "There is no such thing here.",
    408: "The body came too slowly.",
    409: "Not with what is in force here.",
    413: "The body is too large.",
    415: "The Content-Type is not application/json.",
    421: "The Host header names no address of this daemon.",
    422: "The policies cannot be used; nothing has changed.",
    503: "No policy is in force, or the daemon is not fit to be asked.",
}
_BODY = (400, 408, 413, 415, 421)
_HOOK_FIELDS = ("Remit-Policies", "Remit-Project-Dir", "Remit-Home", "Remit-Labels")
_OBJECT: dict[str, Any] = {"type": "object"}
_ONE_OR_MANY = {"oneOf": [_ref("CallForm"), {**_list_of(_ref("CallForm")), "maxItems": MAX_BATCH}]}
_VERDICTS = {"oneOf": [_ref("Verdict"), _list_of({"anyOf": [_ref("Verdict"), _ref("Error")]})]}
_OPA_QUERY = (_query("metrics"), _query("explain"), _query("pretty"))

OPERATIONS = (
    Operation("/v1/decide", "post", "Decide one call, or each of an array.", _ONE_OR_MANY,
              {"200": ("The verdict, or the verdicts in order.", _VERDICTS), **_refused("Error", *_BODY)}),
    Operation("/v1/hooks/{agent}", "post", "Answer an agent's hook.", _OBJECT,
              {"200": ("What the agent is to read; empty: no opinion.", None), **_refused("Error", 400, 404, 409, 421)},
              (_path("agent", *AGENTS), *[
                  {"name": name, "in": "header", "required": False, "schema": {"type": "string"}} for name in _HOOK_FIELDS])),
    Operation("/v1/data/remit/decision", "post", "OPA's Data API.", _ref("OpaForm"),
              {"200": ("The decision document.", _ref("OpaAnswer")), **_refused("OpaError", *_BODY[:-1]), **_refused("Error", 421)},
              _OPA_QUERY),
    Operation("/access/v1/evaluation", "post", "AuthZEN: one evaluation.", _ref("Evaluation"),
              {"200": ("The decision.", _ref("Access")), **_refused("Error", *_BODY)}),
    Operation("/access/v1/evaluations", "post", "AuthZEN: several evaluations.", _ref("Evaluations"),
              {"200": ("The decisions in order.", {"anyOf": [_ref("Access"), _ref("Accesses")]}), **_refused("Error", *_BODY)}),
    Operation("/.well-known/authzen-configuration", "get", "AuthZEN: where the endpoints are.", None,
              {"200": ("The endpoints.", _OBJECT), **_refused("Error", 421)}),
    Operation("/v1/policies", "get", "The policies in force.", None,
              {"200": ("Their names, tiers, owners and files.", _OBJECT), **_refused("Error", 421, 503)}),
    Operation("/v1/program", "get", "The program in force, as text or JSON by the Accept header.", None,
              {"200": ("The program.", None), **_refused("Error", 421, 503)}),
    Operation("/livez", "get", "Does the daemon answer?", None, {"200": ("It does.", _OBJECT), **_refused("Error", 421)}),
    Operation("/readyz", "get", "Should it be asked?", None,
              {"200": ("It should.", _ref("Readiness")), "503": ("Why not.", _ref("Readiness")), **_refused("Error", 421)}),
    Operation("/metrics", "get", "Counters for Prometheus.", None, {"200": ("The metrics.", None), **_refused("Error", 421)}),
    Operation("/openapi.json", "get", "This description.", None, {"200": ("OpenAPI 3.1.", _OBJECT), **_refused("Error", 421)}),
    Operation("/v1/admin/reload", "post", "Load the policies anew.", None,
              {"200": ("They are in force.", _OBJECT), **_refused("Error", 401, 403, 421, 422, 503)}, is_admin=True),
    Operation("/v1/admin/log", "get", "The last records of the decision log that fit.", None,
              {"200": ("The records.", _OBJECT), **_refused("Error", 400, 401, 403, 404, 421, 503)},
              tuple([_query(name) for name in ("last", *Filter._fields)]), is_admin=True),
    Operation("/v1/admin/modes/{mode}", "put", "Forbid a mode, or leave it to the policies.", _ref("ModeForm"),
              {"200": ("The modes that are off.", _OBJECT), **_refused("Error", 401, 403, 409, 503, *_BODY)},
              (_path("mode"),), is_admin=True),
    Operation("/v1/sessions", "get", "The sessions, those used last first.", None,
              {"200": ("Their ids.", _OBJECT), **_refused("Error", 401, 403, 404, 421, 503)}, is_admin=True),
    Operation("/v1/sessions/{session}", "get", "What is known of a session.", None,
              {"200": ("Its state.", _OBJECT), **_refused("Error", 401, 403, 404, 421, 503)}, (_path("session"),), is_admin=True),
    Operation("/v1/sessions/{session}", "post", "Change a session.", _ref("SessionChangeForm"),
              {"200": ("Its state.", _OBJECT), **_refused("Error", 401, 403, 404, 409, 503, *_BODY)},
              (_path("session"),), is_admin=True),
)  # fmt: skip


@functools.cache
def openapi() -> dict[str, Any]:
    """The description, plain JSON values."""
    paths: dict[str, Any] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method] = _operation(operation)
    info = {"title": "remit", "version": version("remit"), "description": "What may an AI agent do?"}
    security = {"securitySchemes": {"adminToken": {"type": "http", "scheme": "bearer"}}}
    return {"openapi": "3.1.0", "info": info, "paths": paths, "components": {"schemas": _schemas(), **security}}


def _operation(operation: Operation) -> dict[str, Any]:
    found: dict[str, Any] = {"summary": operation.summary, "parameters": list(operation.parameters)}
    if operation.body is not None:
        found["requestBody"] = {"required": True, "content": {"application/json": {"schema": operation.body}}}
    found["responses"] = {status: _answer(*told) for status, told in sorted(operation.answers.items())}
    return {**found, **({"security": [{"adminToken": []}, {}]} if operation.is_admin else {})}


def _answer(meaning: str, schema: dict[str, Any] | None) -> dict[str, Any]:
    told = {"description": meaning}
    return told if schema is None else {**told, "content": {"application/json": {"schema": schema}}}


def _schemas() -> dict[str, Any]:
    _, forms = models_json_schema([(form, "validation") for form in _FORMS], ref_template=_REF + "{model}")
    texts = {"type": "string"}
    return {
        **forms["$defs"],
        "Verdict": _record(
            decision={"enum": sorted(DECISIONS)},
            reason={**_OBJECT, "required": ["code"], "properties": {"code": {"enum": list(REASON_CODES)}}},
            units=_list_of(_OBJECT),
            revision=texts,
            decision_id=texts,
        ),
        "Error": _record(error=texts, message=texts),
        "OpaError": _record(code=texts, message=texts),
        "OpaAnswer": _record(result=_ref("Verdict"), decision_id=texts),
        "Access": _record(decision={"type": "boolean"}, context=_OBJECT),
        "Accesses": _record(evaluations=_list_of(_ref("Access"))),
        "Readiness": _record(status=texts, revision=texts, reasons=_list_of(_OBJECT)),
    }


def _record(**fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "required": list(fields), "properties": fields}
