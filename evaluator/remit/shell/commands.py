"""What a shell text runs: simple commands with their words, redirections and place. Data only."""

from __future__ import annotations

from remit.shell.words import Word
from remit_dsl.records import NamedTuple


class Context(NamedTuple):
    """One thing a command stands inside of. `id` tells two of one kind apart.

    kind: `subshell`, `substitution`, `process` (process substitution), `pipeline` (an element of a pipeline of two or
    more), `background`, `function` (a body), `loop`, `branch` (if, case, select), `group`, `heredoc` (a substitution
    in a heredoc's body), `coproc`.
    """

    kind: str
    id: int


class Assignment(NamedTuple):
    """`NAME=value`, `NAME+=value`, `NAME[i]=value`, `NAME=(…)` (value: a Partial, array True)."""

    name: str
    value: Word
    append: bool
    array: bool


class Redirection(NamedTuple):
    """One redirection, as bash(1) "REDIRECTION" lists them.

    fd: what stands before the operator ("" if nothing). op: `<`, `>`, `>>`, `>|`, `<>`, `<&`, `>&`, `&>`, `&>>`, `<<`,
    `<<-`, `<<<`. target: the word behind it; for `<<` the body of the heredoc (known text, or a Partial when the
    delimiter was not quoted and the body expands), for `<<<` the string.
    """

    fd: str
    op: str
    target: Word


class SimpleCommand(NamedTuple):
    """One simple command (bash(1) "Simple Commands"), or the bare redirections of a compound command (argv empty).

    argv may be empty for bare assignments too. `after`: the operator between it and the command before it in the same
    list or pipeline: "", ";", "&", "&&", "||", "|", "|&". start, end: offsets in the text that was split.
    """

    argv: tuple[Word, ...]
    assignments: tuple[Assignment, ...]
    redirections: tuple[Redirection, ...]
    context: tuple[Context, ...]
    after: str
    start: int
    end: int


class Opaque(NamedTuple):
    """A piece that was declined: the construct's name (a bounded vocabulary, `CONSTRUCTS`) and where."""

    construct: str
    start: int
    end: int


class Setting(NamedTuple):
    """A variable that a loop sets to one of its words (loop: the id of the Context of its body), or an expansion (loop: -1)."""

    name: str
    value: Word
    loop: int


class Script(NamedTuple):
    """All simple commands of a text, wherever they hide, in the order written; and what was declined.

    When anything is opaque, `commands` is what was seen up to there: true as far as it goes, never the whole.
    `functions`: names that the text defines (they may shadow programs). `sets`: variables that loops and expansions set
    (`for x in …`, `${x:=…}`; one for each word, with what is known of it). `evaluated`: source of what the shell reads as an
    expression or a variable's name once it is expanded (arithmetic, subscripts, `[[ -v … ]]`, `${!x}`).
    """

    commands: tuple[SimpleCommand, ...]
    opaque: tuple[Opaque, ...]
    functions: tuple[str, ...]
    sets: tuple[Setting, ...] = ()
    evaluated: tuple[str, ...] = ()
