"""Which word of a command line is an option, which its value, which an operand, which a subcommand: by declaration.

The conventions are those of POSIX.1-2017 XBD 12.2 and getopt_long(3): bundles, attached values, unambiguous abbreviations of
long options, `--`, options after operands; a program's `style` words say where it differs. What is not declared, or not known
before the shell has run, makes what follows doubtful, never harmless.
"""

from __future__ import annotations

from remit.facts import Option
from remit.shell.words import Hole, Partial, Word
from remit_dsl.records import NamedTuple
from remit_dsl.roles import LAST, PAIR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping
    from typing import Any

MANY = 1 << 30  # more operands than a command line can have


class Given(NamedTuple):
    """An option that was given and has roles: what its value is, and which words of argv it stands in."""

    option: Option
    roles: list[Any]
    value_index: int
    value_end: int


class Arguments:
    """The state of one reading of argv, and its result.

    level: the level of the subcommand found. operands: indexes of argv. spans: for operands of which it is not certain that
    they are just one operand, by their place in `operands`: how many words they are at least and at most. doubtful: indexes
    that may also be an option or its value. open: some word may be any option.
    """

    __slots__ = (
        "argv",
        "doubt",
        "doubtful",
        "ended",
        "given",
        "known",
        "leads",
        "level",
        "open",
        "operands",
        "options",
        "outer",
        "seeking",
        "spans",
        "special",
        "stops",
        "style",
        "subcommands",
    )

    def __init__(self, spec: Mapping[str, Any], argv: tuple[Word, ...]) -> None:
        self.argv = argv
        self.options: list[Option] = []
        self.given: list[Given] = []
        self.operands: list[int] = []
        self.subcommands: tuple[int, ...] = ()
        self.spans: dict[int, tuple[int, int]] = {}
        self.doubtful: list[int] = []
        self.outer: tuple[Mapping[str, Any], ...] = ()
        self.known = True
        self.open = False
        self.doubt = -1
        self.enter(spec)

    def enter(self, level: Mapping[str, Any]) -> None:
        """Go on with the options and operands of `level`."""
        self.level = level
        self.style = style = level.get("style", ())
        self.leads: str | tuple[str, ...] = ("-", "+") if "plus" in style else "-"
        self.ended = "no-options" in style
        self.seeking = "subs" in level
        self.special = "bare" in level or "assignments" in style
        self.stops = 0 if "operands-last" in style else level.get("stops", MANY)

    def read(self) -> None:
        """Read every word once."""
        argv, index, count = self.argv, 1, len(self.argv)
        if "first-bundle" in self.style and count > 1:
            index = self._first_bundle()
        while index < count:
            word = argv[index]
            if word.__class__ is not str:
                index = self._partial(index, word)  # type: ignore[arg-type]
            elif self.ended or not word.startswith(self.leads) or word == "-":
                if self.special and not self.ended:
                    after = self._special(index, word)
                    if after:
                        index = after
                        continue
                self._operand(index, word)
                index += 1
            else:
                index = self._option(index, word)
        if self.open and ("bites" in self.level or "other" not in self.level):
            self.known = False

    # --- operands ------------------------------------------------------------------------------------------------

    def _operand(self, index: int, word: str) -> None:
        if self.seeking and self._subcommand(index, word):
            return
        if index == self.doubt:
            self.spans[len(self.operands)] = (0, 1)
            self.doubtful.append(index)
        self.operands.append(index)
        if len(self.operands) > self.stops or ("late_stops" in self.level and self.options and self._stops_here()):
            self.ended = True

    def _subcommand(self, index: int, word: str) -> bool:
        """Whether the word names a subcommand. A doubtful word that does is read as one: the stricter reading."""
        level = self.level
        at = level["subs"].get(word)
        if at is not None:
            self.subcommands += (index,)
            if "globals" in level:
                self.outer = (level["globals"], *self.outer)
            self.enter(level["levels"][at])
            return True
        if index != self.doubt:
            self.seeking = False
            self.known = self.known and "operands" in level
        return False

    def _stops_here(self) -> bool:
        names = {option.name for option in self.options}
        return any(len(self.operands) > body.get("stops", MANY) for _, _, body in active(self.level, names))

    # --- options that are known completely -----------------------------------------------------------------------

    def find(self, name: str) -> Any:
        """The declaration of an option by its exact spelling, or None."""
        entry = self.level["options"].get(name) if "options" in self.level else None
        if entry is None:
            for options in self.outer:
                entry = options.get(name)
                if entry is not None:
                    break
        return entry

    def _option(self, index: int, word: str) -> int:
        entry = self.find(word)
        if entry is not None:
            return self._take(entry, index, None)
        if word == "--":
            self.ended = True
            return index + 1
        if word[0] == "+":
            return self._plus(index, word)
        if word[1] == "-" or "single-dash" in self.style:
            return self._long(index, word)
        return self._bundle(index, word)

    def _take(self, entry: Any, index: int, attached: Word | None, sure: bool = True) -> int:
        """Record a declared option; the index of the first word behind it and its value."""
        name, takes, roles = entry
        value, at, end = attached, index, index + 1
        if roles and takes == 1 and roles[0][1] & PAIR and end + 1 < len(self.argv):
            end += 1
        if takes == 1 and attached is None and end < len(self.argv):
            value, at = self.argv[end], end
            end = self._end(end, roles[0][3]) if roles and roles[0][3] else end + 1
            if value.__class__ is not str and value.many:  # type: ignore[union-attr]
                self._spill(at, value)  # type: ignore[arg-type]
        option = Option(name, value, index, sure)
        self.options.append(option)
        if roles or ("changed" in self.level and name in self.level["changed"]):
            self.given.append(Given(option, roles, at, end))
            if any(role[1] & LAST for role in roles):
                self.ended = True
        return end

    def _end(self, index: int, terminators: list[list[str]]) -> int:
        """The index behind the terminator of a command in the arguments (`find -exec … ;`), or the end of argv."""
        for at in range(index, len(self.argv)):
            for words in terminators:
                if list(self.argv[at : at + len(words)]) == words:
                    return at + len(words)
            word = self.argv[at]
            if word.__class__ is not str and any(words[-1].startswith(word.prefix) for words in terminators):  # type: ignore[union-attr]
                self.known = False
        return len(self.argv)

    def _long(self, index: int, word: str) -> int:
        name, equals, text = word.partition("=")
        value = text if equals else None
        entry = self.find(name) or self._single(name)
        if entry is not None:
            return self._take(entry, index, value)
        entry = self._abbreviated(name)
        if entry is not None:
            end = self._take(entry, index, value)
            if end == index + 2 and "other" in self.level:
                self._also_operand(index + 1)
            return end
        entry = self.find(word[:2]) if word[1] != "-" else None
        if entry is not None and entry[1] == 2:
            return self._take(entry, index, word[2:])
        return self._undeclared(index, name, value)

    def _single(self, name: str) -> Any:
        """`--name` of a program with single-dash options, which take two dashes as well (Go's flag package)."""
        return self.find(name[1:]) if "single-dash" in self.style and name.startswith("--") else None

    def _abbreviated(self, name: str) -> Any:
        if len(name) < 3 or not name.startswith("--") or "no-abbreviations" in self.style:
            return None
        found = {entry[0]: entry for spelling, entry in self.declared() if spelling.startswith(name)}
        if len(found) == 1:
            return next(iter(found.values()))
        return None

    def declared(self) -> Iterator[tuple[str, Any]]:
        for options in (self.level.get("options", {}), *self.outer):
            yield from options.items()

    def _also_operand(self, index: int) -> None:
        """What looks like an abbreviation may be a whole option unknown to us: its value may be an operand instead."""
        if self.argv[index].__class__ is str:
            self.spans[len(self.operands)] = (0, 1)
            self.doubtful.append(index)
            self.operands.append(index)

    def _bundle(self, index: int, word: str) -> int:
        """`-abc`, `-ofile`, `-5`."""
        size, single = len(word), "no-bundles" in self.style
        name, equals, value = word.partition("=")
        if single and equals and len(name) > 2 and self.find(name):
            return self._take(self.find(name), index, value)
        for at in range(1, size):
            entry = self.find("-" + word[at])
            if entry is None:
                if word[at:].isdigit():
                    self.options.append(Option("-" + word[at:], None, index, True))
                    self.known = self.known and "other" in self.level
                    return index + 1
                if single:
                    return self._undeclared(index, word, None)
                self._undeclared(index, "-" + word[at], None, doubt=at == size - 1)
            elif entry[1]:
                return self._take(entry, index, word[at + 1 :] or None)
            elif single and size > 2:
                return self._undeclared(index, word, None)
            else:
                self._take(entry, index, None)
        return index + 1

    def _plus(self, index: int, word: str) -> int:
        entry = self.find("+")
        if entry is not None:
            return self._take(entry, index, word[1:])
        return self._undeclared(index, word, None)

    def _undeclared(self, index: int, name: str, value: str | None, doubt: bool = True) -> int:
        harmless = "other" in self.level
        self.known = self.known and harmless
        self.options.append(Option(name, value, index, True))
        if doubt and value is None and (not harmless or self.seeking or "positional" in self.level):
            self.doubt = index + 1
        return index + 1

    def _special(self, index: int, word: str) -> int:
        """The index behind an option that is spelled without a dash (`if=x`, `(`), or 0 if the word is none."""
        if "assignments" in self.style:
            name, equals, value = word.partition("=")
            entry = self.find(name + equals) if equals else None
            if entry is not None:
                return self._take(entry, index, value)
            return self._undeclared(index, name + equals, value) if equals else 0
        entry = self.find(word)
        return 0 if entry is None else self._take(entry, index, None)

    def _first_bundle(self) -> int:
        """tar(1) "Traditional": the first word is a bundle without its dash; values follow in the order of the letters."""
        word, end = self.argv[1], 2
        if not isinstance(word, str):
            self.known = self.known and bool(word.prefix.startswith("-"))
            return 1
        if word.startswith("-"):
            return 1
        for letter in word:
            entry = self.find("-" + letter)
            if entry is None:
                self._undeclared(1, "-" + letter, None)
            elif entry[1] == 1 and end < len(self.argv):
                self._value_of(entry, end)
                end += 1
            else:
                self._take(entry, 1, None)
        return end

    def _value_of(self, entry: Any, index: int) -> None:
        value = self.argv[index]
        if not isinstance(value, str) and value.many:
            self._spill(index, value)
        self.options.append(Option(entry[0], value, 1, True))
        if entry[2] or ("changed" in self.level and entry[0] in self.level["changed"]):
            self.given.append(Given(self.options[-1], entry[2], index, index + 1))

    # --- words with holes ----------------------------------------------------------------------------------------

    def _partial(self, index: int, word: Partial) -> int:
        prefix = word.prefix
        if self.ended or not self._may_be_option(word, prefix):
            self._known_operand(index, word)
            return index + 1
        if len(prefix) > 1:
            end = self._partial_option(index, word, prefix)
            if end:
                return end
        self._loose(index, word)
        return index + 1

    def _may_be_option(self, word: Partial, prefix: str) -> bool:
        if "assignments" in self.style:
            return True
        if prefix:
            return prefix.startswith(self.leads)
        first = word.parts[0]
        return not (isinstance(first, Hole) and first.kind in ("tilde", "process"))

    def _known_operand(self, index: int, word: Partial) -> None:
        """A word that is no option, though its text is not known; unquoted, it may be several words."""
        if self.seeking:
            self.known = self.seeking = False
        if word.many:
            least = 1 if any(isinstance(part, str) for part in word.parts) or _only_globs(word) else 0
            self.spans[len(self.operands)] = (least, MANY)
            self.open = self.open or not (self.ended or _only_globs(word))
        elif index == self.doubt:
            self.spans[len(self.operands)] = (0, 1)
        if index == self.doubt:
            self.doubtful.append(index)
        self.operands.append(index)
        if len(self.operands) > self.stops or ("late_stops" in self.level and self.options and self._stops_here()):
            self.ended = True

    def _loose(self, index: int, word: Partial) -> None:
        """A word that may be any option, or any operand; the next one may be its value."""
        self.open = True
        if self.seeking:
            self.known = False
        self.spans[len(self.operands)] = (0, MANY if word.many else 1)
        self.doubtful.append(index)
        self.operands.append(index)
        self.doubt = index + 1

    def _spill(self, index: int, word: Partial) -> None:
        """The value of an option, unquoted: what it has more than one word is options or operands."""
        if not _only_globs(word) or not word.prefix or word.prefix.startswith(self.leads):
            self.open = True
        if self.seeking:
            self.known = False
        self.spans[len(self.operands)] = (0, MANY)
        self.doubtful.append(index)
        self.operands.append(index)

    def _partial_option(self, index: int, word: Partial, prefix: str) -> int:
        """The index behind an option that is certain although its value has holes (`--file=$X`, `-o"$X"`), or 0."""
        name, equals, _ = prefix.partition("=")
        entry, skip = None, len(name) + 1
        if equals:
            entry = (
                self.find(name + equals) if "assignments" in self.style else self.find(name) or self._abbreviated(name)
            )
        if entry is None and prefix[0] == "-" != prefix[1] and "single-dash" not in self.style:
            for at in range(1, len(prefix)):
                entry, skip = self.find("-" + prefix[at]), at + 1
                if entry is None or entry[1]:
                    break
                self._take(entry, index, None)
            else:
                entry = None
        if entry is None or not entry[1]:
            return 0
        if word.many:
            self._spill(index, word)
        return self._take(entry, index, tail(word, skip))


def tail(word: Partial, skip: int) -> Word:
    """`word` without the first `skip` characters, which are known."""
    rest = word.prefix[skip:]
    parts = (rest, *word.parts[1:]) if rest else word.parts[1:]
    return Partial(parts, word.source[skip:])


def _only_globs(word: Partial) -> bool:
    """Whether all the words it becomes begin as it does: a glob is expanded, not split."""
    return all(isinstance(part, str) or not part.many or part.kind == "glob" for part in word.parts)


def active(body: Mapping[str, Any], names: Container[str] | None) -> Iterator[tuple[int, list[str], Mapping[str, Any]]]:
    """The `with` bodies that hold when the options `names` are given (None: any may be): depth, triggers, body."""
    rows = [(1, row) for row in body.get("with", ())]
    while rows:
        depth, (triggers, inner) = rows.pop(0)
        if names is None or any(name in names for name in triggers):
            yield depth, triggers, inner
            rows += [(depth + 1, row) for row in inner.get("with", ())]
