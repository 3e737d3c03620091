"""Shell text -> units: every simple command that could run, with what it touches. Reads the file system only to resolve paths.

What is not understood becomes an opaque unit, whose facts are all unknown; nothing is dropped.
"""

from __future__ import annotations

from remit.accesses import (
    NARROWING,
    Places,
    environment_accesses,
    input_accesses,
    is_pipe,
    places_entered,
    possible_accesses,
    redirection_accesses,
    role_accesses,
)
from remit.facts import Access, Analysis, Inner, Unit
from remit.held_commands import UNKNOWN_WORDS, held_commands, may_run_words, possible_commands, ruled_of
from remit.knowledge import analyse
from remit.loops import Loop, known_loops, rounds
from remit.match_shell import bare_program
from remit.nests import Nest, has_written, inside, is_handed_on, is_transparent
from remit.plain_units import plain_units_of
from remit.shell import split
from remit.shell.commands import Assignment, Redirection, Script, SimpleCommand
from remit.shell.words import Partial, Word, is_glob
from remit.shell_state import (
    CHANGING_DIRECTORY,
    CLOBBERING,
    DECLARING,
    EVALUATING,
    NAMING,
    RUNNING,
    State,
    behind_builtin,
    fill,
    is_certain,
    is_repeated,
    is_stateless,
    is_steady,
    isolation,
    may_evaluate,
    meaningful_assignments,
    merged_directories,
    state_at,
    unknown_value,
    wanders,
)
from remit_dsl.index import base_name
from remit_dsl.program import Program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

MAX_UNITS = 512
MAX_DEPTH = 4
NO_KNOWLEDGE: Mapping[str, Any] = {}
DIALECTS = {"sh": "sh", "dash": "sh", "zsh": "zsh"}
EXPORTING = frozenset(("export", *DECLARING))
EVERY_KIND = ("fs.read", "fs.write", "fs.delete", "net.connect", "exec")

# Inside of these, standard input may be a pipe or a file that a redirection of the whole gives.
COMPOUND = frozenset(("group", "subshell", "loop", "branch", "function", "process", "coproc"))
OWN_INPUT = frozenset(("/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"))
PIPES = frozenset(("|", "|&"))
# Those, and the ones that run text in this very shell: their words are more than what they touch.
APART = NAMING | RUNNING


class ShellObserver:
    """Collects the units of one shell call."""

    def __init__(self, program: Program, places: Places, cwds: tuple[str, ...]) -> None:
        self.program = program
        self.places = places
        self.cwds = cwds
        self.units: list[Unit] = []
        self.functions: frozenset[str] = frozenset()
        self.ruled = ruled_of(program)
        self.caps = program.tables["index"]["caps"]
        self.plain = plain_units_of(program, APART)
        self.last: tuple[SimpleCommand, int] | None = None  # the command before, and its unit

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
            state.hidden, state.caseless = outer.hidden, outer.caseless
        state.odd_splitting, state.odd_numbers = "IFS" in text, "nproc" in self.functions or "alias" in text
        state.odd_cd = "CDPATH" in text or "cdable_vars" in text
        if "glob" in text.lower() or "shopt" in text or "setopt" in text:
            state.note_globbing(text, found)
        if is_stateless(found) and not found.sets:
            for command in found.commands:
                self._command(command, state, nest)
        else:
            self._followed(found, text, state, nest)
        for piece in found.opaque:
            self.opaque(piece.construct, text[piece.start : piece.end], nest)
        if may_evaluate(found, NAMING):
            from remit.evaluated import evaluated_data  # few scripts calculate

            data = evaluated_data(found)
            if data:
                self.opaque("evaluated data", data, nest)

    def _followed(self, found: Script, text: str, top: State, nest: Nest) -> None:
        """The units of a script whose commands change what the shell knows, one after the other."""
        steady = is_steady(found, text)
        if not steady:
            self._forget(found.commands, top)
        if wanders(found):
            top.cwds = ()
        loops = known_loops(found, top, self.places.roots.home) if found.sets else {}
        for item in found.sets:
            self._forget_name(item.name, top)
        scopes: dict[tuple[int, ...], State] = {(): top}
        for command in found.commands:
            state = state_at(scopes, isolation(command.context))
            state.settle(command.after)
            if loops:
                self._rounds(command, loops, state, nest)
                continue
            argv = self._command(command, state, nest)
            self._effects(command, argv, state, steady, nest)

    def _rounds(self, command: SimpleCommand, loops: dict[int, Loop], state: State, nest: Nest) -> None:
        """The units of a command for each value of the loops around it. Where it leads a copy of the shell to is where any of them does."""
        start, ends = state.cwds, []
        for values in rounds(command, loops):
            state.cwds = start
            state.variables.update(values)
            self.last = None
            argv = self._command(command, state, nest)
            self._effects(command, argv, state, False, nest)
            ends.append(state.cwds)
            for name in values:
                state.variables[name] = unknown_value(name)
        if len(set(ends)) > 1:
            state.cwds = () if is_repeated(command.context) else merged_directories(ends)

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
        argv = command.argv
        before, at = self.last, len(self.units)
        self.last = None
        if argv and not (command.assignments or state.exported or argv[0] in self.functions):
            unit = self.plain.unit(command, self.places.at(state.cwds), state, nest)
            if unit is not None:
                self.last = (command, self._add(unit))
                return argv
        argv = self._words(argv, state)
        context = command.context
        inner = inside(nest, context) if context else nest
        stdin = self._stdin(command, state, nest)
        if stdin is not inner.stdin:
            inner = Nest(inner.parent, inner.place, inner.depth, inner.sure, inner.context, stdin)
            if before is not None and before[1] < len(self.units) and is_handed_on(before[0], command):
                inner.before = self.units[before[1]]
        environment = state.exported
        assignments = meaningful_assignments(command)
        if assignments:
            environment = self._environment(assignments, state, bool(argv), inner) + environment
        self.simple(argv, environment, command.redirections, state, inner)
        self.last = (command, at)
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
        from remit.shell.braces import expand

        home = self.places.roots.home
        found: list[Word] = []
        for word in argv:
            found.extend([word] if type(word) is str else [fill(part, state, home) for part in expand(word)])
        return tuple([word if type(word) is str else self._plain_glob(word, state) for word in found])

    def _plain_glob(self, word: Word, state: State) -> Word:
        """`*.o` as `./*.o`, and `--include=*.o` as it is written, where the folder holds no name that could be taken for an option, and
        nothing before could have made one."""
        assert isinstance(word, Partial)
        first, option = word.parts[0], word.prefix.startswith("-") and is_glob(word)
        if (isinstance(first, str) or first.kind != "glob") and not option:
            return word
        if len(state.cwds) != 1 or has_written(self.units) or self.places.has_options(state.cwds[0]):
            return word
        if option:
            return "".join([part if isinstance(part, str) else part.text for part in word.parts])
        return Partial(("./", *word.parts), word.source)

    def _environment(
        self, assignments: tuple[Assignment, ...], state: State, prefix: bool, nest: Nest
    ) -> tuple[Assignment, ...]:
        """The assignments that matter: in front of a command all but harmless ones, else those that change what runs."""
        kept: list[Assignment] = []
        for assignment in assignments:
            value = fill(assignment.value, state, self.places.roots.home)
            item = assignment._replace(value=value)
            if self.ruled.is_harmless(item):
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
        return self.ruled.runs_variable(name)

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
        if environment and "net.connect" in self.caps:
            accesses += environment_accesses(environment)
        if analysis is not None and analysis.inner:
            accesses += input_accesses(analysis, nest.stdin, places)
        inert = known and analysis is not None and analysis.inert
        at = self._add(
            Unit("command", join_text(argv), argv, program, analysis, known, environment, accesses, nest.context,
                 "", False, inert, nest.parent, nest.place, nest.sure)
        )  # fmt: skip
        if analysis is not None and analysis.inner:
            for item in analysis.inner:
                self._inner(item, analysis, program or "", state, nest, at)
            if known and is_transparent(analysis) and len(self.units) > at + 1:
                self.units[at] = self.units[at]._replace(transparent=True)
        if analysis is not None:
            self._evaluated(argv, program or "", analysis, state, nest, at)
        if nest.sure and (analysis is None or (not known and may_run_words(spec, argv, analysis))):
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
        if nest.sure and (analysis.inner or analysis.roles):
            held = Nest(at, -1, nest.depth + 1, False, nest.context)
            for words in held_commands(argv, analysis, program, nest.stdin, self.ruled):
                self.simple(words, (), (), state, held)

    def _own_accesses(
        self, argv: tuple[Word, ...], analysis: Analysis | None, known: bool, places: Places
    ) -> tuple[Access, ...]:
        run = Access("exec", None, None, argv[0], True, False, -1)
        if analysis is None:
            return (run, *possible_accesses(argv[1:], places, self.caps))
        if known and any([option.name in NARROWING for option in analysis.options]):
            from remit.found_names import narrowed_roles  # nor do many narrow a search

            analysis = analysis._replace(roles=narrowed_roles(base_name(str(argv[0])), analysis, places))
        accesses = role_accesses(analysis, places, self.caps) if analysis.roles else ()
        if known:
            return (run, *accesses)
        spoken = {access.place for access in accesses}
        others = tuple([word for at, word in enumerate(argv) if at and at not in spoken])
        return (run, *accesses, *possible_accesses(others, places, self.caps))

    def _possible_commands(self, argv: tuple[Word, ...], declared: bool, state: State, nest: Nest, at: int) -> None:
        """Add what the words of a command may start, of which it is not known what it runs."""
        for place, words in possible_commands(argv, declared, self.ruled, nest.depth >= MAX_DEPTH):
            stdin = nest.stdin if place >= 0 else None
            self.simple(words, (), (), state, Nest(at, place, nest.depth + 1, False, nest.context, stdin))

    # --- commands inside commands ----------------------------------------------------------------------------

    def _inner(self, item: Inner, analysis: Analysis, program: str, state: State, nest: Nest, at: int) -> None:
        context = (*nest.context, f"wrapper:{program}")
        inner = Nest(at, item.place, nest.depth + 1, nest.sure and item.sure, context, nest.stdin)
        places = self.places.at(state.cwds)
        entered = places_entered(analysis, places)
        if entered is not places:  # `env -C folder command`
            state = state.copy()
            state.cwds = entered.cwds
        if item.kind == "command":
            for words in self._commands(item, nest, at, places):
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

    def _commands(self, item: Inner, nest: Nest, at: int, places: Places) -> tuple[tuple[Word, ...], ...]:
        """The commands that an inner one may be, with what is added to its words when it runs."""
        if not item.dynamic:
            return (item.words,)
        from remit.found_names import handed_words  # few commands find or are handed names

        found = None if has_written(self.units) else handed_words(item, self.units[at], nest.before, places)
        return ((*item.words, UNKNOWN_WORDS),) if found is None else found

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
        if any([place.kind == "pipeline" for place in command.context]):
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
        namerefs = any(type(w) is not str or (w.startswith("-") and "n" in w) for w in argv[1:])
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
                state.assign(item, known if followed and not namerefs else unknown_value(name), True)
                if type(word) is str and argv[0] in DECLARING and self._runs(value):  # a nameref: `declare -n p=PATH`
                    self._forget_name(value, state)
            if exports or self._runs(item.name):
                state.exported = (*state.exported, *self._environment((item,), state, True, nest))


def join_text(words: tuple[Word, ...]) -> str:
    """Canonical text: words joined by one space, quotes removed."""
    try:
        return " ".join(words)  # type: ignore[arg-type]
    except TypeError:  # a word with holes
        return " ".join([str(word) for word in words])
