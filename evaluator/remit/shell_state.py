"""What a running shell would know at a command: its directory, its variables, what it exports. Conservative: where a loop, a
function or a condition could change it, it is not known.

Follows bash(1) "COMMAND EXECUTION ENVIRONMENT": subshells, substitutions and the elements of a pipeline get a copy, and
what they change is lost with them.
"""

from __future__ import annotations

from remit.shell.commands import Assignment, Context, Script, SimpleCommand
from remit.shell.words import Hole, Partial, Word

# Contexts that run in a copy of the shell.
ISOLATING = frozenset(("subshell", "substitution", "process", "pipeline", "background", "coproc", "heredoc"))
# Contexts whose commands may run again, or at another time than they are read.
REPEATING = frozenset(("loop", "function"))
# Builtins that run text in this very shell, and those that set variables in ways that are not followed.
RUNNING = frozenset(("eval", "source", ".", "trap"))
CLOBBERING = frozenset(("read", "mapfile", "readarray", "getopts", "let", "printf", "unset"))
DECLARING = frozenset(("declare", "typeset", "local", "readonly"))
# Builtins that evaluate what is assigned or tested once more: `test -v 'a[$(id)]'` runs id (bash(1) "ARITHMETIC EVALUATION").
EVALUATING = frozenset(
    ("test", "[", "read", "let", "unset", "mapfile", "readarray", "getopts", "wait", "compgen", "export", *DECLARING)
)
# Those, and one that does so with an option.
NAMING = EVALUATING | {"printf"}
CHANGING_DIRECTORY = frozenset(("cd", "pushd", "popd"))
STATEFUL = frozenset(
    (*RUNNING, *CLOBBERING, *DECLARING, *CHANGING_DIRECTORY, "export", "set", "alias", "command", "builtin", "exec")
)
GLOBBING = frozenset(("shopt", "setopt", "unsetopt"))
HIDDEN_NAMES = ("dotglob", "GLOBIGNORE", "GLOB_DOTS", "globdots")
# What is a number, whatever it is, where no function or PATH makes `nproc` another program.
COUNTING = frozenset(("$(nproc)", "`nproc`"))
# A pipeline runs as a whole, if what stands before it by `&&` has succeeded.
CONTINUING = frozenset(("&&", "|", "|&"))
MAX_DIRECTORIES = 4
# Values beyond this are not followed: `a=$a$a`, repeated, would double what is kept each time.
MAX_VALUE = 256
MAX_PARTS = 8


class State:
    """One shell's knowledge at one moment. cwds: where it may be (empty: not known). hidden: globs may find hidden files; caseless: and
    names in another case than is written.
    odd_splitting: IFS is set somewhere; odd_numbers: `nproc` may be another program; odd_cd: variables are set that lead
    `cd` elsewhere. stdin: what `exec` made of standard input."""

    __slots__ = (
        "alternatives",
        "caseless",
        "conditional",
        "cwds",
        "exported",
        "hidden",
        "odd_cd",
        "odd_numbers",
        "odd_splitting",
        "stdin",
        "variables",
    )

    def __init__(self, cwds: tuple[str, ...], variables: dict[str, Word]) -> None:
        self.cwds = cwds
        self.variables = variables
        self.exported: tuple[Assignment, ...] = ()
        self.hidden = self.caseless = self.odd_cd = self.odd_splitting = self.odd_numbers = False
        self.stdin: Word | None = None
        # What a `cd` or an assignment behind `&&` replaced: true again when the list goes on without it.
        self.alternatives: tuple[str, ...] = ()
        self.conditional: set[str] = set()

    def copy(self) -> State:
        """The state of a subshell."""
        twin = State(self.cwds, dict(self.variables))
        twin.exported = self.exported
        twin.hidden, twin.odd_cd, twin.odd_splitting = self.hidden, self.odd_cd, self.odd_splitting
        twin.caseless, twin.odd_numbers = self.caseless, self.odd_numbers
        twin.stdin = self.stdin
        twin.alternatives = self.alternatives
        twin.conditional = set(self.conditional)
        return twin

    def note_globbing(self, text: str, script: Script) -> None:
        """Before a script that may change what globs find: bash(1) "The Shopt Builtin", dotglob, nocaseglob, GLOBIGNORE; zsh: GLOB_DOTS."""
        words = [command.argv[1:] for command in script.commands if command.argv and command.argv[0] in GLOBBING]
        said = [text, *[word if isinstance(word, str) else "" for row in words for word in row]]
        unclear = any(not isinstance(word, str) for row in words for word in row)
        self.hidden |= unclear or any(name in part for part in said for name in HIDDEN_NAMES)
        self.caseless |= unclear or any("nocaseglob" in part or "nocase_glob" in part.lower() for part in said)

    def settle(self, after: str) -> None:
        """Before a command that follows neither by `&&` nor in the same pipeline: what was conditional is no longer certain."""
        if after in CONTINUING:
            return
        if self.alternatives:
            self.cwds = merged_directories([self.cwds, self.alternatives])
            self.alternatives = ()
        for name in self.conditional:
            self.variables[name] = unknown_value(name)
        self.conditional.clear()

    def enter(self, cwds: tuple[str, ...]) -> None:
        """After `cd`: it is there, or, if that failed, where it was."""
        self.alternatives = tuple(dict.fromkeys((*self.alternatives, *self.cwds)))
        self.cwds = cwds

    def forget(self) -> None:
        """After code that is not followed: nothing is known any more."""
        for name in (*self.variables, "HOME", "PWD"):
            self.variables[name] = unknown_value(name)
        self.cwds, self.alternatives = (), ()

    def assign(self, assignment: Assignment, value: Word, certain: bool) -> None:
        """After `NAME=value`. Appending and arrays are not followed."""
        name = assignment.name
        followed = not (assignment.append or assignment.array) and _is_short(value)
        self.variables[name] = value if followed else unknown_value(name)
        if not certain:
            self.conditional.add(name)


def _is_short(value: Word) -> bool:
    if isinstance(value, str):
        return len(value) <= MAX_VALUE
    return len(value.parts) <= MAX_PARTS and len(value.source) <= MAX_VALUE


def unknown_value(name: str) -> Partial:
    """A word whose whole text is not known."""
    return Partial((Hole("unknown", f"${name}", name, True),), f"${name}")


def is_stateless(script: Script) -> bool:
    """Whether no command of the script changes what a later one is seen with, so that nothing has to be followed."""
    commands = script.commands
    if len(commands) == 1:
        return True
    for command in commands:
        argv = command.argv
        if command.assignments or not argv or type(argv[0]) is not str or argv[0] in STATEFUL:
            return False
    return True


def has_namerefs(script: Script) -> bool:
    """Whether a variable may stand for another one (`declare -n`), so that setting it sets that."""
    return any(
        command.argv[0] in DECLARING
        and any(not isinstance(word, str) or (word[:1] == "-" and "n" in word) for word in command.argv[1:])
        for command in script.commands
        if command.argv
    )


def is_steady(script: Script, text: str) -> bool:
    """Whether the script goes from top to bottom, so that variables can be followed: no loops, functions, arithmetic or expansions
    that assign."""
    if has_namerefs(script) or script.functions or "((" in text or "$[" in text or ":=" in text or "=}" in text:
        return False
    return not any([place.kind in REPEATING for command in script.commands for place in command.context])


def meaningful_assignments(command: SimpleCommand) -> tuple[Assignment, ...]:
    """The assignments in front of a command; without the IFS of `read`, which says how this one line is split."""
    assignments = command.assignments
    if len(assignments) == 1 and assignments[0].name == "IFS" and command.argv and command.argv[0] == "read":
        return ()
    return assignments


def may_evaluate(script: Script, names: frozenset[str]) -> bool:
    """Whether a script calculates, or has a builtin among `names` beside other commands: values may be evaluated in it."""
    if script.evaluated:
        return True
    return len(script.commands) > 1 and any([item.argv and item.argv[0] in names for item in script.commands])


def wanders(script: Script) -> bool:
    """Whether a loop or function changes the directory, or code that is not followed may."""
    for command in script.commands:
        name = command.argv[0] if command.argv else ""
        repeated = is_repeated(command.context)
        if repeated and (name in CHANGING_DIRECTORY or name in RUNNING or type(name) is not str):
            return True
    return False


def is_repeated(context: tuple[Context, ...]) -> bool:
    """Whether a command may run again in the same copy of the shell."""
    if not context:
        return False
    kinds = [place.kind for place in context]
    copied = max([at for at, kind in enumerate(kinds) if kind in ISOLATING], default=-1)
    return any(kind in REPEATING for kind in kinds[copied + 1 :])


def merged_directories(found: list[tuple[str, ...]]) -> tuple[str, ...]:
    """Where a shell may be that is in one of several places; empty when that is not known, or are too many."""
    merged = tuple(dict.fromkeys([cwd for cwds in found for cwd in cwds]))
    return merged if all(found) and len(merged) <= MAX_DIRECTORIES else ()


def isolation(context: tuple[Context, ...]) -> tuple[int, ...]:
    """The copies of the shell that a command runs in, outermost first."""
    return tuple([place.id for place in context if place.kind in ISOLATING]) if context else ()


def is_certain(command: SimpleCommand) -> bool:
    """Whether the command surely runs if its list is reached."""
    return command.after in ("", ";", "&") and not any([place.kind == "branch" for place in command.context])


def fill(word: Word, state: State, home: str) -> Word:
    """The word with the variables and tildes filled in that are known for certain."""
    if type(word) is str:
        return word
    assert isinstance(word, Partial)
    if state.caseless and any(not isinstance(part, str) and part.kind == "glob" for part in word.parts):
        return unknown_value(word.source)
    parts: list[str | Hole] = []
    for part in word.parts:
        parts.extend([part] if isinstance(part, str) else _fill_hole(part, state, home))
    merged = _merge(parts)
    if not merged:
        return ""
    if len(merged) == 1 and isinstance(merged[0], str):
        return merged[0]
    return Partial(tuple(merged), word.source)


def _fill_hole(hole: Hole, state: State, home: str) -> list[str | Hole]:
    value: Word | None = None
    if hole.text in COUNTING and not (state.odd_numbers or state.odd_splitting or state.exported):
        return [hole._replace(kind="arith", many=False)]
    if hole.kind == "glob" and state.hidden:
        return [hole._replace(kind="unknown")]
    if hole.kind == "tilde" and hole.text == "~":
        value = state.variables.get("HOME", home or None)
        return list(_parts(value)) if value is not None else [hole]
    if hole.kind == "tilde" and hole.text == "~+":
        value = state.variables.get("PWD")
    if hole.kind == "param" and hole.name:
        value = state.variables.get(hole.name)
        if value is None and hole.name == "HOME":
            value = home or None
        if value is None and hole.name == "PWD" and len(state.cwds) == 1:
            value = state.cwds[0]
    if value is None or (hole.many and (state.odd_splitting or _splits(value))):
        return [hole]
    if not hole.many:  # in quotes, what it holds stays one word
        return [part if isinstance(part, str) else part._replace(many=False) for part in _parts(value)]
    return list(_parts(value))


def _parts(value: Word) -> tuple[str | Hole, ...]:
    return (value,) if isinstance(value, str) else value.parts


def _splits(value: Word) -> bool:
    """Whether an unquoted expansion to this value is subject to word splitting or globbing (bash(1) "Word Splitting")."""
    return not isinstance(value, str) or not value or any(mark in " \t\n*?[\\" for mark in value)


def _merge(parts: list[str | Hole]) -> list[str | Hole]:
    out: list[str | Hole] = []
    for part in parts:
        if isinstance(part, str) and out and isinstance(out[-1], str):
            out[-1] += part
        elif part != "":
            out.append(part)
    return out


def behind_builtin(argv: tuple[Word, ...]) -> tuple[Word, ...]:
    """The command that `command` or `builtin` runs in this very shell (bash(1) "SHELL BUILTIN COMMANDS")."""
    while len(argv) > 1 and argv[0] in ("command", "builtin"):
        argv = argv[1:]
        while len(argv) > 1 and argv[0] in ("-p", "--"):
            argv = argv[1:]
    return argv


def state_at(scopes: dict[tuple[int, ...], State], path: tuple[int, ...]) -> State:
    """The state of the shell copy at `path`, made from the nearest one around it when first met."""
    state = scopes.get(path)
    if state is None:
        state = scopes[path] = state_at(scopes, path[:-1]).copy()
    return state
