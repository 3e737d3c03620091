"""What is said over the wire: the forms of bodies, and refusals. A body is read by `remit.payloads` first, which refuses JSON that two
readers could understand differently; forms say what its values must be."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from remit.payloads import PayloadError, read_value
from remit.request import Request
from remit.request_json import request_of

MAX_BATCH = 1000
_TOLD = 3  # how many of the things that are wrong are named


class Refused(Exception):
    """The request is not answered. code: one word for programs; the message is for people."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message

    def to_json(self) -> dict[str, str]:
        return {"error": self.code, "message": self.message}


class Strict(BaseModel):
    """A form of ours: a field that it does not know is a mistake."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Open(BaseModel):
    """A form of a standard that says: unknown fields are ignored."""

    model_config = ConfigDict(extra="ignore", strict=True)


class SessionForm(Strict):
    """What the caller knows of earlier calls."""

    id: str = ""
    calls: int = 0
    denials: int = 0
    consecutive_denials: int = 0
    repeats: int = 0
    read: list[str] = []
    wrote: list[str] = []
    fetched: list[str] = []
    steps: int = 0
    tokens: int = 0
    cancelled: bool = False


class CallForm(Strict):
    """One tool call. `remit.request_json` reads it; this form says the same to whoever generates clients."""

    tool: str = Field(pattern=r"^[^\x00]*$")
    input: dict[str, Any] = {}
    cwd: str = Field("", pattern=r"^/[^\x00]*$")
    workspace: str | list[str] = []
    home: str = Field("", pattern=r"^/[^\x00]*$")
    mode: str = "default"
    agent: str = ""
    agent_kind: str = "main"
    interactive: bool = True
    session: str | SessionForm = ""
    user: str = ""
    host: str = ""
    labels: dict[str, str] = {}
    time: str = ""
    classifier: str = ""


class OpaForm(Open):
    """The body of OPA's Data API."""

    input: dict[str, Any]


class Entity(Open):
    """A subject or resource of AuthZEN."""

    type: str
    id: str
    properties: dict[str, Any] = {}


class Action(Open):
    """An action of AuthZEN."""

    name: str
    properties: dict[str, Any] = {}


class Evaluation(Open):
    """One access evaluation (OpenID AuthZEN Authorization API 1.0, section 6)."""

    subject: Entity
    action: Action
    resource: Entity
    context: dict[str, Any] = {}


class EvaluationOptions(Open):
    """How a list of evaluations is gone through."""

    evaluations_semantic: Literal["execute_all", "deny_on_first_deny", "permit_on_first_permit"] = "execute_all"


class Evaluations(Open):
    """Several access evaluations; what stands at the top holds for each that does not say otherwise (section 7)."""

    subject: dict[str, Any] | None = None
    action: dict[str, Any] | None = None
    resource: dict[str, Any] | None = None
    context: dict[str, Any] | None = None
    evaluations: list[dict[str, Any]] = Field([], max_length=MAX_BATCH)
    options: EvaluationOptions = EvaluationOptions()


class ModeForm(Strict):
    """The switch of a mode."""

    forbidden: bool


class UpdateForm(Strict):
    """One of the six updates of a session."""

    kind: Literal["addRules", "replaceRules", "removeRules", "setMode", "addDirectories", "removeDirectories"]
    rules: list[str] = []
    effect: str = ""
    mode: str = ""
    directories: list[str] = []


class ApprovalForm(Strict):
    """One exact call may happen once: tool, parameters, folder and agent count."""

    call: CallForm
    seconds: int = Field(600, ge=1, le=86_400)


class SessionChangeForm(Strict):
    """What becomes of a session: all that is named, or nothing."""

    update: UpdateForm | None = None
    approve: ApprovalForm | None = None
    cancelled: bool | None = None


Form = TypeVar("Form", bound=BaseModel)


def parsed(body: bytes) -> Any:
    """The JSON value of a body. Raises Refused: malformed, ambiguous, too deep, or with text that is not Unicode."""
    try:
        value = read_value(body)
        if b"\\u" in body:  # the only way to half of a surrogate pair, which others read as they like (RFC 8259, 8.2)
            json.dumps(value, ensure_ascii=False).encode()
    except PayloadError as error:
        raise Refused(400, "bad_request", str(error)) from None
    except UnicodeEncodeError:
        raise Refused(400, "bad_request", "half of a surrogate pair in a text") from None
    return value


def form_of(form: type[Form], value: Any) -> Form:
    """The value as a form. Raises Refused with what is wrong with it."""
    try:
        return form.model_validate(value)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False, include_context=False)[:_TOLD]
        said = "; ".join([f"{'.'.join([str(part)[:80] for part in item['loc']])}: {item['msg']}" for item in found])
        raise Refused(400, "bad_request", said) from None


def call_of(value: Any) -> Request:
    """The call that a JSON value describes. Raises Refused."""
    if not isinstance(value, Mapping):
        raise Refused(400, "bad_request", "a call is a JSON object")
    try:
        return request_of(value)
    except PayloadError as error:
        raise Refused(400, "bad_request", str(error)) from None
