"""Rules that outlive a session: added to and taken from a policy file, whose comments and other statements stay. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from remit.sessions.rules import RuleError, effect_of
from remit.sessions.updates import Update, UpdateError
from remit_dsl.formatter import format_source
from remit_dsl.parser import parse
from remit_dsl.source import Source
from remit_dsl.tree import File, Rule

# Where people's own rules go, below the folder of the user's or of the project's policies.
FILE = "accepted.remit"
_HEADER = 'policy {name} for {tier} "Rules that people accepted while agents worked"\n\nuse std.tools\n'


def edited(text: str, update: Update, tier: str) -> str:
    """The policy file's text after the update, in canonical form. Raises UpdateError, and then nothing of it has happened."""
    if update.kind not in ("addRules", "replaceRules", "removeRules"):
        raise UpdateError(f"`{update.kind}` is of a session: no policy file holds it")
    rules = [_canonical(rule) for rule in update.rules]
    kept = text if text.strip() else _HEADER.format(name=f"accepted.{tier}", tier=tier)
    if update.kind == "removeRules":
        return _formatted(_without(kept, _spans(kept, lambda rule: rule in rules, needed=rules)))
    if update.kind == "replaceRules":
        if any(effect_of(rule) != update.effect for rule in rules):
            raise UpdateError(f"only rules of the effect `{update.effect}` can take the place of its rules")
        kept = _without(kept, _spans(kept, lambda rule: rule.split()[0] == update.effect))
    known = {rule for _, rule in _rules(kept)}
    return _formatted(kept + "".join([f"\n{rule}\n" for rule in dict.fromkeys(rules) if rule not in known]))


def _canonical(rule: str) -> str:
    try:
        effect_of(rule)
    except RuleError as error:
        raise UpdateError(str(error)) from None
    return _formatted(rule.strip() + "\n").strip()


def _formatted(text: str) -> str:
    after, found = format_source(Source(FILE, text))
    if after is None:
        raise UpdateError(f"the policy file cannot be read: {found[0].message}")
    return after


def _rules(text: str) -> Iterable[tuple[tuple[int, int], str]]:
    """The rules of the file, with their places, each in canonical form."""
    file, found = parse(Source(FILE, text))
    if not isinstance(file, File):
        raise UpdateError(f"the policy file cannot be read: {found[0].message}")
    for node in file.statements:
        if isinstance(node, Rule):
            yield (node.span.start, node.span.end), _formatted(text[node.span.start : node.span.end] + "\n").strip()


def _spans(text: str, wanted: Callable[[str], bool], needed: Iterable[str] = ()) -> list[tuple[int, int]]:
    found = [(span, rule) for span, rule in _rules(text) if wanted(rule)]
    absent = [rule for rule in needed if rule not in [known for _, known in found]]
    if absent:
        raise UpdateError(f"the policy file has no rule `{absent[0]}`")
    return [span for span, _ in found]


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    for start, end in reversed(spans):
        text = text[:start] + text[end:].lstrip(" \t")
    return text
