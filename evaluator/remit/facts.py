"""Facts: all that a program may ask about a request. Data only; nothing here reads, decides or guesses.

Truth values are three: NO, MAYBE, YES (Kleene's strong logic: and = min, or = max, not = 2 - x).
"""

from __future__ import annotations

from remit.shell.commands import Assignment
from remit.shell.words import Word
from remit_dsl.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NO, MAYBE, YES = 0, 1, 2


class PathFact(NamedTuple):
    """Where a path leads, as far as it is known.

    paths: absolute, without `.` and `..`; the spelling as given and, where it differs, the one with symlinks resolved.
    Empty when the path is not known completely. prefix: then the absolute text known at its start ("" if none);
    suffix: the text known at its end. A path matches a pattern when any spelling does (deny, ask, guard), or all do
    (allow). fold: the file system folds case there. shapes: where only globs are open, the parts of path patterns that
    between them cover all it may be (valid beside a prefix only).
    """

    paths: tuple[str, ...]
    prefix: str
    suffix: str
    fold: bool
    source: str
    shapes: tuple[tuple[Any, ...], ...] = ()


class HostFact(NamedTuple):
    """A host that is connected to: `name` in lower-case ASCII form without trailing dot, None if not known; port or
    None. suffix: the text known at the end of an unknown name."""

    name: str | None
    port: int | None
    source: str


class Access(NamedTuple):
    """One thing a unit touches. kind: `fs.read`, `fs.write`, `fs.delete`, `net.connect`, `exec`.

    path for fs.* (None: not known at all), host for net.connect, program (a word) for exec. sure: it happens if the command
    runs as written; else it is only possible. tree: everything below the path is touched as well. place: the word of argv it
    comes from (-1: a redirection, the tool's own parameter or the program itself).
    """

    kind: str
    path: PathFact | None
    host: HostFact | None
    program: Word | None
    sure: bool
    tree: bool
    place: int


class Option(NamedTuple):
    """One option given: canonical name (the first spelling declared), value, the word of argv that holds it, and whether it is
    certain that this word is this option."""

    name: str
    value: Word | None
    place: int
    sure: bool


class RoleUse(NamedTuple):
    """What a declaration says of one word: kind `read`, `write`, `delete`, `connect`, `run`, `enter`; word may differ from argv[index]
    (`--output=x`: `x`)."""

    kind: str
    word: Word
    place: int
    tree: bool
    sure: bool


class Inner(NamedTuple):
    """A command inside a command. kind `command` (words), `shell` (words[0] is a script's text), `code` (words[0] is source in
    `language`), `input` (standard input is read as `language`: `shell` or another).

    place: the word of argv it starts at (-1 for input). transparent: the wrapper changes neither who nor where.
    dynamic: more words, unknown, are appended when it runs.
    """

    kind: str
    words: tuple[Word, ...]
    language: str
    place: int
    transparent: bool
    dynamic: bool
    sure: bool


class Analysis(NamedTuple):
    """What the program knowledge says of one command line.

    known: its program is declared and every option understood. readonly: read-only by nature (the declaration says so).
    inert: does nothing outside the shell. acts: does more than its accesses say (only naming it permits it).
    subcommands: path of subcommand names found (`("push",)`), with their indexes in argv. operands: indexes of argv.
    doubtful: indexes that are either an option's value or an operand. teeth: indexes of the words that make a read-only
    program write, delete, connect or run, or any program run something; -1 never occurs.
    """

    known: bool
    readonly: bool
    inert: bool
    acts: bool
    subcommands: tuple[int, ...]
    options: tuple[Option, ...]
    operands: tuple[int, ...]
    doubtful: tuple[int, ...]
    roles: tuple[RoleUse, ...]
    inner: tuple[Inner, ...]
    teeth: tuple[int, ...]


class Unit(NamedTuple):
    """One thing to be judged: a plain tool call, one simple command, or a piece that could not be understood.

    kind: `tool`, `command`, `opaque` (construct says which). text: canonical (words joined by one space). argv: words, with
    variables and tildes filled in where their values are certain. program: base name of argv[0], None if not known.
    analysis: what the program knowledge says (None: nothing is declared). known: every effect is in `accesses` (or inert).
    assignments: the environment that differs for it, without the harmless ones. transparent: it only runs what its inner units say.
    parent: index of the unit it was found inside of (-1: none), parent_index the word of that unit's argv. sure: it
    runs if the request does; else it is only possible.
    """

    kind: str
    text: str
    argv: tuple[Word, ...] = ()
    program: str | None = None
    analysis: Analysis | None = None
    known: bool = False
    assignments: tuple[Assignment, ...] = ()
    accesses: tuple[Access, ...] = ()
    context: tuple[str, ...] = ()
    construct: str = ""
    transparent: bool = False
    inert: bool = False
    parent: int = -1
    parent_index: int = -1
    sure: bool = True


class Exit(NamedTuple):
    """What the exit of the ladder asks: is this exact call approved, can somebody be asked, what did a classifier say, are the
    denial limits reached."""

    approved: bool
    interactive: bool
    classifier: str
    denial_limit: bool


class Facts(NamedTuple):
    """A request, observed.

    tool: the common name; agent_tool: what the agent calls it. declared: the tool is declared. subject: str, PathFact, HostFact or None
    (not known). values: nested, answers `request.*`, `input.*`, `session.*`; a missing key is absent, UNKNOWN is not known.
    today: ISO date, "" if not known.
    """

    tool: str
    agent_tool: str
    declared: bool
    subject: Any
    units: tuple[Unit, ...]
    values: dict[str, Any]
    mode: str
    agent: str
    roots: Any
    today: str
    exit: Exit
