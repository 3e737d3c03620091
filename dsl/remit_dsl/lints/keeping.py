"""L706, L707, L708: rules that nobody could keep: untested, over, or without a word for those whom they stop."""

from __future__ import annotations

from collections.abc import Iterator

from remit_dsl.lints.subject import Finding, Subject

UNTESTED, OVER, SILENT = "L706", "L707", "L708"


def find(subject: Subject) -> Iterator[Finding]:
    """Rules that no test names, whose end has passed, that deny or ask without saying why."""
    named = {
        expectation.by.text
        for file in subject.checked.files
        for test in file.tests
        for expectation in test.expectations
        if expectation.by is not None
    }
    for site in subject.sites:
        rule = site.rule
        if rule.id not in named and not rule.shadow:
            example = (
                f"`{'allow' if rule.effect == 'allow' else 'deny' if rule.effect == 'deny' else 'ask'} … by {rule.id}`"
            )
            help_text = (
                f"say {example} in a test"
                if site.node.label is not None
                else "give it a label, and name that in a test"
            )
            yield Finding(site, UNTESTED, site.head(), f"no test says what `{rule.id}` is for", help_text)
        if rule.until and subject.today and rule.until < subject.today:
            message = f"`{rule.id}` ended on {rule.until}"
            yield Finding(site, OVER, site.head(), message, "remove it, or give it a new end")
        if rule.effect != "allow" and not rule.because:
            message = f"`{rule.id}` does not say why"
            help_text = 'add `because "…"`: it is what the agent and its user read'
            yield Finding(site, SILENT, site.head(), message, help_text)
