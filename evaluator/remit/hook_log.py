"""The record of a hook's decision, and what the decision becomes where it cannot be recorded."""

from __future__ import annotations

from remit.effects.audit.light import append_light
from remit.effects.audit.masking import hidden_by
from remit.effects.audit.settings import LogSettings
from remit.verdict import Reason, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from remit.effects.decided import Decided
    from remit_dsl.program import Program


def recorded(path: str, decided: Decided, unwritable: str, program: Program) -> Verdict:
    """The verdict once its record is on disk in the log at `path`. unwritable: `ask`, `deny` or `allow`, for `unrecorded`. program: what it
    was decided by, which may name texts that no log may hold."""
    try:
        append_light(path, decided, LogSettings(hidden=hidden_by(program)))
    except Exception as error:  # noqa: BLE001  (whatever it is, there is no record)
        return unrecorded(decided.verdict, unwritable, type(error).__name__)
    return decided.verdict


def unrecorded(verdict: Verdict, unwritable: str, cause: str) -> Verdict:
    """The verdict where there is no record of it: what would run, or be left to the client, becomes what `unwritable` says; `allow` leaves
    it as it is. What holds the call up stays."""
    may_run = verdict.decision == "allow" or verdict.reason.code == "no_rule"
    if not may_run or unwritable == "allow":
        return verdict
    reason = Reason("error", message=f"the decision could not be recorded ({cause})")
    return verdict._replace(decision=unwritable, reason=reason, suggestions=())
