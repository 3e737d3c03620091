"""L2: adding a deny, ask or guard never loosens any decision; removing an allow never loosens. Through the real compiler."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from strategies import Policies, PolicyText, RuleText, World, engine_of, rules, worlds

from remit.request import Request
from remit.verdict import DECISIONS
from remit_dsl.program import TIERS


def _strictness(files: Policies, request: Request) -> int:
    return DECISIONS.index(engine_of(files).decide(request).decision)


def _with_rule(files: Policies, at: int, rule: RuleText) -> Policies:
    """The files, one of them with a rule more: another one, as `lower tiers may` may have no effect on a rule of this one."""
    policy = files[at]
    return (*files[:at], policy._replace(rules=(*policy.rules, rule)), *files[at + 1 :])


@given(worlds(), st.data())
def test_a_rule_that_restricts_never_loosens(world: World, data: st.DataObject) -> None:
    """Whatever a deny, ask or guard says, and wherever it is added: the decision stays or gets stricter."""
    rule = data.draw(rules(("deny", "ask", "guard"), world.about))
    at = data.draw(st.integers(0, len(world.policies) - 1))
    before = _strictness(world.policies, world.request)
    assert _strictness(_with_rule(world.policies, at, rule), world.request) >= before


@given(worlds(), st.data())
def test_a_file_that_restricts_never_loosens(world: World, data: st.DataObject) -> None:
    """The same for a whole file of any tier."""
    few = data.draw(st.lists(rules(("deny", "ask", "guard"), world.about), min_size=1, max_size=3))
    more = PolicyText(data.draw(st.sampled_from(TIERS)), tuple(few))
    assert _strictness((*world.policies, more), world.request) >= _strictness(world.policies, world.request)


@given(worlds(), st.data())
def test_taking_an_allow_away_never_loosens(world: World, data: st.DataObject) -> None:
    """One allow more and one allow less: the decision without it is at least as strict."""
    rule = data.draw(rules(("allow",), world.about))
    at = data.draw(st.integers(0, len(world.policies) - 1))
    with_it = _strictness(_with_rule(world.policies, at, rule), world.request)
    assert _strictness(world.policies, world.request) >= with_it


@given(worlds(), st.data())
def test_taking_a_target_of_an_exception_away_never_loosens(world: World, data: st.DataObject) -> None:
    """A rule that restricts restricts more without its exceptions; an allow permits less with one."""
    at = data.draw(st.integers(0, len(world.policies) - 1))
    rule = data.draw(rules(("deny", "ask", "guard"), world.about))
    narrow = rule._replace(excepts=(data.draw(st.sampled_from(world.about)),))
    wide = _strictness(_with_rule(world.policies, at, rule._replace(excepts=())), world.request)
    assert wide >= _strictness(_with_rule(world.policies, at, narrow), world.request)
