"""Shell patterns prepared for matching: what is an option in them, what an operand, what may follow. Pure."""

from __future__ import annotations

from remit_dsl.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ANY_WORDS = 0


class ShellPlan(NamedTuple):
    """A shell pattern, taken apart once so that no call has to.

    words: all elements but a closing `*`, program first (a str, a glob, ANY_WORDS or ("@", set)). rest: anything may follow.
    options: the elements behind the program that spell an option; operands: the others, in order. lead: how many words are
    literal from the start. total: the pattern is `*`, which names every command. tilde: a word starts with `~/`, which the
    shell has replaced by the time a command is seen.
    """

    words: tuple[Any, ...]
    rest: bool
    options: tuple[Any, ...]
    operands: tuple[Any, ...]
    lead: int
    total: bool
    tilde: bool


def shell_plan(pattern: Any) -> ShellPlan:
    """The plan of a ShellPattern (or of its JSON row, frozen)."""
    words, rest = pattern[0], pattern[1]
    if rest and words and words[-1] == ANY_WORDS:
        words = words[:-1]
    behind = words[1:]
    options = tuple([word for word in behind if spells_option(word)])
    operands = tuple([word for word in behind if not spells_option(word)])
    lead = next((at for at, word in enumerate(words) if not isinstance(word, str)), len(words))
    return ShellPlan(words, rest, options, operands, lead, rest and not words, any(_has_tilde(word) for word in words))


def spells_option(word: Any) -> bool:
    """Whether a pattern element spells an option: it starts with a literal `-` and more."""
    if isinstance(word, str):
        return len(word) > 1 and word[0] == "-" and word != "--"
    if not isinstance(word, tuple) or not word or not isinstance(word[0], str):
        return False
    return word[0] != "@" and word[0].startswith("-")


def _has_tilde(word: Any) -> bool:
    lead = word if isinstance(word, str) else word[0] if isinstance(word, tuple) and word else ""
    return isinstance(lead, str) and (lead == "~" or lead.startswith("~/"))


def with_home(plan: ShellPlan, home: str) -> ShellPlan:
    """The plan with `~` replaced by `home` (bash(1) "Tilde Expansion")."""
    words = tuple([_opened(word, home) if _has_tilde(word) else word for word in plan.words])
    return shell_plan((words, plan.rest))


def _opened(word: Any, home: str) -> Any:
    if isinstance(word, str):
        return home + word[1:]
    return (home + word[0][1:], *word[1:])
