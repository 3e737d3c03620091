"""One entry of a Claude Code permission list, as a policy says it."""

from __future__ import annotations

from typing import Literal

from remit_dsl.records import NamedTuple

Effect = Literal["deny", "ask", "allow"]


class Reading(NamedTuple):
    """What an entry becomes.

    targets: of a rule with the entry's own effect, which holds `when` the condition does ("" = always). asks: of an ask
    rule beside it, or in place of it. why, instead: what could not be carried over, and what stands in its place; both
    "" when nothing is lost.
    """

    targets: tuple[str, ...]
    asks: tuple[str, ...] = ()
    when: str = ""
    why: str = ""
    instead: str = ""


def exact(*targets: str) -> Reading:
    """An entry that the targets say completely."""
    return Reading(tuple(dict.fromkeys(targets)))


def inexact(effect: Effect, asks: str, why: str) -> Reading:
    """An entry that cannot be said: an allow is left out, a deny or ask becomes an ask for the wider target `asks`."""
    if effect == "allow":
        return Reading((), why=why, instead="left out")
    return Reading((), (asks,), why=why, instead=f"asks for {asks}")
