"""A suggestion permits the part that it was made for, and nothing that a rule holds back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from strategies import THEMES, Policies, PolicyText, RuleText, World, engine_of, requests, worlds

from remit.request import Request
from remit.verdict import Verdict

OPEN = ("no_rule", "default")
_any_requests = st.sampled_from(tuple(THEMES)).flatmap(requests)


def _accepted(files: Policies, verdict: Verdict) -> Policies:
    """The files, and what the verdict suggests as rules of the session."""
    targets = [item["rule"].removeprefix("allow ") for item in verdict.suggestions]
    return (*files, PolicyText("session", tuple([RuleText("allow", (target,)) for target in targets])))


def _asked_of_nobody(verdict: Verdict) -> int:
    return len([unit for unit in verdict.units if unit.decision == "ask" and unit.reason.code in OPEN])


def _plain(request: Request) -> Request:
    """The call in the default mode, by an agent whose person can be asked: where suggestions are made."""
    return request._replace(mode="default", interactive=True, agent_kind="main", classifier="", session="")


def _bounded(world: World) -> bool:
    return any("lower tiers" in text for policy in world.policies for text in policy.others)


@given(worlds())
def test_a_suggestion_permits_its_part(world: World) -> None:
    """With each suggestion accepted, fewer parts of the same call are asked about, and none is decided more strictly."""
    request = _plain(world.request)
    verdict = engine_of(world.policies).decide(request)
    if not verdict.suggestions or _bounded(world):
        return
    after = engine_of(_accepted(world.policies, verdict)).decide(request)
    assert _asked_of_nobody(after) <= _asked_of_nobody(verdict) - len(verdict.suggestions)
    assert [unit.decision for unit in after.units if unit.decision == "deny"] == [
        unit.decision for unit in verdict.units if unit.decision == "deny"
    ]


@given(worlds(), _any_requests)
def test_a_suggestion_lifts_no_rule(world: World, other: Request) -> None:
    """For any other call: what a rule, a guard or a doubt decides is decided as before."""
    verdict = engine_of(world.policies).decide(_plain(world.request))
    if not verdict.suggestions:
        return
    before = engine_of(world.policies).decide(other)
    after = engine_of(_accepted(world.policies, verdict)).decide(other)
    for unit, now in zip(before.units, after.units, strict=True):
        if unit.decision != "allow" and unit.reason.code not in OPEN:
            assert (now.decision, now.reason.code) == (unit.decision, unit.reason.code)
