"""sed programs: which files they read and write, and whether they run something.

Source: GNU sed manual, "sed scripts" (commands w, W, r, R, e; flags w and e of s). A delimiter inside a bracket expression
is read both ways, since implementations differ. A program that can not be followed is given up: it may run anything.
"""

from __future__ import annotations

from remit.code_facts import NOTHING, UNKNOWN, CodeFacts

_EFFECTS = frozenset("rRwWe")  # without one of these letters a program can touch nothing
_BLANKS = " \t\r\f\v"
_SPECIAL_FILES = frozenset(("/dev/stdout", "/dev/stderr", "/dev/stdin", "-"))
_LONE = frozenset("=dDgGhHnNpPxzF")  # commands that take nothing
_NUMBERED = frozenset("lLqQ")  # commands that take a number
_LABELLED = frozenset(":btTv")  # commands that take a word up to `;`, `}` or the end of the line


class _GivenUp(Exception):
    """The program can not be followed."""


def scan_sed(text: str) -> CodeFacts:
    """What the program does; unknown when it is not plain. Total; linear in the text."""
    if _EFFECTS.isdisjoint(text):
        return NOTHING
    scanner = _Sed(text, brackets=True)
    facts = _scan(scanner)
    if not scanner.ambiguous:
        return facts
    other = _scan(_Sed(text, brackets=False))
    if other in (facts, UNKNOWN):  # not followed is refused by sed: then the first reading is the only one
        return facts
    return CodeFacts(
        facts.runs or other.runs,
        facts.reads + other.reads,
        facts.writes + other.writes,
        sure=False,
        commands=facts.commands + other.commands,
    )


def _scan(scanner: _Sed) -> CodeFacts:
    try:
        while scanner.at < scanner.size:
            scanner.command()
    except _GivenUp:
        return UNKNOWN
    return CodeFacts(
        scanner.runs,
        tuple(scanner.reads),
        tuple(scanner.writes),
        sure=not scanner.dynamic,
        commands=tuple(scanner.commands),
    )


class _Sed:
    """A cursor over the program. runs: something is run; dynamic: what it runs or touches is not a literal; brackets: a
    delimiter in a bracket expression is a plain character; ambiguous: there was one."""

    __slots__ = ("ambiguous", "at", "brackets", "commands", "dynamic", "reads", "runs", "size", "text", "writes")

    def __init__(self, text: str, *, brackets: bool) -> None:
        self.text, self.size, self.at = text, len(text), 0
        self.brackets, self.ambiguous = brackets, False
        self.reads: list[str] = []
        self.writes: list[str] = []
        self.commands: list[str] = []
        self.runs = self.dynamic = False

    def command(self) -> None:
        """One command with its addresses, or blanks and separators in front of it."""
        self._skip(_BLANKS + ";\n")
        self._address()
        self._skip(_BLANKS)
        if self._peek() == ",":
            self.at += 1
            self._skip(_BLANKS)
            self._address()
        self._skip(_BLANKS + "!")
        letter = self._peek()
        self.at += 1
        if letter == "s":
            self._substitute()
        elif letter == "y":
            delimiter = self._delimiter()
            self._delimited(delimiter, regex=False)
            self._delimited(delimiter, regex=False)
        elif letter == "#" or (letter in "aic" and letter):
            self._text(letter)
        elif letter in ("r", "R", "w", "W"):
            self._file(self.reads if letter in "rR" else self.writes, self._line())
        elif letter == "e":
            self._execute(self._line().strip(_BLANKS))
        elif letter in _LABELLED and letter:
            self._until(";\n}")
        elif letter in _NUMBERED and letter:
            self._skip(_BLANKS + "0123456789")
        elif letter and letter not in _LONE and letter not in "{}":
            raise _GivenUp

    def _peek(self) -> str:
        return self.text[self.at] if self.at < self.size else ""

    def _skip(self, characters: str) -> None:
        while self.at < self.size and self.text[self.at] in characters:
            self.at += 1

    def _until(self, characters: str) -> str:
        start = self.at
        while self.at < self.size and self.text[self.at] not in characters:
            self.at += 1
        return self.text[start : self.at]

    def _line(self) -> str:
        """The rest of the line."""
        return self._until("\n")

    def _address(self) -> None:
        first = self._peek()
        if first in ("/", "\\"):
            self.at += 1 if first == "\\" else 0
            self._delimited(self._delimiter(), regex=True)
            self._skip("IM")
        elif first:
            self._skip("0123456789$~+")

    def _delimiter(self) -> str:
        delimiter = self._peek()
        self.at += 1
        if delimiter in ("", "\n", "\\"):
            raise _GivenUp
        return delimiter

    def _delimited(self, delimiter: str, *, regex: bool) -> None:
        """A text up to its delimiter, which a backslash makes a plain character."""
        while self._peek() != delimiter:
            if not self._peek():
                raise _GivenUp
            if regex and self._peek() == "[":
                self._bracket(delimiter)
            else:
                self.at += 2 if self._peek() == "\\" else 1
        self.at += 1

    def _bracket(self, delimiter: str) -> None:
        """A bracket expression (POSIX.1-2017 XBD 9.3.5); only its `[` when a delimiter in it is not plain."""
        end = self.at + 1
        end += 1 if self.text[end : end + 1] == "^" else 0
        end = self.text.find("]", end + 1)
        while end > 0 and self.text[self.at + 1 : end].rfind("[:") > self.text[self.at + 1 : end].rfind(":]"):
            end = self.text.find("]", end + 1)
        if end < 0:
            self.at += 1
            return
        inside = delimiter in self.text[self.at : end]
        self.ambiguous = self.ambiguous or inside
        self.at = end + 1 if self.brackets or not inside else self.at + 1

    def _substitute(self) -> None:
        delimiter = self._delimiter()
        self._delimited(delimiter, regex=True)
        self._delimited(delimiter, regex=False)
        while self._peek() and self._peek() not in ";\n}#":
            flag = self._peek()
            self.at += 1
            if flag == "w":
                self._file(self.writes, self._line())
            elif flag == "e":
                self.runs = self.dynamic = True
            elif flag not in "gpiImM0123456789" + _BLANKS:
                raise _GivenUp

    def _text(self, letter: str) -> None:
        """A comment, or the text of a, i, c: to the end of the line, which a backslash continues (not for a comment)."""
        while self.at < self.size and self.text[self.at] != "\n":
            self.at += 2 if self.text[self.at] == "\\" and letter != "#" else 1

    def _file(self, names: list[str], name: str) -> None:
        name = name.strip(_BLANKS)
        if not name or "\\" in name:
            raise _GivenUp
        if name not in _SPECIAL_FILES:
            names.append(name)

    def _execute(self, command: str) -> None:
        self.runs = True
        if command:
            self.commands.append(command)
        else:
            self.dynamic = True
