"""Rules against units: three-valued, with polarity. Restricting rules match widely, permitting ones narrowly. Pure."""

from __future__ import annotations

from remit.conditions import ABSENT, UNKNOWN, absent_facts, evaluate
from remit.facts import MAYBE, NO, YES, Access, Facts, HostFact, PathFact, Unit
from remit.match_paths import match_path
from remit.match_shell import match_narrowly, match_widely
from remit.match_words import join_words, match_word
from remit.network import match_host
from remit.parted import match_any
from remit_dsl.globs import ANY, glob_matches, glob_of
from remit_dsl.plans import ShellPlan, with_home
from remit_dsl.program import Program, Rule, Target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


class Scene:
    """What a match needs: the program, the facts of the request and the unit that is judged."""

    __slots__ = ("facts", "program", "unit")

    def __init__(self, program: Program, facts: Facts, unit: Unit) -> None:
        self.program = program
        self.facts = facts
        self.unit = unit


def rule_truth(scene: Scene, rule: Rule, hits: Iterable[tuple[Target, Access | None]]) -> int:
    """Truth of a rule on a unit, over the targets that could match."""
    wide = rule.effect != "allow"
    if rule.plain:
        best = NO
        for target, access in hits:
            truth = target_truth(scene, target, access, wide)
            if truth == YES:
                return YES
            best = max(best, truth)
        return best
    applies = _applies(scene.facts, rule, wide)
    if applies == NO:
        return NO
    best = NO
    for target, access in hits:
        truth = target_truth(scene, target, access, wide)
        if truth > best and rule.excepts:
            truth = min(truth, _outside(scene, rule.excepts, access, wide))
        if truth > best and rule.when is not None:
            truth = min(truth, _condition(scene, rule.when, access, wide))
        best = max(best, truth)
    return min(best, applies)


def _applies(facts: Facts, rule: Rule, wide: bool) -> int:
    """Whether the rule's modes, agents and end date let it speak."""
    if rule.modes and facts.mode not in rule.modes:
        return NO
    if rule.until and (facts.today > rule.until if facts.today else not wide):
        return NO
    if rule.agents and facts.agent not in rule.agents:
        return MAYBE if wide and not facts.agent else NO
    return YES


def _outside(scene: Scene, excepts: Iterable[Target], access: Access | None, wide: bool) -> int:
    """YES unless an exception holds: certainly for a restricting rule, possibly for a permitting one."""
    for target in excepts:
        if _excepted(scene, target, access, not wide) >= (YES if wide else MAYBE):
            return NO
    return YES


def _excepted(scene: Scene, target: Target, access: Access | None, wide: bool) -> int:
    if target.kind != "cap":
        return target_truth(scene, target, None, wide)
    if access is not None:
        return target_truth(scene, target, access, wide)
    own = [item for item in scene.unit.accesses if item.kind == target.name]
    return min([target_truth(scene, target, item, wide) for item in own], default=NO)


def target_truth(scene: Scene, target: Target, access: Access | None, wide: bool) -> int:
    """Truth of one target on the unit, or on one of its accesses."""
    unit = scene.unit
    kind, name, patterns, _ = target
    if kind == "cap":
        if access is None or access.kind != name:
            return NO
        truth = access_truth(scene.facts, patterns, access, wide)
        return truth if not wide or (access.sure and unit.sure) else min(truth, MAYBE)
    if name != scene.facts.tool and not _names_tool(name, scene.facts):
        return NO
    truth = _shell_truth(scene, target, wide) if kind == "shell" else _content_truth(scene, target, wide)
    return truth if truth == NO or unit.sure else MAYBE


def _names_tool(name: Any, facts: Facts) -> bool:
    if type(name) is str:
        return name in (facts.tool, facts.agent_tool)
    return glob_matches(name, facts.tool) or glob_matches(name, facts.agent_tool)


def _content_truth(scene: Scene, target: Target, wide: bool) -> int:
    unit, kind = scene.unit, target.kind
    if unit.kind == "opaque":
        return (YES if kind == "any" else MAYBE) if wide else NO
    if kind == "any":
        return YES
    if kind == "shell":
        return _shell_truth(scene, target, wide)
    if kind == "like":
        truth = _text_truth(target.patterns[0], unit, scene.facts.subject)
        return truth if wide or (truth == YES and _plain_environment(unit)) else NO
    return _subject_truth(scene.facts, target, wide)


def _text_truth(glob: Any, unit: Unit, subject: Any) -> int:
    """Truth of a text pattern on a command's canonical text, which in a program that is not known may begin at any word; or on the
    subject of another tool."""
    if unit.kind != "command":
        return MAYBE if subject is None or isinstance(subject, (PathFact, HostFact)) else match_word(glob, subject)
    text = join_words(unit.argv)
    truth = match_word(glob, text)
    if truth != NO or unit.known:
        return truth
    behind = glob_of([ANY, " ", *([glob] if type(glob) is str else glob)])
    return min(MAYBE, match_word(behind, text))


def _shell_truth(scene: Scene, target: Target, wide: bool) -> int:
    unit, sets, plan = scene.unit, scene.program.tables["sets"], target.patterns[0]
    if unit.kind != "command":
        return MAYBE if wide else NO
    if plan.tilde:
        plan = plan_of(scene, target)
    if wide:
        spec = scene.program.spec(unit.program) if unit.program is not None else None
        return match_widely(plan, unit, spec, sets)
    covered = match_narrowly(plan, unit, sets, ()) and (plan.total or _plain_environment(unit))
    return YES if covered else NO


def plan_of(scene: Scene, target: Target) -> ShellPlan:
    """The plan of a shell target, as this request's home makes it."""
    plan: ShellPlan = target.patterns[0]
    return with_home(plan, scene.facts.roots.home) if plan.tilde else plan


def _plain_environment(unit: Unit) -> bool:
    return not unit.assignments


def _subject_truth(facts: Facts, target: Target, wide: bool) -> int:
    subject = facts.subject
    if subject is None or not facts.declared:
        return MAYBE if wide else NO
    if target.kind == "path" and isinstance(subject, PathFact):
        answers = [match_path(pattern, subject, facts.roots, wide, False) for pattern in target.patterns]
    elif target.kind == "host" and isinstance(subject, HostFact):
        answers = [match_host(pattern, subject, wide) for pattern in target.patterns]
    elif target.kind == "text" and isinstance(subject, str):
        answers = [match_word(pattern, subject) for pattern in target.patterns]
    elif target.kind == "text" and isinstance(subject, PathFact):
        answers = [match_word(pattern, subject.source) for pattern in target.patterns]
    else:
        answers = [MAYBE]
    best = max(answers, default=NO)
    return best if wide or best == YES else NO


def access_truth(facts: Facts, patterns: tuple[Any, ...], access: Access, wide: bool) -> int:
    """Truth of a capability's patterns on one access; no pattern means every access."""
    if not patterns:
        return YES
    if access.path is not None:
        path, roots, tree = access.path, facts.roots, access.tree
        best = NO
        for pattern in patterns:
            truth = match_path(pattern, path, roots, wide, tree)
            if truth == YES:
                return YES
            best = max(best, truth)
    elif access.host is not None:
        host = access.host
        best = max([match_host(pattern, host, wide) for pattern in patterns])
    elif access.program is not None:
        best = _program_truth(patterns, access.program, wide)
    else:
        best = MAYBE
    return best if wide or best == YES else NO


def _program_truth(patterns: tuple[Any, ...], program: Any, wide: bool) -> int:
    """Truth of a program matching any pattern: as it is written, and, widely, by its base name."""
    exact = match_any(patterns, program)
    if exact == YES or not wide or type(program) is not str or "/" not in program:
        return exact
    return max(exact, match_any(patterns, program.rpartition("/")[2]))


def _condition(scene: Scene, when: Any, access: Access | None, wide: bool) -> int:
    facts = scene.facts

    def in_set(kind: str, patterns: Any, value: Any, widely: bool) -> int:
        return _in_set(facts, kind, patterns, value, widely)

    return evaluate(when, _scope(scene, access), in_set, wide)


def _scope(scene: Scene, access: Access | None) -> dict[str, Any]:
    scope = dict(scene.facts.values)
    scope["command"] = _command_values(scene.unit)
    scope["access"] = ABSENT if access is None else _access_values(access)
    scope["data"] = scene.program.tables["data"]
    return scope


def unmet_condition(scene: Scene, rule: Rule, hits: Iterable[tuple[Target, Access | None]]) -> tuple[str, ...] | None:
    """Of a rule whose targets match but whose condition does not hold: the facts in it that have no value, as they are written. None
    for any other rule."""
    wide = rule.effect != "allow"
    if rule.when is None:
        return None
    for target, access in hits:
        if target_truth(scene, target, access, wide) != NO and _condition(scene, rule.when, access, wide) == NO:
            return tuple(dict.fromkeys(absent_facts(rule.when, _scope(scene, access))))
    return None


def _command_values(unit: Unit) -> Any:
    if unit.kind == "opaque":
        return UNKNOWN
    if unit.kind == "tool":
        return ABSENT
    words = [word if type(word) is str else UNKNOWN for word in unit.argv]
    analysis = unit.analysis
    return {
        "program": UNKNOWN if unit.program is None and unit.argv else unit.program or ABSENT,
        "text": unit.text if UNKNOWN not in words else UNKNOWN,
        "words": words,
        "options": [option.name for option in analysis.options] if analysis is not None else UNKNOWN,
        "operands": [words[at] for at in analysis.operands] if analysis is not None else UNKNOWN,
        "env": [assignment.name for assignment in unit.assignments],
        "wrappers": [item for item in unit.context if item.startswith("wrapper:")],
        "context": [item for item in unit.context if not item.startswith("wrapper:")],
    }


def _access_values(access: Access) -> dict[str, Any]:
    path, host = access.path, access.host
    return {
        "kind": access.kind,
        "path": ABSENT if path is None else path if path.paths else UNKNOWN,
        "host": ABSENT if host is None else host.name or UNKNOWN,
    }


def _in_set(facts: Facts, kind: str, patterns: Any, value: Any, wide: bool) -> int:
    """Truth of `value in @set`."""
    if value is ABSENT:
        return NO
    if kind == "paths" and isinstance(value, PathFact):
        return max([match_path(pattern, value, facts.roots, wide, False) for pattern in patterns], default=NO)
    if kind == "hosts" and isinstance(value, str):
        fact = HostFact(value, None, value)
        return max([match_host(pattern, fact, wide) for pattern in patterns], default=NO)
    if kind in ("words", "tools") and isinstance(value, str):
        return max([match_word(pattern, value) for pattern in patterns], default=NO)
    return MAYBE
