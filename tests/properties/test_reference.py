"""L7: the indexed program agrees with a naive evaluator that looks at every rule."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
from reference import Reference, reference
from reference_match import frozen
from strategies import ALL_TARGETS, CONDITIONS, THEMES, PolicyText, RuleText, World, engine_of, requests, worlds

from remit.decide import decide
from remit.engine import Engine
from remit.facts import MAYBE, YES
from remit.request import Request


@given(worlds())
def test_the_program_agrees_with_the_naive_evaluator(world: World) -> None:
    """Decision, reason code, and the decision on every unit are what looking at every rule gives."""
    engine = engine_of(world.policies)
    facts = engine.observe(world.request)
    verdict = decide(engine.program, facts)
    expected = reference(engine.program, facts)
    assert (verdict.decision, verdict.reason.code) == (expected.decision, expected.code)
    assert tuple([unit.decision for unit in verdict.units]) == expected.units


# --- rule by rule ----------------------------------------------------------------------------------------------


def _on_trial(targets: Sequence[str], conditions: Sequence[str] = ()) -> Engine:
    """An engine in which each target, and each condition, is a rule under trial: a verdict then names all that match."""
    plain = [RuleText(effect, (name,), shadow=True) for name in targets for effect in ("deny", "allow")]
    conditional = [
        RuleText(effect, (name,), (), f" when {when}", True)
        for when in conditions
        for name in ("Bash", "Read", "fs.read", "net.connect")
        for effect in ("deny", "allow")
    ]
    return engine_of((PolicyText("org", (*plain, *conditional)),))


EVERYTHING = _on_trial(ALL_TARGETS, CONDITIONS)
_any_requests = st.sampled_from(tuple(THEMES)).flatmap(requests)


def _agree(engine: Engine, request: Request) -> None:
    facts = engine.observe(request)
    naive = Reference(engine.program, facts)
    expected = []
    for unit in facts.units:
        for row in engine.program.tables["rules"]:
            truth = naive.rule(frozen(row), unit)
            if truth == YES or (truth == MAYBE and row[1] != "allow"):
                expected.append((row[0], "rule" if truth == YES else "uncertain"))
    found = [(reason.rule, reason.code) for reason in decide(engine.program, facts).shadow]
    assert found == expected


@given(_any_requests)
def test_each_rule_matches_as_it_says(request: Request) -> None:
    """Of a rule for every target of the vocabulary, widely and narrowly, exactly those match that match by themselves."""
    _agree(EVERYTHING, request)


@given(_any_requests, st.sets(st.sampled_from(ALL_TARGETS), min_size=2, max_size=30))
def test_which_rules_stand_beside_it_does_not_matter(request: Request, targets: set[str]) -> None:
    """The same for any choice of them: under which of its pieces a pattern is filed depends on the others."""
    _agree(_on_trial(sorted(targets)), request)
