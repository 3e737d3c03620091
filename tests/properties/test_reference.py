"""L7: the indexed program agrees with a naive evaluator that looks at every rule."""

from __future__ import annotations

from hypothesis import given
from reference import reference
from strategies import Policies, engine_of, policies, requests

from remit.decide import decide
from remit.request import Request


@given(policies(), requests())
def test_the_program_agrees_with_the_naive_evaluator(files: Policies, request: Request) -> None:
    """Decision, reason code, and the decision on every unit are what looking at every rule gives."""
    engine = engine_of(files)
    facts = engine.observe(request)
    verdict = decide(engine.program, facts)
    expected = reference(engine.program, facts)
    assert (verdict.decision, verdict.reason.code) == (expected.decision, expected.code)
    assert tuple([unit.decision for unit in verdict.units]) == expected.units
