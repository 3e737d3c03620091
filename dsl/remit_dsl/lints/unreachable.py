"""L701: a rule that can never decide, because another one speaks before it wherever it would match."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from remit_dsl.lints.covering import Key, asked_for, covers, filed_under
from remit_dsl.lints.duplicates import meaning
from remit_dsl.lints.subject import Finding, Site, Subject
from remit_dsl.program import EFFECTS, Rule

CODE = "L701"

_STAGE = {effect: at for at, effect in enumerate(EFFECTS)}


def find(subject: Subject) -> Iterator[Finding]:
    """Rules whose every target is covered by one rule of the same or an earlier stage that holds whenever they do."""
    filed: dict[Key, list[Site]] = defaultdict(list)
    # Of rules that say the same the first stands for all: none of them speaks before another.
    distinct = {meaning(site): site for site in reversed(subject.sites)}
    for site in reversed(distinct.values()):
        for key in {key for target in site.rule.targets for key in filed_under(target)}:
            filed[key].append(site)
    for site in subject.sites:
        found = _cover(subject, site, filed)
        if found is not None:
            rule = found.rule
            message = f"`{site.rule.id}` never decides: {rule.effect} `{rule.id}` ({rule.at}) covers it"
            help_text = "remove it, or narrow the other rule with `except`"
            yield Finding(site, CODE, site.head(), message, help_text)


def _cover(subject: Subject, site: Site, filed: dict[Key, list[Site]]) -> Site | None:
    keys = asked_for(site.rule.targets[0])
    candidates = {id(other): other for key in keys for other in filed.get(key, ())}
    for other in candidates.values():
        if other is not site and _speaks_before(subject, other, site) and _all_covered(other.rule, site.rule):
            return other
    return None


def _all_covered(wide: Rule, narrow: Rule) -> bool:
    return all(any(covers(one, target) for one in wide.targets) for target in narrow.targets)


def _speaks_before(subject: Subject, wide: Site, narrow: Site) -> bool:
    """Whether the first rule decides wherever both match. Of two that cover each other L702 speaks."""
    first, second = wide.rule, narrow.rule
    if first.shadow or second.shadow or _STAGE[first.effect] > _STAGE[second.effect]:
        return False
    if not _holds_whenever(first, second) or (first.approvable and not second.approvable):
        return False
    if first.effect == second.effect == "allow":
        return not any(_grows_teeth(subject, target) for target in first.targets) and not _all_covered(second, first)
    return first.effect != second.effect or not _all_covered(second, first)


def _holds_whenever(first: Rule, second: Rule) -> bool:
    pairs: list[tuple[Any, Any]] = [
        (first.when, second.when), (first.modes, second.modes), (first.agents, second.agents), (first.until, second.until),
    ]  # fmt: skip
    return all(not one or one == other for one, other in pairs) and (
        not first.excepts or first.excepts == second.excepts
    )


def _grows_teeth(subject: Subject, target: Any) -> bool:
    """Whether an allow for a command leaves dangerous options of it to rules that spell them."""
    if target.kind != "shell" or not target.patterns[0].lead:
        return bool(target.kind == "shell")
    programs = subject.checked.programs
    at = programs.names.get(target.patterns[0].words[0])
    return at is not None and "readonly" in str(programs.specs[at])
