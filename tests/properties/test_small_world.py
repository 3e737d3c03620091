"""A world so small that all of it can be tried: one tool, two subjects, every set of up to three rules, everything around them.

Nothing is sampled. The expected answer is spelled out in a few lines, from truth values alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations, product

import pytest
from strategies import CWD, HOME

from remit.decide import decide
from remit.engine import Engine
from remit.facts import MAYBE, NO, YES, Exit, Facts
from remit.request import Request
from remit_dsl.compiler import compile_policies
from remit_dsl.program import Program
from remit_dsl.source import Source

HEAD = """policy small.world for org
tool T { subject q: text }
mode default { }
mode bypass { allow everything }
mode plan { only readonly }
mode dont_ask { ask becomes deny }
mode auto { ask becomes classifier }
"""
TARGETS = ("T", "T(a)", "T(b)", 'T when input.q == "a"')
EFFECTS = ("deny", "ask", "guard", "allow")
RULES = tuple(product(EFFECTS, TARGETS))
DEFAULTS = ("", "deny", "ask", "allow")
MODES = ("default", "bypass", "plan", "dont_ask", "auto")
SUBJECTS: tuple[object, ...] = ("a", "b", 7)  # 7 is no text: what is asked for is not known
EXITS = tuple([Exit(*row) for row in product((False, True), (False, True), ("", "allow", "deny"), (False, True))])
STRICTNESS = ("allow", "ask", "deny")

RuleSet = tuple[tuple[str, str], ...]


def _program(rules: RuleSet, default: str) -> Program:
    lines = [f"{effect} r{at}: {target}" for at, (effect, target) in enumerate(rules)]
    text = HEAD + "\n".join([*lines, *([f"default {default}"] if default else [])]) + "\n"
    program = compile_policies([Source("small.remit", text)])
    assert isinstance(program, Program), program
    return program


def _truth(target: str, subject: object) -> int:
    if target == "T":
        return YES
    return MAYBE if subject == 7 else YES if f"({subject})" in target or f'"{subject}"' in target else NO


def _facts(program: Program) -> Iterator[tuple[object, Facts]]:
    engine = Engine(program)
    for subject in SUBJECTS:
        yield subject, engine.observe(Request("T", {"q": subject}, CWD, (CWD,), HOME))


def _expected(rules: RuleSet, default: str, mode: str, subject: object, way: Exit) -> str:
    """The ladder and its exit, from the truth of each rule."""
    said = [(effect, _truth(target, subject)) for effect, target in rules]
    held = any(effect != "allow" and truth != NO for effect, truth in said)
    if ("deny", YES) in said:
        return "deny"
    if mode == "plan" and subject == 7:
        answer = "deny"  # what is not known is not known to be reading
    elif mode == "bypass" or ("allow", YES) in said:
        answer = "allow"
    else:
        answer = default or "ask"
    answer = max(answer, "ask" if held else "allow", key=STRICTNESS.index)
    return answer if answer != "ask" else _leave(mode, held, way)


def _leave(mode: str, held: bool, way: Exit) -> str:
    if way.approved:
        return "allow"
    if mode == "dont_ask":
        return "deny"
    if mode == "auto" and not way.denial_limit and way.classifier and not (held and way.classifier == "allow"):
        return way.classifier
    return "ask" if way.interactive else "deny"


@pytest.mark.parametrize("default", DEFAULTS)
@pytest.mark.parametrize("size", [0, 1, 2])
def test_every_world_of_up_to_two_rules(size: int, default: str) -> None:
    """Every order, mode, approval, interactivity, classifier and limit, on what is known and what is not."""
    for rules in permutations(RULES, size):
        program = _program(rules, default)
        for subject, facts in _facts(program):
            for mode, way in product(MODES, EXITS):
                verdict = decide(program, facts._replace(mode=mode, exit=way))
                expected = _expected(rules, default, mode, subject, way)
                assert verdict.decision == expected, (rules, default, mode, subject, way, verdict.reason)


@pytest.mark.parametrize("default", ["", "allow"])
def test_every_world_of_three_rules_at_its_exit(default: str) -> None:
    """Three rules, in every mode, with nobody around and with everybody agreeing."""
    ways = (Exit(False, True, "", False), Exit(False, True, "allow", False), Exit(False, False, "", False))
    for rules in combinations(RULES, 3):
        program = _program(rules, default)
        for subject, facts in _facts(program):
            for mode, way in product(MODES, ways):
                verdict = decide(program, facts._replace(mode=mode, exit=way))
                expected = _expected(rules, default, mode, subject, way)
                assert verdict.decision == expected, (rules, default, mode, subject, way, verdict.reason)


@pytest.mark.parametrize("rules", [r for n in (1, 2) for r in combinations(RULES, n)], ids=str)
def test_only_somebody_who_may_gives_an_allow(rules: RuleSet) -> None:
    """Without an approval, a classifier, a mode's word, an allow or a default, nothing is allowed; a certain deny is final."""
    program = _program(rules, "")
    for subject, facts in _facts(program):
        truths = [(effect, _truth(target, subject)) for effect, target in rules]
        for mode, way in product(MODES, EXITS):
            decision = decide(program, facts._replace(mode=mode, exit=way)).decision
            speaks = way.approved or mode == "bypass" or ("allow", YES) in truths
            speaks = speaks or (mode == "auto" and way.classifier == "allow")
            assert decision != "allow" or speaks
            assert ("deny", YES) not in truths or decision == "deny"
