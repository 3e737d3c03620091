"""L1: a matching deny decides deny, in every mode, tier order, approval state and answer of a classifier."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import CAP_TARGETS, CWD, HOME, MODES, UNIT_TARGETS, PolicyText, RuleText, World, engine_of, worlds

from remit.request import Request, Session, fingerprint
from remit_dsl.program import TIERS


def _certain_deny(world: World) -> bool:
    """Whether the call is denied by a rule when nothing around it speaks for or against it."""
    verdict = engine_of(world.policies).decide(world.request._replace(session="", classifier=""))
    return verdict.decision == "deny" and "rule" in {
        unit.reason.code for unit in verdict.units if unit.decision == "deny"
    }


@given(worlds(), st.sampled_from(MODES), st.sampled_from(("allow", "deny", "")), st.booleans())
def test_nothing_around_the_call_lifts_a_deny(world: World, mode: str, classifier: str, interactive: bool) -> None:
    """The call is denied with any approval, classifier and interactivity; and in any mode, if its rules speak in all."""
    if not _certain_deny(world):
        return
    request = world.request._replace(classifier=classifier, interactive=interactive)
    if not any(" in mode " in rule.clauses for policy in world.policies for rule in policy.rules):
        request = request._replace(mode=mode)
    request = request._replace(session=Session("s", approved=frozenset({fingerprint(request)})))
    assert engine_of(world.policies).decide(request).decision == "deny"


@given(worlds(), st.sampled_from(TIERS), st.sampled_from(TIERS), st.sampled_from(("allow", "ask", "guard")))
def test_no_other_tier_lifts_a_deny(world: World, tier: str, lower: str, effect: str) -> None:
    """Rules that permit everything, in any tier, below and above, leave a denied call denied."""
    if not _certain_deny(world):
        return
    permits = RuleText(effect, ("*", "Bash(*)", "fs.read", "fs.write", "exec(*)"))
    more = tuple([PolicyText(name, (permits,), ("default allow",)) for name in dict.fromkeys((tier, lower))])
    assert engine_of((*more, *world.policies)).decide(world.request).decision == "deny"


@given(worlds(), st.data())
def test_what_an_allow_covers_the_same_deny_denies(world: World, data: st.DataObject) -> None:
    """A target that permits a call denies it, too, when it stands in a deny: denying matches at least as widely."""
    target = data.draw(st.sampled_from([name for name in world.about if name in UNIT_TARGETS]))
    request = world.request._replace(mode="default", session="", classifier="")
    permitting = PolicyText("org", (RuleText("allow", (target,)),), ("default deny",))
    if engine_of((permitting,)).decide(request).decision != "allow":
        return
    denying = PolicyText("org", (RuleText("deny", (target,)), RuleText("allow", (target,))), ("default deny",))
    assert engine_of((denying,)).decide(request).decision == "deny"


@given(worlds(), st.data())
def test_an_access_that_is_permitted_can_be_denied(world: World, data: st.DataObject) -> None:
    """What is permitted through an access is not permitted when the same pattern is denied."""
    target = data.draw(st.sampled_from([name for name in world.about if name in CAP_TARGETS] or ["exec(*)"]))
    others = ("default allow exec(*)", "default allow fs.read", "default allow net.connect", "default deny")
    request = world.request._replace(mode="default", session="", classifier="", interactive=True, agent_kind="main")
    permitting = engine_of((PolicyText("org", (RuleText("allow", (target,)),), others[-1:]),))
    if permitting.decide(request).decision != "allow":
        return
    denying = engine_of((PolicyText("org", (RuleText("deny", (target,)),), others),))
    assert denying.decide(request).decision != "allow"


@pytest.mark.parametrize("mode", sorted({*MODES}))
@pytest.mark.parametrize("tier", TIERS)
def test_a_deny_of_any_tier_in_every_mode(mode: str, tier: str) -> None:
    """One deny among permissions of all tiers, the call approved, the classifier agreeing."""
    permits = [
        PolicyText(name, (RuleText("allow", ("Bash", "exec(*)", "fs.delete(**)")),), ("default allow",))
        for name in TIERS
    ]
    engine = engine_of((*permits, PolicyText(tier, (RuleText("deny", ("Bash(rm *)",)),))))
    request = _shell("git status && rm x", mode)
    verdict = engine.decide(request._replace(session=Session(approved=frozenset({fingerprint(request)}))))
    assert (verdict.decision, verdict.reason.code) == ("deny", "rule")


def _shell(text: str, mode: str) -> Request:
    return Request("Bash", {"command": text}, CWD, (CWD,), HOME, mode=mode, classifier="allow")
