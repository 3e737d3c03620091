"""What a command line does, by the declaration of its program: `analyse` applies a compiled level (`remit_dsl.programs`).

Rule of this file: what is not certain is reported as possible (sure=False) or makes the command not known; nothing is left out.
"""

from __future__ import annotations

from remit.arguments import Arguments, Given
from remit.code_facts import UNKNOWN
from remit.facts import MAYBE, NO, YES, Analysis, Inner, RoleUse
from remit.plain_arguments import plain_analysis
from remit.plain_effects import STANDARD_INPUT, plain_effects
from remit.role_words import fits, joined, known_text, pieces, rest, with_holes
from remit.shell.words import Hole, Partial, Word
from remit_dsl.records import NamedTuple
from remit_dsl.roles import ASSIGNS, DYNAMIC, ELSEWHERE, HERE, INSTEAD, LAST, LITERAL, PERHAPS, REST, TREE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

_TOUCHING = frozenset(("read", "write", "delete", "connect", "run", "enter"))
_BITING = frozenset(("write", "delete", "connect", "run", "shell", "command", "acts"))
_READING = frozenset(("read", "run"))
_RUNNING = frozenset(("run", "shell", "command"))
_EXPLAINED = frozenset(("sed", "awk", "patch"))  # languages whose scanner sees all that a program does
# Words that may all be the first of a command are looked at up to this many. The first of them is then not known, and its
# command never allowed, so that what is left out permits nothing.
_MAX_STARTS = 16
_ANYTHING = Partial((Hole("unknown", "…", "", True),), "…")


class _Place(NamedTuple):
    """Where an operand stands, from the start (0 is the first) and from the end (1 is the last): least and most."""

    low: int
    high: int
    end_low: int
    end_high: int


class _Found(NamedTuple):
    """A role that a word may have. triggers: indexes of the options whose `with` block says so."""

    role: list[Any]
    state: int
    triggers: tuple[int, ...]
    start: int
    stop: int | None


class _Body(NamedTuple):
    """A level or an active `with` block. state: MAYBE when its option is only possible."""

    state: int
    triggers: tuple[int, ...]
    body: Mapping[str, Any]


def analyse(spec: Mapping[str, Any], argv: tuple[Word, ...]) -> Analysis:
    """What the declaration `spec` says of `argv` (argv[0] is the program). Total; linear in argv for a given declaration."""
    found = plain_analysis(spec, argv)
    if found is not None:
        return found
    arguments = Arguments(spec, argv)
    arguments.read()
    return quick_effects(arguments) or general_effects(arguments)


def quick_effects(arguments: Arguments) -> Analysis | None:
    """The analysis of arguments of which every word is certain, for levels that say nothing unusual; else None."""
    if arguments.spans or arguments.open:
        return None
    return plain_effects(
        arguments.argv, arguments.level, arguments.subcommands, arguments.options, arguments.given,
        arguments.operands, arguments.known, tuple(arguments.doubtful),
    )  # fmt: skip


def general_effects(arguments: Arguments) -> Analysis:
    """The analysis of arguments, in full generality."""
    return _Effects(arguments).analysis()


class _Effects:
    """Collects what the options and operands of one command line do."""

    __slots__ = (
        "acts",
        "arguments",
        "argv",
        "bodies",
        "filled",
        "inert",
        "inner",
        "known",
        "placeholders",
        "readonly",
        "roles",
        "starts",
        "teeth",
        "text",
    )  # fmt: skip

    def __init__(self, arguments: Arguments) -> None:
        self.arguments = arguments
        self.argv = arguments.argv
        self.known = arguments.known
        self.roles: list[RoleUse] = []
        self.inner: list[Inner] = []
        self.teeth: set[int] = set()
        self.placeholders: list[str] = ["{}"]
        self.filled: dict[int, int] = {}  # id of an operand clause that some operand is claimed by -> how certainly
        self.starts = 0
        self.text = NO  # whether the words hold the text or the file that is run
        level = arguments.level
        self.readonly, self.inert, self.acts = "readonly" in level, "inert" in level, "acts" in level
        whole = _Body(YES, (), level)
        self.bodies = [[whole]]
        if "with" in level and (arguments.options or arguments.open):
            self._activate(whole, 1, {option.name: option.place for option in reversed(arguments.options)})

    def analysis(self) -> Analysis:
        """Everything collected."""
        arguments = self.arguments
        for given in arguments.given:
            self._option(given)
        self._operands()
        self._defaults()
        if arguments.open:
            self._possible_options()
        self._input()
        return Analysis(
            self.known, self.readonly, self.inert, self.acts, arguments.subcommands, tuple(arguments.options),
            tuple(arguments.operands), tuple(arguments.doubtful), tuple(self.roles), self._inners(),
            tuple(sorted(self.teeth)) if self.teeth else (),
        )  # fmt: skip

    # --- which clauses hold ----------------------------------------------------------------------------------------

    def _activate(self, outer: _Body, depth: int, given: Mapping[str, int]) -> None:
        """Find the `with` blocks that hold, by depth, and apply their traits."""
        for names, body in outer.body.get("with", ()):
            indexes = [given[name] for name in names if name in given]
            if not indexes and not self.arguments.open:
                continue
            # Of nested blocks the outermost that bites is the one to name, or all together if only the innermost does.
            triggers = outer.triggers if "bites" in outer.body and depth > 1 else (*outer.triggers, *indexes[:1])
            inner = _Body(outer.state if indexes else MAYBE, triggers, body)
            while len(self.bodies) <= depth:
                self.bodies.append([])
            self.bodies[depth].append(inner)
            self._traits(inner)
            self._activate(inner, depth + 1, given)

    def _traits(self, inner: _Body) -> None:
        body = inner.body
        if inner.state == YES:
            self.readonly = self.readonly or "readonly" in body
            self.inert = self.inert or "inert" in body
        if "acts" in body:
            self.acts = True
            if self.readonly:
                self.teeth.update(inner.triggers)

    # --- options ---------------------------------------------------------------------------------------------------

    def _option(self, given: Given) -> None:
        option, roles, at, end = given
        for group in self.bodies[1:]:
            for state, _, body in group:
                if option.name in body.get("roles", ()):
                    roles = body["roles"][option.name] + (roles if state != YES else [])
        found = [_Found(role, YES if option.sure else MAYBE, (), 0, 1) for role in roles]
        for role, state, _, _, _ in _holding(found, option.value or ""):
            self._bite(role, (option.place, at) if role[4] is not None else (option.place,), by_option=True)
            if option.value is None:
                self.acts = self.acts or "acts" in role[0]
            elif option.value != "-" or not _TOUCHING.issuperset(role[0]):  # standard input or output is no file
                self._apply(role, option.value, at, state, self._command(role, option.value, at, end))

    def _command(self, role: list[Any], word: Word, at: int, end: int) -> tuple[Word, ...]:
        """The words of a command that is an option's value: one, all behind it if the option is the last, or all up to its terminator."""
        if not role[3]:
            behind = self.argv[end:] if role[1] & LAST and "command" in role[0] else ()
            return (rest(role, word), *behind)
        terminated = self.argv[end - 1] in [terminator[-1] for terminator in role[3]]
        return self.argv[at : end - 1] if terminated else self.argv[at:end]

    # --- operands --------------------------------------------------------------------------------------------------

    def _operands(self) -> None:
        first = self._assignments()
        operands = self.arguments.operands[first:]
        for number, place in enumerate(_places(len(operands), first, self.arguments.spans)):
            index = operands[number]
            word = self.argv[index]
            sure = self.arguments.spans.get(first + number, (1, 1))[0] > 0
            for role, state, triggers, start, stop in self._roles_of(word, place):
                if not sure:
                    state = MAYBE
                words = self._words(role, index, number + first, place, start, stop)
                if words is None:
                    continue
                self._bite(role, triggers or (index,), by_option=False)
                exact = place.low == place.high
                self._apply(role, word, index, state if exact or not _RUNNING & set(role[0]) else MAYBE, words)

    def _roles_of(self, word: Word, place: _Place) -> Iterator[_Found]:
        """The roles of an operand: of the innermost blocks that claim it, and, as long as that is uncertain, of outer ones."""
        limit = YES
        for group in reversed(self.bodies):
            found, best = [], NO
            for state, triggers, body in group:
                for clause in body.get("operands", ()):
                    claimed = min(state, _claims(clause[0], clause[1], place))
                    if claimed:
                        best = max(best, claimed)
                        self.filled[id(clause)] = max(claimed, self.filled.get(id(clause), NO))
                        found.append(_Found(clause[2], min(claimed, limit), triggers, clause[0] or 0, clause[1]))
            yield from _holding(found, word)
            if best == YES:
                return
            if found:
                limit = MAYBE

    def _words(
        self, role: list[Any], index: int, number: int, place: _Place, start: int, stop: int | None
    ) -> tuple[Word, ...] | None:
        """The words of a command or script that begins with an operand; None if it can not begin there."""
        if role[4] is not None or ("command" not in role[0] and "shell" not in role[0]):
            return (rest(role, self.argv[index]),)
        if start >= 0 and not place.low <= start <= place.high:
            return None
        self.starts += 1
        if self.starts > _MAX_STARTS:
            return None
        if "command" in role[0]:
            return self.argv[index:]
        if stop is not None and stop == start + 1:
            return (self.argv[index],)
        return (joined([self.argv[at] for at in self.arguments.operands[number:]]),)

    def _assignments(self) -> int:
        """Note the leading NAME=value operands, where the declaration says that they are assignments; how many there are."""
        clauses = self.arguments.level.get("operands", ())
        if not any(clause[2][1] & ASSIGNS for clause in clauses):
            return 0
        for number, index in enumerate(self.arguments.operands):
            word = self.argv[index]
            name, equals, _ = (word if isinstance(word, str) else word.prefix).partition("=")
            if not equals or not name.removesuffix("+").isidentifier():
                return number
            self.roles.append(RoleUse("assign", word, index, False, number not in self.arguments.spans))
        return len(self.arguments.operands)

    def _defaults(self) -> None:
        """`here`: the working directory, where no operand stands in its stead."""
        for group in reversed(self.bodies):
            seen = NO
            for state, triggers, body in group:
                for _, _, role in (clause for clause in body.get("operands", ()) if clause[2][1] & HERE):
                    filled = max([self.filled.get(id(clause), NO) for clause in body["operands"] if clause[2] is role])
                    seen = max(seen, state)
                    if filled != YES:
                        self._bite(role, triggers, by_option=False)
                        instead = INSTEAD.get(role[0][0], ".")
                        self._apply(role, instead, 0, state if filled == NO else MAYBE, ())
                if any(clause[0] is None and clause[1] is None for clause in body.get("operands", ())):
                    seen = max(seen, state)  # it speaks of all operands, of none as well
            if seen == YES:
                return

    # --- effects -----------------------------------------------------------------------------------------------------

    def _bite(self, role: list[Any], indexes: tuple[int, ...], *, by_option: bool) -> None:
        """Note the words that give a read-only program teeth, or make any program run what a wildcard does not name."""
        kinds = role[0]
        if self.readonly:
            bites = not _BITING.isdisjoint(kinds)
        else:
            bites = (by_option or role[4] is not None) and not (role[1] & PERHAPS or _RUNNING.isdisjoint(kinds))
        if bites:
            self.teeth.update(indexes)

    def _apply(self, role: list[Any], word: Word, index: int, state: int, words: tuple[Word, ...]) -> None:
        kinds, flags, language = role[:3]
        if flags & REST:
            word = rest(role, word)
        if flags & PERHAPS:
            state = MAYBE
        sure, transparent, dynamic = state == YES, not flags & ELSEWHERE, bool(flags & DYNAMIC)
        for kind in kinds:
            if word == "-" and kind in _READING:  # standard input is no file
                continue
            if kind in _TOUCHING:
                self.roles.append(RoleUse(kind, word, index, bool(flags & TREE), sure))
                if flags & REST:
                    self.roles += [RoleUse(kind, piece, index, bool(flags & TREE), False) for piece in pieces(word)]
            elif kind == "acts":
                self.acts = True
            elif kind == "placeholder":
                self._placeholder(word)
            elif kind == "code":
                self._code(language, word, index, sure, transparent)
            elif words:
                self.inner.append(Inner(kind, words, "", index, transparent, dynamic, sure))
        if not {"run", "shell", "command", "code"}.isdisjoint(kinds) and word not in STANDARD_INPUT:
            self.text = max(self.text, state)

    def _code(self, language: str, word: Word, index: int, sure: bool, transparent: bool) -> None:
        from remit.code import scan_code  # few calls hold source text

        text = known_text(word)
        facts = UNKNOWN if text is None else scan_code(language, text)
        certain = sure and facts.sure
        for kind, names in (("read", facts.reads), ("write", facts.writes), ("connect", facts.hosts)):
            self.roles += [RoleUse(kind, name, index, False, certain) for name in names]
        # Where the text does more than it runs, its word is not answered for by what it runs.
        place = index if facts.sure and not (facts.writes or facts.hosts) else -1
        self.inner += [Inner("shell", (command,), "", place, True, False, certain) for command in facts.commands]
        if language not in _EXPLAINED:
            self.inner.append(Inner("code", (word,), language, index, transparent, False, sure))
        if facts.runs and not facts.sure:
            self.acts = True
            if language in _EXPLAINED:  # it runs what nobody can tell
                self.inner.append(Inner("command", (_ANYTHING,), "", -1, True, False, False))
        if self.readonly and (facts.runs or facts.writes or facts.hosts):
            self.teeth.add(index)

    def _placeholder(self, word: Word) -> None:
        if isinstance(word, str):
            self.placeholders.append(word or "{}")
        else:
            self.known = False

    def _possible_options(self) -> None:
        """A word that may be any option may bring what any option brings, with its own text or the next word's."""
        roles = [role for _, entry in self.arguments.declared() for role in entry[2]]
        kinds = {(kind, bool(role[1] & TREE)) for role in roles for kind in role[0] if kind in _TOUCHING}
        for index in self.arguments.doubtful:
            self.roles += [RoleUse(kind, self.argv[index], index, tree, False) for kind, tree in sorted(kinds)]

    def _input(self) -> None:
        """Standard input is what a program reads its text from, when no word gives it."""
        if self.text == YES:
            return
        for group in reversed(self.bodies):
            best = NO
            for state, _, body in group:
                for kinds, flags, language, _, _ in body.get("input", ()):
                    best = max(best, state)
                    if kinds:
                        sure = state == YES and self.text == NO
                        self.inner.append(
                            Inner("input", (), language or kinds[0], -1, not flags & ELSEWHERE, False, sure)
                        )
            if best == YES:
                return

    def _inners(self) -> tuple[Inner, ...]:
        """The inner commands; what replaces a placeholder in dynamic ones is not known."""
        found = []
        for inner in dict.fromkeys(self.inner):
            words = (
                tuple([with_holes(word, self.placeholders) for word in inner.words]) if inner.dynamic else inner.words
            )
            found.append(inner._replace(words=words))
        return tuple(found)


def _places(count: int, first: int, spans: Mapping[int, tuple[int, int]]) -> list[_Place]:
    """The places of the operands from number `first` on. Words that may be several, or none, make those around uncertain."""
    if not spans:
        return [_Place(number, number, count - number, count - number) for number in range(count)]
    sizes = [spans.get(first + number, (1, 1)) for number in range(count)]
    places, low, high = [], 0, 0
    least, most = sum(size[0] for size in sizes), sum(size[1] for size in sizes)
    for smallest, largest in sizes:
        # One word of several: it stands anywhere from the first place to the last.
        wide = max(largest - 1, 0)
        places.append(_Place(low, high + wide, least - low - smallest + 1, most - high))
        low, high = low + smallest, high + largest
    return places


def _claims(start: int | None, stop: int | None, place: _Place) -> int:
    """Whether a selector takes in the operand at a place."""
    low, high, end_low, end_high = place
    state = YES
    if start:
        inside = (low >= start, high >= start) if start > 0 else (end_high <= -start, end_low <= -start)
        state = YES if inside[0] else MAYBE if inside[1] else NO
    if stop is not None and state:
        inside = (high < stop, low < stop) if stop >= 0 else (end_low > -stop, end_high > -stop)
        state = min(state, YES if inside[0] else MAYBE if inside[1] else NO)
    return state


def _holding(found: list[_Found], word: Word) -> list[_Found]:
    """The roles that hold for a word: those whose pattern it matches, else those without a pattern."""
    if all(row.role[4] is None for row in found):
        return found
    held, matched = [], NO
    for row in found:
        if row.role[4] is not None:
            match = NO if row.role[1] & LITERAL and not isinstance(word, str) else fits(row.role[4], word)
            matched = max(matched, match)
            if match:
                held.append(row._replace(state=min(row.state, match)))
    if matched < YES:
        held += [row._replace(state=min(row.state, YES - matched)) for row in found if row.role[4] is None]
    return held
