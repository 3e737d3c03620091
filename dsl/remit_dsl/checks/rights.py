"""Rights: what a tier may say, and what a file may that is not trusted. A statement beyond them is reported and left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from remit_dsl.checks.findings import Findings
from remit_dsl.policy import RIGHTS, Declared
from remit_dsl.program import TIERS
from remit_dsl.source import Span
from remit_dsl.tree import Default

LOOSENING = "allow"


def rights_of_tiers(files: Iterable[Declared]) -> dict[str, frozenset[str]]:
    """The effects that each tier may use, after every `lower tiers may` of the tiers above it that counts."""
    rights = {tier: frozenset(RIGHTS) for tier in TIERS}
    for file in files:
        if not file.trusted:
            continue
        for statement in file.lower:
            may = frozenset(word.text for word in statement.may)
            for tier in TIERS[TIERS.index(file.tier) + 1 :]:
                rights[tier] &= may
    return rights


def rights_of(file: Declared, by_tier: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """The effects that this file may use."""
    return by_tier[file.tier] if file.trusted else by_tier[file.tier] - {LOOSENING}


def denying_tiers(files: Iterable[Declared]) -> frozenset[str]:
    """The tiers that deny everything of which nothing is said."""
    return frozenset(file.tier for file in files if file.trusted and _denies_by_default(file))


def _denies_by_default(file: Declared) -> bool:
    statements = file.file.statements
    return any(isinstance(item, Default) and not item.targets and item.effect == "deny" for item in statements)


def default_rights(file: Declared, rights: frozenset[str], denying: frozenset[str]) -> frozenset[str]:
    """The effects that this file may use as defaults.

    A default speaks where nothing else does, and before those of lower tiers; one for a target speaks before any for everything.
    So a milder one can loosen: a file that is not trusted may only say deny, and one that may not allow may not say ask where a
    higher tier says deny of everything.
    """
    if not file.trusted:
        return rights & {"deny"}
    if LOOSENING in rights or denying.isdisjoint(TIERS[: TIERS.index(file.tier)]):
        return rights
    return rights - {"ask"}


def has_right(effect: str, rights: frozenset[str], span: Span, findings: Findings, what: str = "") -> bool:
    """Whether a statement of this effect counts; if not, that is reported."""
    if effect in rights:
        return True
    subject = what or f"`{effect}` rule"
    message = f"{subject} has no effect: it is beyond the rights of this file"
    help_text = "a higher tier says `lower tiers may …`, or the file is not trusted (`remit trust`)"
    findings.warning("W601", span, message, help_text)
    return False
