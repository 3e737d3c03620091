"""decide: the ladder, and its one exit. Pure: no clock, no files, no globals, no exceptions of its own.

Rule of this file: a unit goes through the stages in the order of `judge_unit`; the request gets the strictest of its units; nothing
leaves but through `_leave`. Nothing here turns a policy's deny into anything else.
"""

from __future__ import annotations

from remit.candidates import Hits, hits_of
from remit.facts import MAYBE, NO, YES, Facts, Unit
from remit.match import Scene, rule_truth
from remit.permit import (
    EFFECT,
    access_default,
    access_grant,
    grant_of,
    is_sum_of_accesses,
    permitted_by,
    speaks_of_accesses,
    unit_default,
)
from remit.verdict import ALLOW, ASK, DECISIONS, DENY, Reason, UnitVerdict, Verdict, source_of
from remit_dsl.program import Default, Mode, Program, Rule
from remit_dsl.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

CONSECUTIVE_DENIAL_LIMIT = 3
TOTAL_DENIAL_LIMIT = 20

# Constructs that stand for an exceeded limit, not for something that was not understood.
BUDGET = frozenset(("too long", "nesting", "too many commands", "too many words", "unwrapping depth", "request size"))

# The construct of a unit for a program that the second opinion sees, and no unit runs.
SECOND_OPINION = "second opinion"
ANOTHER_READING = "another reading of the command sees one more program"

# Which reason speaks for the request when several units ask.
WEIGHT = {"uncertain": 7, "rule": 6, "guard": 5, "budget": 4, "unparseable": 4, "mode": 3, "default": 1, "no_rule": 0}
# A guard that a classifier may lift speaks only where nothing asks that it may not.
APPROVABLE_WEIGHT = 2
CHANGES = ("fs.write", "fs.delete")
# Asks that nobody wrote a rule for.
UNSPOKEN = ("no_rule", "default")

NEEDS_NOTHING = Reason("no_rule", message="needs no permission of its own")
NOTHING_SPEAKS = Reason("no_rule", message="no rule, mode or default speaks of this call")


class Answer(NamedTuple):
    """One unit's answer. neutral: it neither needs nor gives permission; with an ask, it would not without the rule that asks. approvable:
    the ask of a guard that a classifier may answer."""

    decision: int
    reason: Reason
    neutral: bool = False
    approvable: bool = False


def decide(program: Program, facts: Facts, decision_id: str = "") -> Verdict:
    """The verdict of `program` on `facts`: total and deterministic."""
    mode = program.mode(facts.mode)
    answers, shadows = [], []
    for at, unit in enumerate(facts.units):
        hits = hits_of(program, facts, unit)
        answers.append(_judge(program, facts, at, mode, hits))
        if program.has_shadow:
            shadows += _shadow(program, facts, unit, hits)
    left = _leave(_strictest(program, answers), mode, facts)
    units = [
        UnitVerdict(unit.text, DECISIONS[answer.decision], answer.reason, unit.accesses)
        for unit, answer in zip(facts.units, answers, strict=True)
    ]
    word, said = DECISIONS[left.decision], tuple(shadows)
    return Verdict(
        word, left.reason, tuple(units), said, facts.mode, program.revision, decision_id, left.end_run, left.open,
        _changed_outside(facts),
    )  # fmt: skip


def _changed_outside(facts: Facts) -> tuple[str, ...]:
    """Which changes, by capability, certainly reach beyond the workspace."""
    found = ""
    for unit in facts.units:
        for access in unit.accesses:
            kind = access.kind
            if kind in CHANGES and kind not in found and access.path is not None and access.sure:
                paths, roots = access.path.paths, facts.roots.workspace
                if paths and not any([f"{paths[-1]}/".startswith(f"{root.rstrip('/')}/") for root in roots]):
                    found += f" {kind}"
    return tuple(found.split())


def _strictest(program: Program, answers: list[Answer]) -> Answer:
    """The strictest answer; among equals the one that says most, then the first."""
    if len(answers) == 1 and not answers[0].neutral:
        return answers[0]
    speaking = [answer for answer in answers if not answer.neutral]
    if not speaking or len(speaking) != len(answers):
        speaking = speaking or [Answer(*_global_default(program))]
        speaking += [answer for answer in answers if answer.neutral and answer.decision != ALLOW]
    return speaking[0] if len(speaking) == 1 else max(speaking, key=_rank)


def _rank(answer: Answer) -> tuple[int, int]:
    return answer.decision, APPROVABLE_WEIGHT if answer.approvable else WEIGHT[answer.reason.code]


# --- the ladder ----------------------------------------------------------------------------------------------


def _judge(program: Program, facts: Facts, at: int, mode: Mode | None, hits: Hits) -> Answer:
    """Stages 1 to 7 for one unit."""
    unit = facts.units[at]
    scene = Scene(program, facts, unit)
    allows: list[int] = []
    held = _restricted(scene, hits, allows) if hits else None
    if held is not None and held.decision == DENY:
        return held
    if unit.kind == "opaque":
        return _opaque(program, unit, held, mode)
    if held is not None:
        return _stricter(scene, at, mode, hits, allows, held)
    if not unit.sure:  # a unit that may not even run asks for nothing by itself
        return Answer(ALLOW, NEEDS_NOTHING, True)
    return (_mode_word(scene, mode) if mode is not None else None) or _permission(scene, at, hits, allows)


def _stricter(scene: Scene, at: int, mode: Mode | None, hits: Hits, allows: list[int], held: Answer) -> Answer:
    """An ask stands unless a later stage would have denied: a rule that asks never loosens (L2)."""
    if not scene.unit.sure:
        return held._replace(neutral=True)
    word = _mode_word(scene, mode)
    if word is not None and word.decision == DENY:
        return word
    if word is None and scene.program.denies_by_default:
        answer = _permission(scene, at, hits, allows)
        return answer if answer.decision == DENY else held._replace(neutral=answer.neutral)
    return held


def _restricted(scene: Scene, hits: Hits, allows: list[int]) -> Answer | None:
    """Stages 1 to 4: deny yes, deny maybe, ask, guard. Allow rules met on the way are left in `allows`."""
    held: Answer | None = None
    for number in sorted(hits) if len(hits) > 1 else hits:
        rule = scene.program.rule(number)
        if rule.shadow:
            break
        effect = rule.effect
        if effect == "allow":
            allows.append(number)
            continue
        if held is not None and effect != "deny" and (rule.approvable or not held.approvable):
            continue
        truth = rule_truth(scene, rule, hits[number])
        if truth == NO:
            continue
        if effect == "deny" and truth == YES:
            return Answer(DENY, reason_of("rule", rule))
        if held is None or held.approvable:
            held = Answer(ASK, _holding_reason(effect, rule, scene.unit), False, rule.approvable)
    return held


def _holding_reason(effect: str, rule: Rule, unit: Unit) -> Reason:
    if effect == "deny":
        return reason_of("uncertain", rule, unknown_piece(unit))
    return reason_of("guard" if effect == "guard" else "rule", rule)


def _opaque(program: Program, unit: Unit, held: Answer | None, mode: Mode | None) -> Answer:
    """A piece whose facts are all unknown: no allow names it, no mode lifts it. So is a program that only a second reading sees."""
    code = "budget" if unit.construct in BUDGET else "unparseable"
    known = held.reason if held is not None and held.reason.code == "uncertain" else Reason(code)
    message = f"could not be understood: {unit.construct}" if code == "unparseable" else f"limit: {unit.construct}"
    reason = Reason(code, known.rule, known.policy, known.at, known.tier, message, unit.construct)
    if unit.construct == SECOND_OPINION:
        reason = reason._replace(code="uncertain", message=ANOTHER_READING, detail=unit.text)
    if mode is not None and mode.only_readonly:
        return Answer(DENY, reason)
    return Answer(DENY if program.tables["on_unparseable"] == "deny" else ASK, reason)


def _mode_word(scene: Scene, mode: Mode | None) -> Answer | None:
    """Stage 5: what the mode says of its own."""
    if mode is None:
        return None
    if mode.only_readonly and not is_readonly(scene.unit):
        return Answer(DENY, Reason("mode", message=f"mode {mode.name} only reads", detail=mode.name))
    if mode.allow_everything or (mode.allow and permitted_by(scene, mode.allow)):
        return Answer(ALLOW, Reason("mode", message=f"mode {mode.name} allows it", detail=mode.name))
    return None


def is_readonly(unit: Unit) -> bool:
    """Whether the unit is known to do nothing but read (and run its own program)."""
    if not is_sum_of_accesses(unit):
        return False
    return all(access.kind == "fs.read" or (access.kind == "exec" and access.place == -1) for access in unit.accesses)


def _permission(scene: Scene, at: int, hits: Hits, allows: Iterable[int]) -> Answer:
    """Stages 6 and 7: allow rules, defaults for targets, the global default."""
    grant = grant_of(scene, at, hits, allows)
    if grant is not None and grant.rule is not None:
        return _allowed(scene.program, grant.rule)
    if grant is not None and grant.default is None:
        return Answer(ALLOW, NEEDS_NOTHING, True)
    if not speaks_of_accesses(scene.program):
        return Answer(*_global_default(scene.program))
    default = unit_default(scene)
    if default is not None:
        return _higher_default(scene, default) or Answer(EFFECT[default.effect], _default_reason(default))
    if grant is not None and grant.default is not None:
        return Answer(ALLOW, _default_reason(grant.default))
    return _access_defaults(scene)


def _allowed(program: Program, rule: Rule) -> Answer:
    answer: Answer | None = program.cache.get(("allowed", rule.policy, rule.id))
    if answer is None:
        answer = program.cache["allowed", rule.policy, rule.id] = Answer(ALLOW, reason_of("rule", rule))
    return answer


def _higher_default(scene: Scene, named: Default) -> Answer | None:
    """A default for an access that stands before the one that names the unit and is stricter."""
    order = scene.program.defaults
    found = [access_default(scene, access) for access in scene.unit.accesses if access_grant(scene, access) is None]
    before = [item for item in found if item is not None and order.index(item) < order.index(named)]
    worst = max(before, key=lambda item: EFFECT[item.effect], default=named)
    if EFFECT[worst.effect] <= EFFECT[named.effect]:
        return None
    return Answer(EFFECT[worst.effect], _default_reason(worst))


def _access_defaults(scene: Scene) -> Answer:
    """The strictest default over the accesses that nothing permits; what has no default of its own has the global one."""
    unit = scene.unit
    everything = Answer(*_global_default(scene.program))
    found = [] if is_sum_of_accesses(unit) else [everything]
    for access in unit.accesses:
        if access_grant(scene, access) is None:
            default = access_default(scene, access)
            found.append(everything if default is None else Answer(EFFECT[default.effect], _default_reason(default)))
    return max(found, key=_rank, default=everything)


def _global_default(program: Program) -> tuple[int, Reason]:
    for default in program.defaults:
        if not default.targets:
            return EFFECT[default.effect], _default_reason(default)
    return ASK, NOTHING_SPEAKS


# --- reasons -------------------------------------------------------------------------------------------------


def reason_of(code: str, rule: Rule, detail: str = "") -> Reason:
    """The reason that names a rule."""
    return Reason(code, rule.id, rule.policy, rule.at, rule.tier, rule.because, detail, rule.severity)


def _default_reason(default: Default) -> Reason:
    return Reason("default", "", default.policy, default.at, default.tier, f"default {default.effect}")


def unknown_piece(unit: Unit) -> str:
    """The first piece of the unit that is not known, as it was written."""
    for word in unit.argv:
        if type(word) is not str:
            return str(word)
    for access in unit.accesses:
        if not access.sure or (access.path is not None and not access.path.paths):
            source = source_of(access)
            if source:
                return source
    return unit.construct or unit.text


def _shadow(program: Program, facts: Facts, unit: Unit, hits: Hits) -> list[Reason]:
    """What rules under trial would have said of the unit."""
    scene = Scene(program, facts, unit)
    found = []
    for number in sorted(hits):
        rule = program.rule(number)
        if rule.shadow:
            truth = rule_truth(scene, rule, hits[number])
            if truth == YES or (truth == MAYBE and rule.effect != "allow"):
                found.append(reason_of("rule" if truth == YES else "uncertain", rule, rule.effect))
    return found


# --- the exit ------------------------------------------------------------------------------------------------


class Left(NamedTuple):
    """What leaves. open: an ask, or what became of it where nobody can be asked, that a classifier may answer."""

    decision: int
    reason: Reason
    end_run: bool = False
    open: bool = False


def _leave(answer: Answer, mode: Mode | None, facts: Facts) -> Left:
    """The one exit: what becomes of an ask. A deny and an allow pass unchanged.

    A classifier may deny any ask, but permit only what no rule, doubt or guard holds back, approvable guards aside.
    """
    way, reason = facts.exit, answer.reason
    if answer.decision != ASK:
        return Left(answer.decision, reason)
    if way.approved:
        return Left(ALLOW, _because(reason, "approval", "this exact call was approved once"))
    becomes = mode.ask_becomes if mode is not None else ""
    if becomes == "deny":
        return Left(DENY, _because(reason, "non_interactive", f"mode {facts.mode} does not ask"))
    is_open, end_run = answer.approvable or reason.code in UNSPOKEN, False
    if becomes == "classifier":
        if way.denial_limit:
            reason = _because(reason, "denial_limit", "the denial limit is reached") if is_open else reason
            is_open, end_run = False, True
        elif way.classifier == "deny" or (way.classifier == "allow" and is_open):
            word = ALLOW if way.classifier == "allow" else DENY
            return Left(word, _because(reason, "classifier", "the classifier answered"))
    if not way.interactive:
        return Left(DENY, _because(reason, "non_interactive", "nobody can be asked"), end_run, is_open)
    return Left(ASK, reason, end_run, is_open)


def _because(reason: Reason, code: str, message: str) -> Reason:
    """`reason` under the code of what replaced it; the rule stays named, the old code is the detail."""
    text = f"{message}: {reason.message}" if reason.message else message
    return Reason(code, reason.rule, reason.policy, reason.at, reason.tier, text, reason.code, reason.severity)
