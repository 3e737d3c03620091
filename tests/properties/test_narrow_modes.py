"""A mode that takes narrow allows only is never looser than the same mode that takes all; an approvable guard never looser than none."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from strategies import PolicyText, RuleText, World, engine_of, rules, worlds

from remit.request import Request
from remit.verdict import DECISIONS


def _strictness(files: tuple[PolicyText, ...], request: Request) -> int:
    return DECISIONS.index(engine_of(files).decide(request).decision)


def _speaks_in_all_modes(world: World) -> bool:
    return not any(" in mode " in rule.clauses for policy in world.policies for rule in policy.rules)


@given(worlds())
def test_setting_aside_never_loosens(world: World) -> None:
    """The modes `narrow` and `auto` of the vocabulary differ in nothing else."""
    if not _speaks_in_all_modes(world):
        return
    engine = engine_of(world.policies)
    narrow = engine.decide(world.request._replace(mode="narrow"))
    wide = engine.decide(world.request._replace(mode="auto"))
    assert DECISIONS.index(narrow.decision) >= DECISIONS.index(wide.decision)


@given(worlds(), st.data())
def test_nobody_but_a_human_lifts_what_else_asks(world: World, data: st.DataObject) -> None:
    """Whatever a classifier says: with an approvable guard more, nothing that was asked or denied is permitted."""
    rule = data.draw(rules(("guard",), world.about))._replace(approvable=True)
    first = world.policies[0]
    files = (first._replace(rules=(*first.rules, rule)), *world.policies[1:])
    for mode in ("auto", "narrow"):
        request = world.request._replace(mode=mode, classifier="allow")
        assert _strictness(files, request) >= _strictness(world.policies, request)


@given(worlds(), st.data())
def test_approvable_is_all_that_the_word_says(world: World, data: st.DataObject) -> None:
    """Without a classifier's permission, a guard with the word decides as one without it."""
    rule: RuleText = data.draw(rules(("guard",), world.about))
    first = world.policies[0]
    decided = []
    for approvable in (False, True):
        more = rule._replace(approvable=approvable)
        files = (first._replace(rules=(*first.rules, more)), *world.policies[1:])
        decided.append(_strictness(files, world.request._replace(classifier="")))
    assert decided[0] == decided[1]
