"""L702: a rule that says what another one says already."""

from __future__ import annotations

import json
from collections.abc import Iterator

from remit_dsl.lints.subject import Finding, Site, Subject

CODE = "L702"


def find(subject: Subject) -> Iterator[Finding]:
    """Rules that match the same and do the same as an earlier one, whatever their labels and reasons."""
    seen: dict[str, Site] = {}
    for site in subject.sites:
        earlier = seen.setdefault(meaning(site), site)
        if earlier is not site:
            message = f"`{site.rule.id}` says the same as `{earlier.rule.id}` ({earlier.rule.at})"
            yield Finding(site, CODE, site.head(), message, "keep one of them")


def meaning(site: Site) -> str:
    """Effect, targets (in any order, without how they were written), exceptions and bounds."""
    row = site.row
    targets = sorted([json.dumps(target[:3]) for target in row[3]])
    excepts = sorted([json.dumps(target[:3]) for target in row[4]])
    return json.dumps([row[1], row[2], targets, excepts, row[5], row[6], row[7], row[8], row[16]], sort_keys=True)
