"""Answer: what a classifier said of a call. Reading one is strict: whatever is not exactly of the form is no answer."""

from __future__ import annotations

import json
from typing import Any

from remit_dsl.records import NamedTuple

MAX_ANSWER = 4096
MAX_REASON = 300

ALLOW, DENY, UNAVAILABLE, TOO_LONG = "allow", "deny", "unavailable", "too_long"


class Answer(NamedTuple):
    """word: "allow", "deny", "unavailable" (no answer, or none that can be read) or "too_long" (the session is longer than the model can
    look at: asking again would not help)."""

    word: str
    reason: str = ""


def read_answer(text: str) -> Answer:
    """The answer in a model's text: one JSON object `{"block": true|false, "reason": "…"}` and nothing around it."""
    if len(text) > MAX_ANSWER:
        return Answer(UNAVAILABLE, "the answer is too long")
    try:
        given = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return Answer(UNAVAILABLE, "the answer is no JSON")
    if not isinstance(given, dict) or not {"block"} <= given.keys() <= {"block", "reason"}:
        return Answer(UNAVAILABLE, "the answer is not of the form that was asked for")
    block, reason = given["block"], given.get("reason", "")
    if type(block) is not bool or not isinstance(reason, str):
        return Answer(UNAVAILABLE, "the answer is not of the form that was asked for")
    return Answer(DENY if block else ALLOW, reason[:MAX_REASON])


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a name that is there twice")
    return dict(pairs)
