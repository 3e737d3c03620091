"""Shell text -> units: every simple command that could run, with what it touches. Reads the file system only to resolve paths.

What is not understood becomes an opaque unit, whose facts are all unknown; nothing is dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from remit.accesses import (
    Places,
    code_accesses,
    is_pipe,
    possible_accesses,
    redirection_accesses,
    role_accesses,
    value_part,
)
from remit.facts import Access, Analysis, Inner, Unit
from remit.knowledge import analyse
from remit.match_shell import bare_program, may_name, names_program
from remit.nests import Nest
from remit.shell import split
from remit.shell.braces import expand
from remit.shell.commands import Assignment, Context, Redirection, Script, SimpleCommand
from remit.shell.words import Partial, Word
from remit.shell_state import (
    CHANGING_DIRECTORY,
    CLOBBERING,
    DECLARING,
    RUNNING,
    State,
    behind_builtin,
    fill,
    is_certain,
    is_stateless,
    is_steady,
    isolation,
    state_at,
    unknown_value,
    wanders,
)
from remit.spellings import all_declared, runs_by_option, runs_operands
from remit_dsl.globs import glob_matches
from remit_dsl.index import base_name
from remit_dsl.plans import ANY_WORDS
from remit_dsl.program import Program

MAX_UNITS = 512
MAX_DEPTH = 4
MAX_POSSIBLE_COMMANDS = 8
NO_KNOWLEDGE: Mapping[str, Any] = {}
DIALECTS = {"sh": "sh", "dash": "sh", "zsh": "zsh"}
EXPORTING = frozenset(("export", *DECLARING))
UNKNOWN_WORDS = unknown_value("…")
EVERY_KIND = ("fs.read", "fs.write", "fs.delete", "net.connect", "exec")


# Inside of these, standard input may be a pipe or a file that a redirection of the whole gives.
COMPOUND = frozenset(("group", "subshell", "loop", "branch", "function", "process", "coproc"))
OWN_INPUT = frozenset(("/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"))
PIPES = frozenset(("|", "|&"))
# Builtins that evaluate what is assigned or tested once more: `test -v 'a[$(id)]'` runs id (bash(1) "ARITHMETIC EVALUATION").
EVALUATING = frozenset(
    ("test", "[", "read", "let", "unset", "mapfile", "readarray", "getopts", "wait", "compgen", "export", *DECLARING)
)


class ShellObserver:
    """Collects the units of one shell call."""

    def __init__(self, program: Program, places: Places, cwds: tuple[str, ...]) -> None:
        self.program = program
        self.places = places
        self.cwds = cwds
        self.units: list[Unit] = []
        self.functions: frozenset[str] = frozenset()
        index = program.tables["index"]
        self.ruled_programs = index["shell"]
        self.caps = index["caps"]

    # --- scripts ---------------------------------------------------------------------------------------------

    def script(self, text: str, dialect: str, nest: Nest, outer: State | None = None) -> None:
        """Add the units of a script's text. outer: the state of the shell that runs it, if it is a child of one we follow."""
        if nest.depth > MAX_DEPTH:
            self.opaque("unwrapping depth", text, nest)
            return
        found = split(text, dialect)
        if found.functions:
            self.functions |= frozenset(found.functions)
        state = State(outer.cwds if outer is not None else self.cwds, {})
        if outer is not None:
            state.exported = outer.exported
        # bash(1) "The Shopt Builtin", dotglob and GLOBIGNORE; for zsh: GLOB_DOTS.
        state.odd_splitting = "IFS" in text
        state.odd_cd = "CDPATH" in text or "cdable_vars" in text
        state.hidden = "glob" in text.lower() and any(
            word in text for word in ("dotglob", "GLOBIGNORE", "GLOB_DOTS", "globdots")
        )
        if is_stateless(found):
            for command in found.commands:
                self._command(command, state, nest)
        else:
            self._followed(found, text, state, nest)
        for piece in found.opaque:
            self.opaque(piece.construct, text[piece.start : piece.end], nest)

    def _followed(self, found: Script, text: str, top: State, nest: Nest) -> None:
        """The units of a script whose commands change what the shell knows, one after the other."""
        steady = is_steady(found, text)
        if not steady:
            self._forget(found.commands, top)
        if wanders(found):
            top.cwds = ()
        scopes: dict[tuple[int, ...], State] = {(): top}
        for command in found.commands:
            state = state_at(scopes, isolation(command.context))
            state.settle(command.after)
            argv = self._command(command, state, nest)
            self._effects(command, argv, state, steady, nest)

    def _forget(self, commands: tuple[SimpleCommand, ...], state: State) -> None:
        """Variables that the script sets somewhere are not known anywhere in it."""
        for command in commands:
            for assignment in command.assignments:
                state.variables[assignment.name] = unknown_value(assignment.name)
            for word in command.argv[1:]:
                self._forget_name(str(word).partition("=")[0], state)

    def _forget_name(self, name: str, state: State) -> None:
        """A variable has a value that is not known; one that changes what runs makes every later command another one."""
        if name.isidentifier():
            state.variables[name] = unknown_value(name)
            if self._runs(name):
                state.exported = (*state.exported, Assignment(name, state.variables[name], False, False))

    def opaque(self, construct: str, text: str, nest: Nest) -> None:
        """Add a piece that was not understood: it may do anything."""
        anything = tuple([Access(kind, None, None, None, False, True, -1) for kind in EVERY_KIND])
        self._add(
            Unit("opaque", text[:200], accesses=anything, construct=construct, context=nest.context,
                 parent=nest.parent, parent_index=nest.place, sure=nest.sure)
        )  # fmt: skip

    def _add(self, unit: Unit) -> int:
        if len(self.units) > MAX_UNITS:
            return len(self.units) - 1
        if len(self.units) == MAX_UNITS:
            unit = Unit("opaque", unit.text[:200], construct="too many commands")
        self.units.append(unit)
        return len(self.units) - 1

    # --- simple commands -------------------------------------------------------------------------------------

    def _command(self, command: SimpleCommand, state: State, nest: Nest) -> tuple[Word, ...]:
        """Add the units of a command; its words, filled in."""
        argv = self._words(command.argv, state)
        context = command.context
        inner = _inside(nest, context) if context else nest
        stdin = self._stdin(command, state, nest)
        if stdin is not inner.stdin:
            inner = Nest(inner.parent, inner.place, inner.depth, inner.sure, inner.context, stdin)
        environment = state.exported
        if command.assignments:
            environment = self._environment(command.assignments, state, bool(argv), inner) + environment
        self.simple(argv, environment, command.redirections, state, inner)
        return argv

    def _stdin(self, command: SimpleCommand, state: State, nest: Nest) -> Word | None:
        """The text on a command's standard input: of its own redirection, of the pipe before it, or of what is around it."""
        for item in reversed(command.redirections):
            if item.fd in ("", "0") and item.op.startswith("<"):
                return fill(item.target, state, self.places.roots.home) if item.op.startswith("<<") else UNKNOWN_WORDS
        if command.after in PIPES or any(place.kind in COMPOUND for place in command.context):
            return UNKNOWN_WORDS
        return state.stdin if state.stdin is not None else nest.stdin

    def _words(self, argv: tuple[Word, ...], state: State) -> tuple[Word, ...]:
        """The words with braces spelled out and known values filled in."""
        if all([type(word) is str for word in argv]):
            return argv
        home = self.places.roots.home
        found: list[Word] = []
        for word in argv:
            found.extend([word] if type(word) is str else [fill(part, state, home) for part in expand(word)])
        return tuple([word if type(word) is str else self._plain_glob(word, state) for word in found])

    def _plain_glob(self, word: Word, state: State) -> Word:
        """`*.o` as `./*.o` where the folder holds no name that could be taken for an option, and nothing before could have made one."""
        assert isinstance(word, Partial)
        first = word.parts[0]
        if isinstance(first, str) or first.kind != "glob" or len(state.cwds) != 1 or self._has_written():
            return word
        if self.places.has_options(state.cwds[0]):
            return word
        return Partial(("./", *word.parts), word.source)

    def _has_written(self) -> bool:
        harmless = ("fs.read", "exec")
        return any(not unit.known or any(a.kind not in harmless for a in unit.accesses) for unit in self.units)

    def _environment(
        self, assignments: tuple[Assignment, ...], state: State, prefix: bool, nest: Nest
    ) -> tuple[Assignment, ...]:
        """The assignments that matter: in front of a command all but harmless ones, else those that change what runs."""
        kept: list[Assignment] = []
        for assignment in assignments:
            value = fill(assignment.value, state, self.places.roots.home)
            item = assignment._replace(value=value)
            if self._harmless(item):
                continue
            runs = self._runs(item.name)
            if runs:
                self._run_value(value, nest)
            if runs or prefix:
                kept.append(item)
        return tuple(kept)

    def _run_value(self, value: Word, nest: Nest) -> None:
        """A variable whose value other programs run as a command (PAGER, BASH_ENV, …)."""
        inner = Nest(nest.parent, nest.place, nest.depth + 1, False, (*nest.context, "environment"))
        if type(value) is str:
            if value:
                self.script(value, "sh", inner)
        else:
            self.opaque("dynamic script", str(value), inner)

    def _runs(self, name: str) -> bool:
        return any(glob_matches(glob, name) for glob in self.program.env_runs)

    def _harmless(self, assignment: Assignment) -> bool:
        value = assignment.value
        if assignment.append or assignment.array:
            return False
        return any(
            glob_matches(name, assignment.name)
            and (allowed is None or (type(value) is str and glob_matches(allowed, value)))
            for name, allowed in self.program.env_harmless
        )

    def simple(
        self,
        argv: tuple[Word, ...],
        environment: tuple[Assignment, ...],
        redirections: tuple[Redirection, ...],
        state: State,
        nest: Nest,
    ) -> None:
        """Add the unit of one simple command, then the units inside it."""
        places = self.places.at(state.cwds)
        accesses = redirection_accesses(redirections, places, state) if redirections else ()
        if not argv:
            text = " ".join([f"{item.name}={item.value}" for item in environment])
            self._add(
                Unit("command", text, known=True, assignments=environment, accesses=accesses, inert=True,
                     context=nest.context, parent=nest.parent, parent_index=nest.place, sure=nest.sure)
            )  # fmt: skip
            return
        name, program, spec, analysis, known = argv[0], None, None, None, False
        if type(name) is str:
            program = name if "/" not in name else base_name(name)
            spec = self.program.spec(program) if program not in self.functions else None
            analysis = analyse(spec or NO_KNOWLEDGE, argv)
            known = spec is not None and analysis.known and (program is name or bare_program(name) is not None)
        accesses = (*self._own_accesses(argv, analysis, known, places), *accesses)
        if analysis is not None and analysis.inner:
            accesses += self._input_accesses(analysis, nest, places)
        inert = known and analysis is not None and analysis.inert
        at = self._add(
            Unit("command", join_text(argv), argv, program, analysis, known, environment, accesses, nest.context,
                 "", False, inert, nest.parent, nest.place, nest.sure)
        )  # fmt: skip
        if analysis is not None and analysis.inner:
            for item in analysis.inner:
                self._inner(item, analysis, program or "", state, nest, at)
            if known and _is_transparent(analysis) and len(self.units) > at + 1:
                self.units[at] = self.units[at]._replace(transparent=True)
        if analysis is not None:
            self._evaluated(argv, program or "", analysis, state, nest, at)
        if nest.sure and (analysis is None or (not known and _may_run_words(spec, argv, analysis))):
            self._possible_commands(argv, spec is not None, state, nest, at)

    def _evaluated(
        self, argv: tuple[Word, ...], program: str, analysis: Analysis, state: State, nest: Nest, at: int
    ) -> None:
        """Literal data that the shell evaluates as code, and scripts that come out of a process substitution."""
        inner = Nest(at, -1, nest.depth + 1, nest.sure, nest.context)
        if program in EVALUATING or (program == "printf" and "-v" in argv):
            for word in argv[1:]:
                if type(word) is str and ("$(" in word or "`" in word):
                    self.opaque("evaluated data", word, inner)
        for use in analysis.roles:
            if use.kind == "run" and is_pipe(use.word):
                self.opaque("dynamic script", str(use.word), inner)
            elif use.kind == "run" and use.word in OWN_INPUT and program in RUNNING:
                inner.stdin = nest.stdin
                self._shell_input(program, state, inner)

    def _own_accesses(
        self, argv: tuple[Word, ...], analysis: Analysis | None, known: bool, places: Places
    ) -> tuple[Access, ...]:
        run = Access("exec", None, None, argv[0], True, False, -1)
        if analysis is None:
            return (run, *possible_accesses(argv[1:], places, self.caps))
        accesses = role_accesses(analysis, places, self.caps) if analysis.roles else ()
        if known:
            return (run, *accesses)
        spoken = {access.place for access in accesses}
        others = tuple([word for at, word in enumerate(argv) if at and at not in spoken])
        return (run, *accesses, *possible_accesses(others, places, self.caps))

    def _input_accesses(self, analysis: Analysis, nest: Nest, places: Places) -> tuple[Access, ...]:
        """What a heredoc or here-string that an interpreter reads may touch."""
        languages = [item.language for item in analysis.inner if item.kind == "input" and item.language != "shell"]
        return code_accesses(languages[0], nest.stdin, places) if languages and type(nest.stdin) is str else ()

    def _possible_commands(self, argv: tuple[Word, ...], declared: bool, state: State, nest: Nest, at: int) -> None:
        """An unknown program may run what its words spell: every word that names a program of a rule may start a command, and so may,
        unless the program is declared and only its options are not known, a word with holes. Beyond the limit nothing is known."""
        count = 0
        for place in range(1, len(argv)):
            word = value_part(argv[place])
            if word == "" or (declared and type(word) is not str) or not self._may_start(word):
                continue
            count += 1
            full = count > MAX_POSSIBLE_COMMANDS or nest.depth >= MAX_DEPTH
            tail = (UNKNOWN_WORDS,) if full else (word, *argv[place + 1 :])
            self.simple(tail, (), (), state, Nest(at, place, nest.depth + 1, False, nest.context, nest.stdin))
            if full:
                break

    def _may_start(self, word: Word) -> bool:
        """Whether a word may be a program that some rule names, or one that runs others."""
        if type(word) is str:
            name = base_name(word)
            spec = self.program.spec(name)
            if name in self.ruled_programs or (spec is not None and runs_operands(spec)):
                return True
        if isinstance(word, Partial) and self.ruled_programs and may_name(word, self.ruled_programs):
            return True
        sets = self.program.tables["sets"]
        return any([names_program(element, word, sets) for element in self._ruled_globs()])

    def _ruled_globs(self) -> Iterable[Any]:
        """The programs of shell patterns that do not spell them: globs and sets. (A leading `*` has met the words before.)"""
        for rule, target in self.program.tables["index"]["shell_any"]:
            words = self.program.rule(rule).targets[target].patterns[0].words
            if words and words[0] != ANY_WORDS:
                yield words[0]

    # --- commands inside commands ----------------------------------------------------------------------------

    def _inner(self, item: Inner, analysis: Analysis, program: str, state: State, nest: Nest, at: int) -> None:
        context = (*nest.context, f"wrapper:{program}")
        inner = Nest(at, item.place, nest.depth + 1, nest.sure and item.sure, context, nest.stdin)
        if item.kind == "command":
            words = (*item.words, UNKNOWN_WORDS) if item.dynamic else item.words
            if not words:
                return
            if inner.depth > MAX_DEPTH:
                self.opaque("unwrapping depth", join_text(words), inner)
                return
            self.simple(words, state.exported + self._assigned(analysis, inner), (), state, inner)
        elif item.kind == "shell":
            self._shell_text((*item.words, "$@") if item.dynamic else item.words, program, state, inner)
        elif item.kind == "input" and item.language == "shell":
            self._shell_input(program, state, inner)

    def _assigned(self, analysis: Analysis, nest: Nest) -> tuple[Assignment, ...]:
        """The environment that a wrapper's own operands set for what it runs (`env NAME=value command`)."""
        found: list[Assignment] = []
        for use in analysis.roles:
            if use.kind == "assign":
                name, _, value = str(use.word).partition("=")
                known: Word = value if type(use.word) is str else use.word
                found.append(Assignment(name, known, False, False))
        return self._environment(tuple(found), State((), {}), True, nest)

    def _shell_text(self, words: tuple[Word, ...], program: str, state: State, nest: Nest) -> None:
        if all(type(word) is str for word in words):
            text = " ".join([str(word) for word in words])
            self.script(text, DIALECTS.get(program, "bash"), nest, state)
        else:
            self.opaque("dynamic script", join_text(words), nest)

    def _shell_input(self, program: str, state: State, nest: Nest) -> None:
        """What standard input gives a shell to run: a heredoc or here-string that is known, else something that is not."""
        if type(nest.stdin) is str:
            self.script(nest.stdin, DIALECTS.get(program, "bash"), nest, state)
        elif nest.stdin is not None:
            self.opaque("dynamic script", f"what {program} reads", nest)

    # --- what a command changes for those behind it ----------------------------------------------------------

    def _effects(self, command: SimpleCommand, argv: tuple[Word, ...], state: State, steady: bool, nest: Nest) -> None:
        """What the command leaves behind. In a pipeline that is lost, and not followed between its elements either."""
        if any(place.kind == "pipeline" for place in command.context):
            self._lose(command, argv, state)
            return
        certain = is_certain(command)
        if not argv:
            for assignment in command.assignments:
                value = fill(assignment.value, state, self.places.roots.home) if steady else unknown_value("")
                state.assign(assignment, value, certain)
            return
        argv = behind_builtin(argv)
        name = argv[0]
        if type(name) is not str or name in RUNNING:
            state.forget()
        elif name in ("cd", "pushd"):
            self._change_directory(argv, state)
        elif name == "popd":
            state.cwds, state.alternatives = (), ()
        elif name in EXPORTING:
            self._export(argv, state, steady and certain, nest)
        elif name in CLOBBERING:
            self._forget((command,), state)
        elif name == "exec" and len(argv) == 1:
            state.stdin = UNKNOWN_WORDS
        elif name == "set" and any(type(w) is not str or (w.startswith("-") and "a" in w) for w in argv[1:]):
            state.exported = (*state.exported, Assignment("…", UNKNOWN_WORDS, False, False))

    def _lose(self, command: SimpleCommand, argv: tuple[Word, ...], state: State) -> None:
        name = behind_builtin(argv)[0] if argv else ""
        if type(name) is not str or name in RUNNING:
            state.forget()
        elif name in CHANGING_DIRECTORY:
            state.cwds, state.alternatives = (), ()
        if command.assignments or name in EXPORTING or name in CLOBBERING:
            self._forget((command,), state)

    def _change_directory(self, argv: tuple[Word, ...], state: State) -> None:
        if state.odd_cd:
            state.cwds, state.alternatives = (), ()
            return
        operands: list[Word] = [
            word for word in argv[1:] if type(word) is not str or not word.startswith("-") or word == "-"
        ]
        if not operands and argv[0] == "cd":
            operands = [self.places.roots.home or UNKNOWN_WORDS]
        if len(operands) != 1 or type(operands[0]) is not str or operands[0] == "-":
            state.enter(())
            state.alternatives = ()
            return
        state.enter(self.places.at(state.cwds).folders(operands[0]))

    def _export(self, argv: tuple[Word, ...], state: State, followed: bool, nest: Nest) -> None:
        """`export NAME=value` holds for every command behind it; a declaration without -x only sets a variable."""
        exports = argv[0] == "export" or any(type(w) is not str or (w.startswith("-") and "x" in w) for w in argv[1:])
        for word in argv[1:]:
            text = word if type(word) is str else word.prefix if isinstance(word, Partial) else ""
            name, equals, value = text.partition("=")
            if type(word) is str and not name.isidentifier():
                continue
            known: Word = value if type(word) is str and equals else unknown_value(name)
            if type(word) is str and not equals:
                known = state.variables.get(name, known)
            item = Assignment(name if equals or type(word) is str else "…", known, False, False)
            if equals:
                state.assign(item, known if followed else unknown_value(name), True)
            if exports or self._runs(item.name):
                state.exported = (*state.exported, *self._environment((item,), state, True, nest))


def _may_run_words(spec: Mapping[str, Any] | None, argv: tuple[Word, ...], analysis: Analysis) -> bool:
    """Whether a word of the command may start another one: its program is not declared, runs what an option names, or has an option that
    nobody declared."""
    if spec is None or runs_by_option(spec):
        return True
    subcommands = [str(argv[place]) for place in analysis.subcommands]
    return not all_declared(spec, subcommands, [option.name for option in analysis.options])


def _inside(nest: Nest, context: tuple[Context, ...]) -> Nest:
    kinds = tuple([place.kind for place in context])
    return Nest(nest.parent, nest.place, nest.depth, nest.sure, (*nest.context, *kinds), nest.stdin)


def _is_transparent(analysis: Analysis) -> bool:
    """Whether the command does nothing but run what its inner units say, as the same user in the same place."""
    return not analysis.acts and all(item.transparent and item.kind != "code" for item in analysis.inner)


def join_text(words: tuple[Word, ...]) -> str:
    """Canonical text: words joined by one space, quotes removed."""
    try:
        return " ".join(words)  # type: ignore[arg-type]
    except TypeError:  # a word with holes
        return " ".join([str(word) for word in words])
