"""L703, L704: patterns of restricting rules that match less than was probably meant."""

from __future__ import annotations

from collections.abc import Iterator

from remit_dsl.lints.subject import Finding, Site, Subject
from remit_dsl.plans import ShellPlan
from remit_dsl.program import Target

WHOLE, OPERATOR = "L703", "L704"

_OPERATORS = ("&&", "||", ";", "|", ">", "<")


def find(subject: Subject) -> Iterator[Finding]:
    """Command patterns without a star at their end, and commands that are written as one quoted word."""
    for site in subject.sites:
        for place, target in enumerate(site.rule.targets):
            if target.kind == "shell":
                yield from _operators(site, place, target)
                if site.rule.effect != "allow":
                    yield from _whole(site, place, target)
            elif target.kind == "like" and site.rule.effect != "allow" and isinstance(target.patterns[0], str):
                message = f"`{target.text}` matches this very text and no other"
                yield Finding(site, WHOLE, site.target_span(place), message, "put `*` where more text may stand")


def _whole(site: Site, place: int, target: Target) -> Iterator[Finding]:
    plan: ShellPlan = target.patterns[0]
    if not plan.rest:
        content = site.node.targets[place].content
        text = content.text.strip() if content is not None else ""
        message = f"`{target.text}` matches the command with nothing after it"
        yield Finding(
            site, WHOLE, site.target_span(place), message, f"write `{target.name}({text} *)` for any arguments"
        )


def _operators(site: Site, place: int, target: Target) -> Iterator[Finding]:
    """A quoted operator is a character like any other: no command has it where the rule's author sees it."""
    plan: ShellPlan = target.patterns[0]
    literals = [piece for word in plan.words for piece in ([word] if isinstance(word, str) else _pieces(word))]
    found = next((sign for sign in _OPERATORS for text in literals if f" {sign} " in f" {text} "), None)
    if found is not None:
        message = f"a quoted `{found}` is part of a word: it does not join commands"
        help_text = "a pattern describes one simple command; write one rule for each"
        yield Finding(site, OPERATOR, site.target_span(place), message, help_text)


def _pieces(word: object) -> list[str]:
    """The literal runs of a glob; none for words that stand for a set or for any words."""
    if not isinstance(word, tuple) or word[:1] == ("@",):
        return []
    return [token for token in word if isinstance(token, str)]
