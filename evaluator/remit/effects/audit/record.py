"""Record: a decision as it is kept, within bounds and without secrets."""

from __future__ import annotations

import math

from remit.effects.audit.canonical import canonical
from remit.effects.audit.masking import Masker
from remit.effects.audit.settings import DEFAULT, LogSettings
from remit.effects.decided import Decided
from remit.phrasing import one_line
from remit.request import Request, Session
from remit.verdict import Reason, UnitVerdict
from remit_dsl.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_TEXT = 8192  # of one text of the call
MAX_CALL = 32_768  # of all texts of the call
MAX_WHOLE_CALL = 1 << 20  # where calls are kept whole: what a request may have
MAX_UNITS = 64
MAX_UNIT = 1000
MAX_OTHERS = 16_384  # of all other texts
MAX_COLUMN = 200


class Body(NamedTuple):
    """A record that is not yet in the chain: its canonical JSON, and what is repeated beside it for queries: time, decision, code, rule,
    tool, agent, session, decision id."""

    text: str
    columns: tuple[float, str, str, str, str, str, str, str]


def body_of(decided: Decided, settings: LogSettings = DEFAULT) -> Body:
    """The record of a decision. Raises nothing for any request that was decided."""
    return body(fields_of(decided, settings))


def body(fields: dict[str, Any]) -> Body:
    """The canonical form of a record's fields."""
    return Body(canonical(fields), columns_of(fields))


def columns_of(fields: dict[str, Any]) -> tuple[float, str, str, str, str, str, str, str]:
    """What stands beside a record, from its fields; what is missing there is "" (0.0)."""
    reason = fields.get("reason")
    code, rule = (reason.get("code", ""), reason.get("rule", "")) if isinstance(reason, dict) else ("", "")
    texts = [
        fields.get("decision", ""),
        code,
        rule,
        *[fields.get(name, "") for name in ("tool", "agent", "session", "decision_id")],
    ]
    decision, code, rule, tool, agent, session, decision_id = [one_line(str(text), MAX_COLUMN) for text in texts]
    at = fields.get("at", 0.0)
    return float(at) if isinstance(at, (int, float)) else 0.0, decision, code, rule, tool, agent, session, decision_id


def fields_of(decided: Decided, settings: LogSettings = DEFAULT) -> dict[str, Any]:
    """The fields of a record; docs/decision-log.md explains each. whole: the call is stored as it came."""
    request, verdict = decided.request, decided.verdict
    kept = settings.keep_calls
    call = Masker(MAX_WHOLE_CALL if kept else MAX_CALL, settings.hidden, open_calls=kept)
    others = Masker(MAX_OTHERS, settings.hidden)
    given = _request_fields(request, call, MAX_WHOLE_CALL if kept else MAX_TEXT)
    return {
        "kind": "decision",
        "at": _finite(decided.at, 6),
        "seconds": _finite(decided.seconds, 9),
        "source": decided.source,
        **given,
        "whole": call.whole,
        "mode": others.text(verdict.mode, MAX_COLUMN),
        "decision": verdict.decision,
        "reason": _reason(verdict.reason, others),
        "units": [_unit(unit, others) for unit in verdict.units[:MAX_UNITS]],
        "units_left_out": max(0, len(verdict.units) - MAX_UNITS),
        "shadow": [_reason(reason, others) for reason in verdict.shadow[:MAX_UNITS]],
        "risk": verdict.risk()["level"],
        "revision": verdict.revision,
        "decision_id": verdict.decision_id,
        **({"end_run": True} if verdict.end_run else {}),
    }


def _request_fields(request: Request, call: Masker, limit: int) -> dict[str, Any]:
    session = request.session.id if isinstance(request.session, Session) else request.session
    fields: dict[str, Any] = {
        "tool": call.value(request.tool, MAX_COLUMN),
        "input": call.value(request.input, limit),
        "cwd": call.value(request.cwd, MAX_TEXT),
        "agent": call.value(request.agent, MAX_COLUMN),
        "agent_kind": call.value(request.agent_kind, MAX_COLUMN),
        "session": call.value(session, MAX_COLUMN),
        "user": call.value(request.user, MAX_COLUMN),
        "host": call.value(request.host, MAX_COLUMN),
        "requested_mode": call.value(request.mode, MAX_COLUMN),
    }
    rest = {
        "home": request.home,
        "workspace": list(request.workspace),
        "labels": dict(request.labels),
        "time": request.time,
        "classifier": request.classifier,
        "interactive": None if request.interactive else False,
    }
    return fields | {name: call.value(value, MAX_TEXT) for name, value in rest.items() if value or value is False}


def _reason(reason: Reason, others: Masker) -> dict[str, str]:
    return {name: others.text(text, MAX_UNIT) for name, text in reason.to_json().items()}


def _unit(unit: UnitVerdict, others: Masker) -> dict[str, Any]:
    return {
        "text": others.text(unit.text, MAX_UNIT),
        "decision": unit.decision,
        "code": unit.reason.code,
        **({"rule": others.text(unit.reason.rule, MAX_COLUMN)} if unit.reason.rule else {}),
    }


def _finite(number: float, digits: int) -> float:
    return round(number, digits) if math.isfinite(number) else 0.0
