"""Why a call is decided as it is, stage by stage. Pure, and made of the same questions that `decide` asks, so that both agree."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from remit.candidates import Hits, hits_of
from remit.decide import decide, is_readonly, unknown_piece
from remit.facts import MAYBE, NO, YES, Access, Facts, Unit
from remit.match import Scene, rule_truth, unmet_condition
from remit.permit import Grant, access_default, access_grant, grant_of, open_teeth, permitted_by, unit_default
from remit.set_aside import is_set_aside
from remit.verdict import Reason, UnitVerdict, Verdict, access_json
from remit_dsl.program import EFFECTS, Default, Mode, Program, Rule
from remit_dsl.records import NamedTuple

TRUTHS = {NO: "no", MAYBE: "maybe", YES: "yes"}


class RuleLine(NamedTuple):
    """A rule that matches a unit (`yes`), might (`maybe`), or would if its condition held (`no`). targets: those that could be meant, as
    written. unknown: why maybe, or which facts of the condition have no value. set_aside: the mode takes narrow allows only, and
    none of these targets is one."""

    effect: str
    rule: str
    policy: str
    tier: str
    at: str
    truth: str
    targets: tuple[str, ...]
    unknown: str
    shadow: bool
    because: str
    set_aside: bool = False


class AccessLine(NamedTuple):
    """What a unit touches, and what permits that: the rule or default, or "" for nothing."""

    access: dict[str, Any]
    permitted_by: str
    default: str


class ModeLine(NamedTuple):
    """The mode in force and what it says of the unit: "allow", "deny" or "" (nothing)."""

    name: str
    word: str
    readonly: bool


class AllowLine(NamedTuple):
    """What permits the unit (rule or default, with its place; "nothing needed" for what runs nothing itself), or "". uncovered:
    words that an allow by wildcard does not cover."""

    permitted_by: str
    uncovered: tuple[str, ...]


class UnitLine(NamedTuple):
    """One unit through the stages. rules: in the order of the program. default: the first that speaks of it, else the global one."""

    text: str
    kind: str
    context: tuple[str, ...]
    construct: str
    known: bool
    sure: bool
    rules: tuple[RuleLine, ...]
    mode: ModeLine
    allow: AllowLine
    accesses: tuple[AccessLine, ...]
    default: str
    decision: str
    reason: Reason

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values, field by field."""
        plain = self._asdict()
        plain["rules"] = [line._asdict() for line in self.rules]
        plain["accesses"] = [line._asdict() for line in self.accesses]
        plain["mode"], plain["allow"] = self.mode._asdict(), self.allow._asdict()
        plain["reason"] = self.reason.to_json()
        return plain


class Explanation(NamedTuple):
    """The verdict, and how each of its units came to its own. strictest: the unit that the verdict follows (-1: none speaks)."""

    verdict: Verdict
    units: tuple[UnitLine, ...]
    strictest: int

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "verdict": self.verdict.to_json(),
            "strictest": self.strictest,
            "units": [unit.to_json() for unit in self.units],
        }


def explain(program: Program, facts: Facts, decision_id: str = "") -> Explanation:
    """The verdict of `decide` on these facts, with every step to it."""
    verdict = decide(program, facts, decision_id)
    units = [_unit(program, facts, at, answer) for at, answer in enumerate(verdict.units)]
    return Explanation(verdict, tuple(units), _strictest(verdict))


def _strictest(verdict: Verdict) -> int:
    """The first unit whose reason became the verdict's; the exit may have put a code of its own before it."""
    said = verdict.reason
    for at, unit in enumerate(verdict.units):
        same_code = unit.reason.code in (said.code, said.detail)
        if same_code and (unit.reason.rule, unit.reason.at) == (said.rule, said.at):
            return at
    return -1


def _unit(program: Program, facts: Facts, at: int, answer: UnitVerdict) -> UnitLine:
    unit = facts.units[at]
    scene = Scene(program, facts, unit)
    hits = hits_of(program, facts, unit)
    return UnitLine(
        unit.text,
        unit.kind,
        unit.context,
        unit.construct,
        unit.known,
        unit.sure,
        tuple(_rules(scene, hits)),
        _mode(scene, program.mode(facts.mode)),
        _allow(scene, at, hits),
        tuple([_access(scene, access) for access in unit.accesses]),
        _default(scene),
        answer.decision,
        answer.reason,
    )


def _rules(scene: Scene, hits: Hits) -> Iterable[RuleLine]:
    for number in sorted(hits):
        rule = scene.program.rule(number)
        truth = rule_truth(scene, rule, hits[number])
        unmet = unmet_condition(scene, rule, hits[number]) if truth == NO else None
        if (truth == NO and unmet is None) or (rule.effect == "allow" and truth == MAYBE):
            continue
        targets = tuple(dict.fromkeys([target.text for target, _ in hits[number]]))
        unknown = unknown_piece(scene.unit) if truth == MAYBE else ", ".join(unmet or ())
        yield RuleLine(
            rule.effect,
            rule.id,
            rule.policy,
            rule.tier,
            rule.at,
            TRUTHS[truth],
            targets,
            unknown,
            rule.shadow,
            rule.because,
            rule.effect == "allow" and all(is_set_aside(scene, number, target) for target, _ in hits[number]),
        )


def _mode(scene: Scene, mode: Mode | None) -> ModeLine:
    readonly = is_readonly(scene.unit)
    if mode is None:
        return ModeLine(scene.facts.mode, "", readonly)
    if mode.only_readonly and not readonly:
        return ModeLine(mode.name, "deny", readonly)
    allowed = mode.allow_everything or (bool(mode.allow) and permitted_by(scene, mode.allow))
    return ModeLine(mode.name, "allow" if allowed else "", readonly)


def _allow(scene: Scene, at: int, hits: Hits) -> AllowLine:
    program = scene.program
    allows = [number for number in sorted(hits) if _permits(program.rule(number))]
    grant = grant_of(scene, at, hits, allows)
    uncovered = tuple([_word(scene.unit, tooth) for tooth in open_teeth(scene)])
    return AllowLine(_granted(grant), uncovered)


def _permits(rule: Rule) -> bool:
    return rule.effect == EFFECTS[-1] and not rule.shadow


def _word(unit: Unit, place: int) -> str:
    return str(unit.argv[place]) if 0 <= place < len(unit.argv) else unit.text


def _access(scene: Scene, access: Access) -> AccessLine:
    default = access_default(scene, access)
    return AccessLine(access_json(access), _granted(access_grant(scene, access)), _default_text(default))


def _granted(grant: Grant | None) -> str:
    if grant is None:
        return ""
    if grant.rule is not None:
        return f"{grant.rule.id} ({grant.rule.at})"
    return _default_text(grant.default) or "nothing needed"


def _default(scene: Scene) -> str:
    own = unit_default(scene)
    if own is not None:
        return _default_text(own)
    return next((_default_text(item) for item in scene.program.defaults if not item.targets), "")


def _default_text(default: Default | None) -> str:
    return f"default {default.effect} ({default.at})" if default is not None else ""
