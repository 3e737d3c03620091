"""Verdict: the answer to a request, and why. Data only."""

from __future__ import annotations

from remit.facts import Access
from remit_dsl.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ALLOW, ASK, DENY = 0, 1, 2
DECISIONS = ("allow", "ask", "deny")

# Every code is a metric label; no free text is. docs/semantics.md explains each.
REASON_CODES = (
    "rule",
    "uncertain",
    "guard",
    "mode",
    "default",
    "no_rule",
    "unparseable",
    "budget",
    "approval",
    "classifier",
    "non_interactive",
    "denial_limit",
    "stale_policy",
    "error",
)


class Reason(NamedTuple):
    """Why. rule, policy, at (file:line), tier: what decided, "" where nothing written did. detail: the unknown piece, the construct
    that was declined, or the reason that the exit replaced."""

    code: str
    rule: str = ""
    policy: str = ""
    at: str = ""
    tier: str = ""
    message: str = ""
    detail: str = ""
    severity: str = ""

    def to_json(self) -> dict[str, str]:
        """Only the fields that say something."""
        return {name: value for name, value in zip(self._fields, self, strict=True) if value}


class UnitVerdict(NamedTuple):
    """The answer for one unit of the request."""

    text: str
    decision: str
    reason: Reason
    accesses: tuple[Access, ...]

    def to_json(self) -> dict[str, Any]:
        """As in the answer's `units`."""
        accesses = [access_json(access) for access in self.accesses]
        return {"text": self.text, "decision": self.decision, "reason": self.reason.to_json(), "accesses": accesses}


class Verdict(NamedTuple):
    """The answer. decision: "allow", "ask" or "deny". shadow: what rules under trial would have decided. end_run: the host
    should end the run (denial limits). open: an ask (or what became of one) that a classifier may answer. outside: which
    changes (`fs.write`, `fs.delete`) reach beyond the workspace."""

    decision: str
    reason: Reason
    units: tuple[UnitVerdict, ...]
    shadow: tuple[Reason, ...]
    mode: str
    revision: str
    decision_id: str
    end_run: bool = False
    open: bool = False
    outside: tuple[str, ...] = ()
    suggestions: tuple[dict[str, str], ...] = ()

    def risk(self) -> dict[str, Any]:
        """How much the call could harm: `{"level", "why", "explanation"}`, the last in a sentence."""
        from remit.risk import explanation, risk_of  # few ask for it

        reasons = [(item.code, item.severity) for item in (self.reason, *[unit.reason for unit in self.units])]
        level, why = risk_of(reasons, [(unit.text, unit.accesses) for unit in self.units], self.outside)
        return {"level": level, "why": why, "explanation": explanation(level, why)}

    def to_json(self) -> dict[str, Any]:
        """The answer as docs/semantics.md shows it; plain JSON values."""
        return {
            "decision": self.decision,
            "reason": self.reason.to_json(),
            "units": [unit.to_json() for unit in self.units],
            "shadow": [reason.to_json() for reason in self.shadow],
            "suggestions": list(self.suggestions),
            "risk": self.risk(),
            "mode": self.mode,
            "revision": self.revision,
            "decision_id": self.decision_id,
            **({"end_run": True} if self.end_run else {}),
        }


def access_json(access: Access) -> dict[str, Any]:
    """One access: kind, target as far as it is known, whether it is certain."""
    path, host = access.path, access.host
    target = path.paths[-1] if path is not None and path.paths else host.name if host is not None else ""
    answer: dict[str, Any] = {"kind": access.kind, "target": target or source_of(access)}
    if not access.sure:
        answer["sure"] = False
    if access.tree:
        answer["tree"] = True
    return answer


def source_of(access: Access) -> str:
    """The target of an access as it was written; "" when nothing of it is known."""
    if access.path is not None:
        return access.path.source
    if access.host is not None:
        return access.host.source
    return "" if access.program is None else str(access.program)
