"""A place in a shell text, and the commands collected so far. Every grammar function takes a Reader and moves it on."""

from __future__ import annotations

import re

from remit.shell import constructs
from remit.shell.commands import Assignment, Context, Redirection, Setting, SimpleCommand
from remit.shell.words import Word
from remit_dsl.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

METACHARACTERS = frozenset(" \t\n;&|<>()")

_BLANKS = re.compile(r"(?:[ \t]|\\\n)+")
_RESERVED = re.compile(
    r"(?:if|then|else|elif|fi|for|while|until|do|done|case|esac|select|function|in|time|coproc|\{|\}|\[\[|\]\]|!)"
    r"(?=(?:\\\n)*+(?:[ \t\n;&|<>()]|\Z))"
)


def is_reserved(word: str) -> bool:
    """Whether the source of a word is a reserved word."""
    found = _RESERVED.match(word)
    return found is not None and found.end() == len(word)


class Declined(Exception):
    """The text holds something that is not understood; `construct` is one of CONSTRUCTS, `place` an offset."""

    def __init__(self, construct: str, place: int) -> None:
        super().__init__(construct)
        self.construct = construct
        self.place = place


class Draft:
    """A simple command while it is read. Its context and its heredoc bodies become known after its words."""

    __slots__ = ("after", "argv", "assignments", "context", "end", "redirections", "start")

    def __init__(self, context: tuple[Context, ...], after: str, start: int) -> None:
        self.argv: list[Word] = []
        self.assignments: list[Assignment] = []
        self.redirections: list[Redirection] = []
        self.context = context
        self.after = after
        self.start = start
        self.end = -1

    def finished(self) -> SimpleCommand:
        """The command as data."""
        return SimpleCommand(
            tuple(self.argv),
            tuple(self.assignments),
            tuple(self.redirections),
            self.context,
            self.after,
            self.start,
            self.end,
        )


class Work:
    """What all readers of one text share: the commands found, and the counters that bound the work.

    armed: a literal that would run something if it were evaluated is assigned. evaluates: somewhere a variable's value is
    evaluated as arithmetic or as a name (bash(1) "ARITHMETIC EVALUATION": values are expressions, whose subscripts expand).
    evaluated, sets: as in a Script.
    """

    __slots__ = ("armed", "dialect", "drafts", "evaluated", "evaluates", "functions", "identity", "sets", "words")

    def __init__(self, dialect: str) -> None:
        self.dialect = dialect
        self.drafts: list[Draft] = []
        self.functions: list[str] = []
        self.identity = 0
        self.words = 0
        self.armed = False
        self.evaluates = False
        self.evaluated: list[str] = []
        self.sets: list[Setting] = []

    def count_words(self, reader: Reader, count: int) -> None:
        """Count words; declines beyond the limit."""
        self.words += count
        if self.words > constructs.MAX_WORDS:
            reader.decline(constructs.TOO_MANY_WORDS)


class Pending(NamedTuple):
    """A heredoc whose body is still to come: its delimiter, and the redirection that waits for the body."""

    delimiter: str
    quoted: bool
    strip_tabs: bool
    draft: Draft
    position: int
    context: tuple[Context, ...]


class Reader:
    """A position in `text`. `base` and `exact` map it to the text that was split (not exact: unescaped on the way)."""

    __slots__ = ("base", "context", "depth", "exact", "heredocs", "pos", "size", "text", "work")

    def __init__(self, text: str, work: Work, base: int = 0, exact: bool = True) -> None:
        self.text = text
        self.size = len(text)
        self.pos = 0
        self.work = work
        self.base = base
        self.exact = exact
        self.context: tuple[Context, ...] = ()
        self.depth = 0
        self.heredocs: list[Pending] = []

    def place(self, pos: int) -> int:
        """The offset in the text that was split."""
        return self.base + pos if self.exact else self.base

    def decline(self, construct: str) -> NoReturn:
        """Give up at this place."""
        raise Declined(construct, self.place(self.pos))

    def only_bash(self) -> None:
        """Decline what dash and zsh read differently."""
        if self.work.dialect != "bash":
            self.decline(constructs.DIALECT)

    def not_sh(self) -> None:
        """Decline what dash reads differently."""
        if self.work.dialect == "sh":
            self.decline(constructs.DIALECT)

    def deepen(self) -> None:
        """Enter one level of nesting; the caller leaves it with `depth -= 1`."""
        self.depth += 1
        if self.depth > constructs.MAX_NESTING:
            self.decline(constructs.NESTING)

    def enter(self, kind: str) -> tuple[Context, ...]:
        """Enter a nested context; gives the one to go back to."""
        self.deepen()
        saved = self.context
        self.context = (*saved, self.fresh(kind))
        return saved

    def leave(self, saved: tuple[Context, ...]) -> None:
        """Leave what `enter` entered."""
        self.depth -= 1
        self.context = saved

    def fresh(self, kind: str) -> Context:
        """A context with an identity of its own."""
        self.work.identity += 1
        return Context(kind, self.work.identity)

    def enclose(self, first: int, kind: str) -> None:
        """Put the commands from index `first` on into a context that shows only behind them (a pipeline, `&`)."""
        level = len(self.context)
        context = (self.fresh(kind),)
        for draft in self.work.drafts[first:]:
            draft.context = draft.context[:level] + context + draft.context[level:]

    def nested(self, text: str, base: int, exact: bool) -> Reader:
        """A reader of text that stands inside this one's."""
        reader = Reader(text, self.work, base, exact)
        reader.context = self.context
        reader.depth = self.depth
        return reader

    def begin(self, after: str) -> Draft:
        """A new simple command here; declines beyond the limit."""
        draft = Draft(self.context, after, self.place(self.pos))
        self.work.drafts.append(draft)
        if len(self.work.drafts) > constructs.MAX_COMMANDS:
            self.decline(constructs.TOO_MANY_COMMANDS)
        return draft

    def blanks(self) -> None:
        """Skip blanks and line continuations."""
        found = _BLANKS.match(self.text, self.pos)
        if found:
            self.pos = found.end()

    def space(self) -> None:
        """Skip blanks and a comment (bash(1) "COMMENTS"); only where a word could start."""
        self.blanks()
        if self.text.startswith("#", self.pos):
            end = self.text.find("\n", self.pos)
            self.pos = self.size if end < 0 else end

    def at(self, token: str) -> bool:
        """Whether `token` stands here."""
        return self.text.startswith(token, self.pos)

    def accept(self, token: str) -> bool:
        """Step over `token` if it stands here."""
        if self.text.startswith(token, self.pos):
            self.pos += len(token)
            return True
        return False

    def reserved(self) -> str:
        """The reserved word here ("" if none), not stepped over: bash(1) "RESERVED WORDS"; quoted ones are none."""
        found = _RESERVED.match(self.text, self.pos)
        return found[0] if found else ""
