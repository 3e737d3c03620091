"""L705: an allow that permits whatever somebody thinks of."""

from __future__ import annotations

from collections.abc import Iterator

from remit_dsl.breadth import permits_too_much, shell_tools
from remit_dsl.lints.subject import Finding, Subject

CODE = "L705"


def find(subject: Subject) -> Iterator[Finding]:
    """Allow rules without a condition that permit every command, every text to some interpreter, or every place to write to."""
    shells = shell_tools(subject.checked.tools)
    sets = {value.key: value.patterns for file in subject.checked.files for value in file.sets.values()}
    for site in subject.sites:
        if site.rule.effect != "allow" or site.rule.when is not None or site.rule.shadow:
            continue
        for place, target in enumerate(site.rule.targets):
            permitted = permits_too_much(target, shells, sets)
            if permitted:
                message = f"`{target.text}` permits {permitted}"
                help_text = "name what is needed: a script, a subcommand, a folder, a host"
                yield Finding(site, CODE, site.target_span(place), message, help_text)
