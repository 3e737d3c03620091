"""What becomes of a decision that could not be recorded."""

from __future__ import annotations

from remit.effects.audit.settings import LogSettings
from remit.effects.decided import Decided
from remit.verdict import Reason, Verdict

MESSAGE = "the decision could not be recorded"


def may_run(verdict: Verdict) -> bool:
    """Whether the call can happen without a human who sees this verdict: an allow; and what no rule speaks of, which a hook leaves to its
    agent."""
    return verdict.decision == "allow" or (verdict.decision == "ask" and verdict.reason.code == "no_rule")


def unrecorded(decided: Decided, settings: LogSettings) -> Verdict:
    """The verdict to answer with: what may run becomes what the settings say, an ask that nobody can answer a deny; all else stays."""
    verdict = decided.verdict
    if not may_run(verdict) or settings.unwritable == "allow":
        return verdict
    request = decided.request
    asks = settings.unwritable == "ask" and request.interactive and request.agent_kind != "silent"
    reason = Reason("error", message=MESSAGE, detail=verdict.reason.code)
    return verdict._replace(decision="ask" if asks else "deny", reason=reason)
