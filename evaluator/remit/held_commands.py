"""Commands that the words of another may hold: words of a program that nobody declared, values that a program runs, source text.

What is found here is only possible. Of everything that could be meant, only what some rule could speak of is looked at. Pure.
"""

from __future__ import annotations

from remit.match_shell import may_name, names_program
from remit.mentions import mentions, spellings, value_parts
from remit.shell.commands import Assignment
from remit.shell.words import Partial, Word
from remit.shell_state import unknown_value
from remit.spellings import all_declared, runs_by_option, runs_operands
from remit_dsl.globs import glob_matches
from remit_dsl.index import base_name
from remit_dsl.plans import ANY_WORDS
from remit_dsl.program import Program, freeze

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from remit.facts import Analysis

MAX_POSSIBLE_COMMANDS = 8
MAX_KNOWN = 1024
UNKNOWN_WORDS = unknown_value("…")


class Ruled:
    """The programs that shell patterns of a program's rules speak of, and the variables whose values are run."""

    __slots__ = ("_known", "_sets", "_variables", "globs", "names", "program")

    def __init__(self, program: Program) -> None:
        self.program = program
        index = program.tables["index"]
        self.names: Mapping[str, Any] = index["shell"]
        self._sets = program.tables["sets"]
        # Words and variables that were asked about: what is answered follows from the program alone.
        self._known: dict[str, bool] = {}
        self._variables: dict[str, bool] = {}
        # Programs that are not spelled: globs and sets. (A leading `*` has met the words before.)
        # Read from the rows: making nouns of all these rules would take a hook a third of its time.
        rows = [program.tables["rules"][rule][3][target][2][0][0] for rule, target in index["shell_any"]]
        self.globs = [freeze(words[0]) for words in rows if words and words[0] != ANY_WORDS]

    def is_named(self, word: str) -> bool:
        """Whether some rule's pattern names the program."""
        known = self._known.get(word)
        if known is None:
            if len(self._known) >= MAX_KNOWN:
                self._known.clear()
            known = self._known[word] = base_name(word) in self.names or self._may_fit(word)
        return known

    def runs_variable(self, name: str) -> bool:
        """Whether the value of a variable of this name is run, or says what is."""
        known = self._variables.get(name)
        if known is None:
            if len(self._variables) >= MAX_KNOWN:
                self._variables.clear()
            known = self._variables[name] = any(glob_matches(glob, name) for glob in self.program.env_runs)
        return known

    def is_harmless(self, assignment: Assignment) -> bool:
        """Whether what the variable is set to changes nothing that matters."""
        value = assignment.value
        if assignment.append or assignment.array:
            return False
        return any(
            glob_matches(name, assignment.name)
            and (allowed is None or (type(value) is str and glob_matches(allowed, value)))
            for name, allowed in self.program.env_harmless
        )

    def may_be_named(self, word: Word) -> bool:
        """Whether a word, which may have holes, may name such a program."""
        if type(word) is str:
            return self.is_named(word)
        return (isinstance(word, Partial) and bool(self.names) and may_name(word, self.names)) or self._may_fit(word)

    def may_start(self, word: Word) -> bool:
        """Whether a word may be a program that some rule names, or one that runs others."""
        spec = self.program.spec(base_name(word)) if type(word) is str else None
        return (spec is not None and runs_operands(spec)) or self.may_be_named(word)

    def _may_fit(self, word: Word) -> bool:
        return any([names_program(element, word, self._sets) for element in self.globs])


def ruled_of(program: Program) -> Ruled:
    """The programs that the rules of `program` speak of; it follows from the program alone."""
    found = program.cache.get("ruled")
    if found is None:
        found = program.cache["ruled"] = Ruled(program)
    return found


def mentioned(text: str, ruled: Ruled) -> Iterator[tuple[Word, ...]]:
    """The commands that a text may hold which nobody reads as shell."""
    if ruled.names or ruled.globs:
        for words, whole in mentions(text, ruled.is_named):
            yield words if whole else (*words, UNKNOWN_WORDS)


def held_commands(
    argv: tuple[Word, ...], analysis: Analysis, program: str, stdin: Word | None, ruled: Ruled
) -> Iterator[tuple[Word, ...]]:
    """The commands that option values which are run, source text, and what is handed to it, may hold."""
    for use in analysis.roles:
        if use.kind == "run" and use.place not in analysis.operands:
            yield from _run_value(program, use.word, ruled)
    texts = [str(item.words[0]) for item in analysis.inner if item.kind == "code"]
    if any(item.kind == "input" and item.language not in ("shell", "patch") for item in analysis.inner):
        texts.append(str(stdin or ""))
    if texts:
        texts += [word for word in argv[1:] if type(word) is str and " " in word and word not in texts]
        yield from mentioned(" ".join(texts), ruled)


def _run_value(program: str, value: Word, ruled: Ruled) -> Iterator[tuple[Word, ...]]:
    """What an option's value that is run may be: a program, which gets words of its own; a command; or, behind a `=`, one of these or
    words for the program itself (git's aliases)."""
    if type(value) is not str:
        if ruled.may_be_named(value):
            yield (value, UNKNOWN_WORDS)
        return
    alone = next((name for name in spellings(value) if ruled.is_named(name)), None) if len(value.split()) == 1 else None
    if alone is not None:
        yield (alone, UNKNOWN_WORDS)
    else:
        yield from mentioned(value, ruled)
    _, equals, own = value.partition("=")
    if equals and ruled.is_named(program):
        yield (program, *own.split())


def possible_commands(
    argv: tuple[Word, ...], declared: bool, ruled: Ruled, nested: bool
) -> Iterator[tuple[int, tuple[Word, ...]]]:
    """An unknown program may run what its words spell: every word that names a program of a rule may start a command, and so may,
    unless the program is declared and only its options are not known, a word with holes. Beyond the limit nothing is known.
    Gives the place of each in argv (-1: within a word) and its words."""
    count = 0
    for place in range(1, len(argv)):
        found = argv[place]
        values: tuple[Word, ...] = value_parts(found) if type(found) is str else () if declared else (found,)
        for value in values:
            if type(value) is str and " " in value:
                yield from [(-1, words) for words in mentioned(value, ruled)]
        word = next((value for value in values if ruled.may_start(value)), None)
        if word is None:
            continue
        count += 1
        if nested or count > MAX_POSSIBLE_COMMANDS:
            yield place, (UNKNOWN_WORDS,)
            return
        yield place, (word, *argv[place + 1 :])


def may_run_words(spec: Mapping[str, Any] | None, argv: tuple[Word, ...], analysis: Analysis) -> bool:
    """Whether a word of the command may start another one: its program is not declared, runs what an option names, or has an option that
    nobody declared."""
    if spec is None or runs_by_option(spec):
        return True
    subcommands = [str(argv[place]) for place in analysis.subcommands]
    return not all_declared(spec, subcommands, [option.name for option in analysis.options])
