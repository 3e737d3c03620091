"""L5: `decide` is total and deterministic, and depends neither on the order of rules within a stage nor on that of files."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import FILES, World, compiled, engine_of, sources, worlds

from remit.decide import decide
from remit.engine import Engine
from remit.verdict import DECISIONS, Verdict
from remit_dsl.program import Program


def _essence(verdict: Verdict) -> tuple[object, ...]:
    """What may not depend on any order. Which of several rules is named may: it is the first."""
    return verdict.decision, verdict.reason.code, tuple([(unit.text, unit.decision) for unit in verdict.units])


@given(worlds(), st.randoms(use_true_random=False))
def test_the_order_of_rules_within_a_file_does_not_matter(world: World, random: object) -> None:
    """Rules shuffled in each file decide the same."""
    shuffled = []
    for policy in world.policies:
        rules = list(policy.rules)
        random.shuffle(rules)  # type: ignore[attr-defined]
        shuffled.append(policy._replace(rules=tuple(rules)))
    before, after = engine_of(world.policies), engine_of(tuple(shuffled))
    assert _essence(after.decide(world.request)) == _essence(before.decide(world.request))


@given(worlds(), st.data())
def test_the_order_of_files_does_not_matter(world: World, data: st.DataObject) -> None:
    """The same files in another order are the same program, with the same revision."""
    files = sources(world.policies)
    other = compiled(data.draw(st.permutations(files)))
    assert other.revision == compiled(files).revision
    verdict = Engine(other, files=FILES).decide(world.request)
    assert _essence(verdict) == _essence(engine_of(world.policies).decide(world.request))


@given(worlds())
def test_the_same_call_is_decided_the_same_again(world: World) -> None:
    """Twice on the same facts, and by a program that was written to JSON and read back."""
    engine = engine_of(world.policies)
    facts = engine.observe(world.request)
    first = decide(engine.program, facts)
    assert decide(engine.program, facts) == first
    assert decide(Program.from_json(engine.program.to_json()), facts) == first
    assert first.decision in DECISIONS


@settings(max_examples=10)
@given(st.lists(worlds(), min_size=4, max_size=8))
def test_threads_do_not_disturb_each_other(many: list[World]) -> None:
    """Many threads that share one engine get what one alone gets."""
    engine = engine_of(many[0].policies)
    requests = [world.request for world in many] * 8
    alone = [_essence(engine_of(many[0].policies).decide(request)) for request in requests]
    with ThreadPoolExecutor(8) as pool:
        assert [_essence(verdict) for verdict in pool.map(engine.decide, requests)] == alone
