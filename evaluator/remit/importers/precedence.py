"""Rules of systems in which one rule overrides another, as rules of which the strictest counts.

A deny or ask keeps what comes before it as exceptions, where that is milder. An allow needs none: denies and asks that come before it hold
here as well. Exceptions match narrowly, so that nothing which an original denies is allowed by them.
"""

from __future__ import annotations

from collections.abc import Sequence

from remit.importers.claude_reading import Effect
from remit_dsl.globs import glob_matches, parse_glob
from remit_dsl.records import NamedTuple

_STRICTNESS: dict[Effect, int] = {"allow": 0, "ask": 1, "deny": 2}


class Saying(NamedTuple):
    """One rule of the original.

    wide: what a deny or ask of it holds for; narrow: what surely lies within it, for an allow; excepting: the same as exceptions of other
    rules. when_wide, when_narrow: conditions for the same, "" for none. closing: clauses that come with its rule. modes: those that it is
    about, None for all; extra: a condition that bounds it further. layer: "words" or "line" where a command is compared in both ways, and
    an exception to the one is none to the other. why, instead: what could not be carried over, and what stands in its place.
    """

    effect: Effect
    wide: tuple[str, ...] = ()
    narrow: tuple[str, ...] = ()
    excepting: tuple[str, ...] = ()
    when_wide: str = ""
    when_narrow: str = ""
    closing: str = ""
    modes: frozenset[str] | None = None
    extra: str = ""
    layer: str = ""
    why: str = ""
    instead: str = ""


def said(saying: Saying, before: Sequence[Saying], label: str) -> list[str]:
    """The statements of a rule; `before`: the rules that override it."""
    if saying.effect == "allow":
        when = _all([saying.when_narrow, saying.extra])
        return [_rule(saying, label, saying.narrow, (), when)] if saying.narrow else []
    if not saying.wide:
        return []
    heads = [_head(target) for target in saying.wide]
    milder = [each for each in before if _STRICTNESS[each.effect] < _STRICTNESS[saying.effect] and _holds(each, saying)]
    exceptions: dict[str, None] = {}
    conditions = []
    for each in milder:
        within = [target for target in each.excepting if any(_lies_in(_head(target), head) for head in heads)]
        if within and each.when_narrow:
            conditions.append(f"not ({_where(within, heads, each.when_narrow)})")
        else:
            exceptions.update(dict.fromkeys(within))
    if exceptions.keys() >= set(saying.wide) or (saying.layer == "line" and not saying.when_wide and not conditions):
        return []
    return [_rule(saying, label, saying.wide, tuple(exceptions), _all([saying.when_wide, *conditions, saying.extra]))]


def _holds(exception: Saying, saying: Saying) -> bool:
    """Whether an exception holds wherever the rule does."""
    in_modes = exception.modes is None or (saying.modes is not None and saying.modes <= exception.modes)
    return in_modes and exception.extra in ("", saying.extra) and exception.layer in ("", saying.layer)


def _head(target: str) -> str:
    return target.partition("(")[0]


def _lies_in(name: str, head: str) -> bool:
    return name == head or ("*" in head and glob_matches(parse_glob(head, question=False, classes=False), name))


def _where(targets: Sequence[str], heads: Sequence[str], condition: str) -> str:
    """A condition that is about some tools, for a rule that is about more."""
    if all(_head(target) in heads for target in targets):
        return condition
    names = " or ".join(f'request.tool == "{_head(target)}"' for target in targets)
    return f"({names}) and ({condition})"


def _all(conditions: Sequence[str]) -> str:
    given = [condition for condition in conditions if condition]
    return given[0] if len(given) == 1 else " and ".join(f"({condition})" for condition in given)


def _rule(saying: Saying, label: str, targets: Sequence[str], exceptions: Sequence[str], when: str) -> str:
    lines = [f"{saying.effect} {label}: {', '.join(targets)}"]
    lines += [f"  except {', '.join(exceptions)}"] if exceptions else []
    lines += [f"  in mode {', '.join(sorted(saying.modes))}"] if saying.modes else []
    lines += [f"  when {when}"] if when else []
    lines += [f"  {saying.closing}"] if saying.closing else []
    return "\n".join(lines)
