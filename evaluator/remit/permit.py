"""What permits a unit: an allow rule that names it, or the sum of its accesses. Pure.

A unit is permitted when (a) an allow rule names its command, spells what makes it dangerous, and whatever its redirections touch is
itself permitted; or (b) everything it does is known and each access is permitted, by rules or by per-target defaults;
or (c) it only runs what its inner units say. Doubt permits nothing.
"""

from __future__ import annotations

from remit.candidates import Hits, access_refs
from remit.facts import MAYBE, YES, Access, Analysis, Facts, Option, Unit
from remit.match import Scene, access_truth, plan_of, rule_truth, target_truth
from remit.match_shell import match_narrowly
from remit.set_aside import is_set_aside
from remit.spellings import runs_by_option
from remit.verdict import ALLOW, ASK, DENY
from remit_dsl.program import Default, Program, Rule, Target
from remit_dsl.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

EFFECT = {"allow": ALLOW, "ask": ASK, "deny": DENY}


class Grant(NamedTuple):
    """What permits: a rule, a default, or neither (the unit needs no permission)."""

    rule: Rule | None = None
    default: Default | None = None


def grant_of(scene: Scene, at: int, hits: Hits, allows: Iterable[int]) -> Grant | None:
    """What permits the scene's unit, number `at` (allows: allow rules among its hits, in order), or None."""
    named = _named(scene, hits, allows) if allows else None
    if named is not None:
        return Grant(named)
    if scene.unit.parent >= 0:
        outer = _spelled_by_wrapper(scene.program, scene.facts, at)
        if outer is not None:
            return Grant(outer)
    return _by_accesses(scene)


# --- (a) an allow rule names it ------------------------------------------------------------------------------


def _named(scene: Scene, hits: Hits, allows: Iterable[int]) -> Rule | None:
    teeth = open_teeth(scene)
    for number in allows:
        rule = scene.program.rule(number)
        named = [pair for pair in hits[number] if pair[1] is None and (not teeth or _spells(scene, pair[0], teeth))]
        if named and rule_truth(scene, rule, named) == YES:
            narrow = [pair for pair in named if not is_set_aside(scene, number, pair[0])]
            if len(narrow) == len(named) or (narrow and rule_truth(scene, rule, narrow) == YES):
                return rule if _aside_permitted(scene) else None
    return None


def _spells(scene: Scene, target: Target, teeth: Sequence[int]) -> bool:
    """Whether the target spells the words that give a command its teeth."""
    if target.kind != "shell":
        return target.kind == "any"
    return match_narrowly(plan_of(scene, target), scene.unit, scene.program.tables["sets"], teeth)


def open_teeth(scene: Scene) -> Sequence[int]:
    """Words of the command that a wildcard does not cover: their accesses are not permitted, and no inner unit answers for them."""
    analysis = scene.unit.analysis
    if analysis is None:
        return ()
    teeth = analysis.teeth
    if not analysis.known and analysis.doubtful:
        teeth = tuple(sorted({*teeth, *_possible_teeth(scene, analysis)}))
    if not teeth:
        return ()
    inner = {place for item in analysis.inner if item.kind != "code" for place in (item.place, item.place - 1)}
    return [tooth for tooth in teeth if tooth not in inner and not _tooth_permitted(scene, tooth)]


def _possible_teeth(scene: Scene, analysis: Analysis) -> Iterable[int]:
    """Words that are not known and may turn out to be an option that bites: any one for a read-only program, one that runs something
    for others."""
    unit = scene.unit
    if not analysis.readonly and not _runs_by_option(scene.program, unit.program or ""):
        return ()
    return [place for place in analysis.doubtful if type(unit.argv[place]) is not str]


def _runs_by_option(program: Program, name: str) -> bool:
    key = ("runs by option", name)
    if key not in program.cache:
        spec = program.spec(name)
        program.cache[key] = spec is not None and runs_by_option(spec)
    return bool(program.cache[key])


def _spells_what_bites(scene: Scene, target: Target) -> bool:
    teeth = open_teeth(scene)
    return not teeth or _spells(scene, target, teeth)


def _tooth_permitted(scene: Scene, tooth: int) -> bool:
    places = {
        tooth,
        *[tooth + 1 for option in _options(scene.unit) if option.place == tooth and _is_next(scene.unit, option)],
    }
    own = [access for access in scene.unit.accesses if access.place in places]
    return bool(own) and all(access_grant(scene, access) is not None for access in own)


def _options(unit: Unit) -> tuple[Option, ...]:
    return unit.analysis.options if unit.analysis is not None else ()


def _is_next(unit: Unit, option: Option) -> bool:
    """Whether the option's value is the next word of the command, as a whole."""
    after = option.place + 1
    return option.value is not None and after < len(unit.argv) and unit.argv[after] is option.value


def _aside_permitted(scene: Scene) -> bool:
    """Whether everything that redirections touch is permitted."""
    unit = scene.unit
    accesses = unit.accesses
    if unit.kind != "command" or (unit.argv and len(accesses) == 1):  # the first one is running the program
        return True
    aside = [access for access in accesses if access.place == -1 and access.kind != "exec"]
    return all([access_grant(scene, access) is not None for access in aside])


def _spelled_by_wrapper(program: Program, facts: Facts, at: int) -> Rule | None:
    """An allow rule for an enclosing command whose pattern spells where this unit starts: `ssh * uptime *`."""
    unit = facts.units[at]
    if not _aside_permitted(Scene(program, facts, unit)):
        return None
    place, outer_at = unit.parent_index, unit.parent
    teeth = [place + tooth for tooth in open_teeth(Scene(program, facts, unit))]
    while outer_at >= 0 and place >= 0:
        outer = facts.units[outer_at]
        rule = _spelling_rule(Scene(program, facts, outer), [place, *teeth])
        if rule is not None:
            return rule
        place, outer_at, teeth = outer.parent_index, outer.parent, []
    return None


def _spelling_rule(scene: Scene, places: list[int]) -> Rule | None:
    if scene.unit.kind != "command" or scene.unit.program is None:
        return None
    program = scene.program
    words = program.tables["index"]["shell"].get(scene.unit.program, {})
    for number, place in sorted([ref for refs in words.values() for ref in refs]):
        rule = program.rule(number)
        if rule.effect != "allow" or rule.shadow:
            continue
        target = rule.targets[place]
        spelled = match_narrowly(plan_of(scene, target), scene.unit, program.tables["sets"], places)
        named = spelled and rule_truth(scene, rule, [(target, None)]) == YES and not is_set_aside(scene, number, target)
        if named and _aside_permitted(scene):
            return rule
    return None


# --- (b), (c) the sum of its accesses ------------------------------------------------------------------------


def is_sum_of_accesses(unit: Unit) -> bool:
    """Whether the unit does nothing but what its accesses say."""
    return unit.known and not unit.assignments and not (unit.analysis is not None and unit.analysis.acts)


def _by_accesses(scene: Scene) -> Grant | None:
    unit = scene.unit
    if not is_sum_of_accesses(unit):
        return None
    accesses = unit.accesses
    if unit.transparent or unit.inert:
        accesses = tuple([access for access in accesses if access.kind != "exec" or access.place != -1])
        if not accesses:
            return _own_grant(scene)
    if not accesses or not speaks_of_accesses(scene.program):
        return None
    grants = [access_grant(scene, access) for access in accesses]
    if any(grant is None for grant in grants):
        return None
    return next((grant for grant in grants if grant is not None and grant.rule is not None), grants[0])


def _own_grant(scene: Scene) -> Grant:
    """What permits running a program that needs no permission: a rule or default that says so, else nothing."""
    runs = [access for access in scene.unit.accesses if access.kind == "exec" and access.place == -1]
    return (access_grant(scene, runs[0]) if runs else None) or Grant()


def speaks_of_accesses(program: Program) -> bool:
    """Whether any rule or default names a capability or a target: without one, nothing permits an access or a unit by default."""
    found = program.cache.get("speaks of accesses")
    if found is None:
        caps = program.tables["index"]["caps"]
        found = program.cache["speaks of accesses"] = bool(caps) or any(item.targets for item in program.defaults)
    return found


def access_grant(scene: Scene, access: Access) -> Grant | None:
    """What permits one access: an allow rule, else the first default that speaks of it, if it says allow."""
    rule = _access_rule(scene, access)
    if rule is not None:
        return Grant(rule)
    default = access_default(scene, access)
    return Grant(None, default) if default is not None and default.effect == "allow" else None


def _access_rule(scene: Scene, access: Access) -> Rule | None:
    program = scene.program
    bucket = program.tables["index"]["caps"].get(access.kind)
    if bucket is None:
        return None
    for number, place in sorted(access_refs(bucket, access)):
        rule = program.rule(number)
        if rule.effect == "allow" and not rule.shadow:
            hit = [(rule.targets[place], access)]
            if rule_truth(scene, rule, hit) == YES and not is_set_aside(scene, number, rule.targets[place]):
                return rule
    return None


def access_default(scene: Scene, access: Access) -> Default | None:
    """The first per-target default that speaks of an access."""
    for default in scene.program.defaults:
        wide = default.effect != "allow"
        for target in default.targets:
            if target.kind == "cap" and target.name == access.kind:
                truth = access_truth(scene.facts, target.patterns, access, wide)
                if truth == YES or (wide and truth == MAYBE):
                    return default
    return None


def unit_default(scene: Scene) -> Default | None:
    """The first per-target default that names the unit itself."""
    for default in scene.program.defaults:
        wide = default.effect != "allow"
        for target in default.targets:
            if target.kind == "cap" or target_truth(scene, target, None, wide) < (MAYBE if wide else YES):
                continue
            if wide or (_spells_what_bites(scene, target) and _aside_permitted(scene)):
                return default
    return None


def would_name(scene: Scene, target: Target) -> bool:
    """Whether an allow rule of this target would permit the unit by its name, apart from what its redirections touch."""
    return target_truth(scene, target, None, False) == YES and _spells_what_bites(scene, target)


def permitted_by(scene: Scene, targets: tuple[Target, ...]) -> bool:
    """Whether a mode's targets permit the unit: everything it does is known and matches one of them."""
    unit = scene.unit
    if not is_sum_of_accesses(unit):
        return False
    for target in targets:
        if target.kind != "cap" and target_truth(scene, target, None, False) == YES:
            return not open_teeth(scene)
    caps = [target for target in targets if target.kind == "cap"]
    return bool(unit.accesses) and all(_in_caps(scene, caps, access) for access in unit.accesses)


def _in_caps(scene: Scene, caps: list[Target], access: Access) -> bool:
    facts: Any = scene.facts
    return any(
        target.name == access.kind and access_truth(facts, target.patterns, access, False) == YES for target in caps
    )
