"""Words of a shell command, as far as they are known before it runs.

A word that is known completely is a plain `str` (quotes removed). Everything else is a `Partial`: a run of known text and
holes. Nothing is ever guessed: what fills a hole is decided by the shell, not by us.
"""

from __future__ import annotations

from remit_dsl.records import NamedTuple


class Hole(NamedTuple):
    """A stretch of a word whose text is not known.

    kind: `param` ($X, ${X:-y}), `command` ($(…), `…`), `arith`, `glob` (*, ?, [..]), `process` (<(…)), `tilde` (~ or
    ~user at a word's start), `brace` (an expansion too large to spell out), `unknown`.
    text: its source; for a plain `$NAME` or `${NAME}` also `name`. many: it may become several words, or none
    (unquoted expansions, globs, "$@").
    """

    kind: str
    text: str
    name: str
    many: bool


class Partial(NamedTuple):
    """A word with holes. `source` is how it was written: quotes removed, expansions kept as source text."""

    parts: tuple[str | Hole, ...]
    source: str

    def __str__(self) -> str:
        return self.source

    @property
    def prefix(self) -> str:
        """The known text before the first hole."""
        first = self.parts[0]
        return first if isinstance(first, str) else ""

    @property
    def suffix(self) -> str:
        """The known text after the last hole."""
        last = self.parts[-1]
        return last if isinstance(last, str) else ""

    @property
    def many(self) -> bool:
        """Whether the word may become several words, or none."""
        return any(not isinstance(part, str) and part.many for part in self.parts)


Word = str | Partial


def is_glob(word: Word) -> bool:
    """Whether nothing but what globs find is unknown in a word."""
    return isinstance(word, str) or all(isinstance(part, str) or part.kind == "glob" for part in word.parts)
