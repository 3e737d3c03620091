"""What the protocols of agents share: the call that a payload announces, its fields read strictly, answers written minimally."""

from __future__ import annotations

from remit.payloads import PayloadError
from remit_dsl.json_text import quoted
from remit_dsl.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from remit.request import Request
    from remit.verdict import Verdict

MAX_NAME = 512
# An allow skips the client's own prompts: only something written may give it.
SPEAKING = frozenset(("rule", "mode", "default", "approval", "classifier"))


class Call(NamedTuple):
    """An event of a hook. request: None where nothing waits for a decision."""

    event: str
    request: Request | None


def text_of(fields: Mapping[str, Any], name: str, missing: str | None = None) -> str:
    """A text field; `missing` when it is not there, if it may be. Raises PayloadError."""
    value = fields.get(name, missing)
    if not isinstance(value, str) or (missing is None and not value):
        raise PayloadError(f"the field {name} is missing or no text")
    if name != "cwd" and len(value) > MAX_NAME:
        raise PayloadError(f"the field {name} is longer than {MAX_NAME} characters")
    return value


def folder_of(fields: Mapping[str, Any], name: str) -> str:
    """A field that holds an absolute path. Raises PayloadError."""
    path = text_of(fields, name)
    if not path.startswith("/") or "\0" in path:
        raise PayloadError(f"{name} is no absolute path")
    return path


def object_of(fields: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """A field that holds an object. Raises PayloadError."""
    value = fields.get(name)
    if not isinstance(value, dict):
        raise PayloadError(f"the field {name} is missing or no object")
    return value


def is_silent(verdict: Verdict) -> bool:
    """Whether nothing written speaks of the call, so that the client's own permission flow goes on."""
    decision, code = verdict.decision, verdict.reason.code
    return (decision == "ask" and code == "no_rule") or (decision == "allow" and code not in SPEAKING)


def why(verdict: Verdict, hint: str = "") -> str:
    """The reason as the model or the person reads it: one line, never empty."""
    from remit.phrasing import one_line, sentence

    return one_line(f"remit: {sentence(verdict)}{hint}")


def written(texts: Mapping[str, str]) -> str:
    """A JSON object of texts, in ASCII, as json.dumps writes it."""
    return "{" + ", ".join([f"{quoted(name)}: {quoted(text)}" for name, text in texts.items()]) + "}"
