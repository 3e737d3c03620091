"""Rights: what a tier may say, and what a file may that is not trusted. A statement beyond them is reported and left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from remit_dsl.checks.findings import Findings
from remit_dsl.policy import RIGHTS, Declared
from remit_dsl.program import TIERS
from remit_dsl.source import Span

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


def has_right(effect: str, rights: frozenset[str], span: Span, findings: Findings, what: str = "") -> bool:
    """Whether a statement of this effect counts; if not, that is reported."""
    if effect in rights:
        return True
    subject = what or f"`{effect}` rule"
    message = f"{subject} has no effect: it is beyond the rights of this file"
    help_text = "a higher tier says `lower tiers may …`, or the file is not trusted (`remit trust`)"
    findings.warning("W601", span, message, help_text)
    return False
