"""What a piece of inline source text shows that it does. Data only."""

from __future__ import annotations

from remit_dsl.records import NamedTuple


class CodeFacts(NamedTuple):
    """What source text in another language touches.

    runs: it runs, or may run, other programs. commands: shell texts that it runs, as literals. sure: the lists are exact and
    complete; else they are possible, and there may be more.
    """

    runs: bool
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    sure: bool = True
    commands: tuple[str, ...] = ()


NOTHING = CodeFacts(runs=False)
UNKNOWN = CodeFacts(runs=True, sure=False)
