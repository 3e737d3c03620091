"""`[[ expression ]]`: bash(1) "CONDITIONAL EXPRESSIONS". It runs nothing itself; substitutions in its words do."""

from __future__ import annotations

from remit.shell import constructs
from remit.shell.expansions import Part
from remit.shell.lists import newlines
from remit.shell.patterns import pattern
from remit.shell.reader import METACHARACTERS, Reader
from remit.shell.word_reader import evaluates_to_commands, join, read_pieces
from remit.shell.words import Word

_ARITHMETIC = frozenset(("-eq", "-ne", "-lt", "-le", "-gt", "-ge"))
_REGEX_ENDS = frozenset(";&")


def conditional(reader: Reader) -> None:
    """Read up to `]]`. Operands that are evaluated as expressions or variable names must not hide commands in quotes."""
    reader.not_sh()
    reader.pos += 2
    before: Word | None = None
    previous: Word | None = None
    empty = True
    newlines(reader)
    while empty or not _closes(reader):
        empty = False
        if _operator(reader, previous):
            before, previous = previous, None
        else:
            word = _regex(reader) if previous == "=~" else pattern(reader)
            reader.work.count_words(reader, 1)
            _check_operand(reader, before, previous, word)
            before, previous = previous, word
        newlines(reader)
    reader.pos += 2


def _closes(reader: Reader) -> bool:
    if not reader.at("]]"):
        return False
    end = reader.pos + 2
    return end == reader.size or reader.text[end] in METACHARACTERS or reader.text.startswith("\\\n", end)


def _operator(reader: Reader, previous: Word | None) -> bool:
    """Step over `&&`, `||`, a parenthesis, `<` or `>`."""
    if reader.accept("&&") or reader.accept("||"):
        return True
    char = reader.text[reader.pos : reader.pos + 1]
    if not char or char in ";&|":
        reader.decline(constructs.SYNTAX)
    if (char in "()" and previous != "=~") or (char in "<>" and not reader.text.startswith("(", reader.pos + 1)):
        reader.pos += 1
        return True
    return False


def _check_operand(reader: Reader, before: Word | None, previous: Word | None, word: Word) -> None:
    if previous == "-v":
        _evaluates(reader, word)
        if evaluates_to_commands(word) or (not isinstance(word, str) and "[" in word.source):
            reader.decline(constructs.EVALUATED_DATA)
    if word in _ARITHMETIC and previous is not None:
        _evaluates(reader, previous)
        if evaluates_to_commands(previous):
            reader.decline(constructs.EVALUATED_DATA)
    if previous in _ARITHMETIC and before is not None:
        _evaluates(reader, word)
        if evaluates_to_commands(word):
            reader.decline(constructs.EVALUATED_DATA)


def _evaluates(reader: Reader, word: Word) -> None:
    reader.work.evaluates = True
    reader.work.evaluated.append(str(word))


def _regex(reader: Reader) -> Word:
    """The word behind `=~`: parentheses, `|`, `<`, `>` belong to it, and blanks inside parentheses."""
    start, level = reader.pos, 0
    parts: list[Part] = []
    while reader.pos < reader.size:
        read_pieces(reader, parts, start)
        char = reader.text[reader.pos : reader.pos + 1]
        if not char or char in _REGEX_ENDS or char == "\n" or (char in " \t|)" and level == 0 and char != "|"):
            break
        if char == "|" and level == 0 and reader.at("||"):
            break
        level += (char == "(") - (char == ")")
        parts.append(char)
        reader.pos += 1
    if reader.pos == start:
        reader.decline(constructs.SYNTAX)
    return join(parts)
