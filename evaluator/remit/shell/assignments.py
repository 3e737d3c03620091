"""Assignments before a command, or as arguments of `declare` and its like: bash(1) "PARAMETERS", "Arrays"."""

from __future__ import annotations

import re

from remit.shell import constructs
from remit.shell.commands import Assignment
from remit.shell.expansions import backtick, dollar
from remit.shell.reader import METACHARACTERS, Reader
from remit.shell.word_reader import as_value, evaluates_to_commands, read_word
from remit.shell.words import Hole, Partial, Word

_START = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\+?=|\[)")
_OPERATOR = re.compile(r"\+?=")
_SUBSCRIPT_RUN = re.compile(r"[^\]\[ \t\n;&|<>()$`'\"\\]+")


def assignment(reader: Reader) -> Assignment | None:
    """The assignment here, stepped over; None if it is none."""
    start = reader.pos
    found = _START.match(reader.text, start)
    if not found:
        return None
    reader.pos = found.end()
    operator = found[2]
    if operator == "[":
        operator = _subscript(reader, found[1])
        if not operator:
            reader.pos = start
            return None
    if operator == "+=":
        reader.not_sh()
    return _assigned(reader, found[1], operator == "+=", reader.pos)


def _assigned(reader: Reader, name: str, append: bool, start: int) -> Assignment:
    if reader.at("("):
        reader.not_sh()
        _elements(reader)
        source = reader.text[start : reader.pos]
        return Assignment(name, Partial((Hole("unknown", source, "", False),), source), append, True)
    value: Word = as_value(read_word(reader) or "")
    if reader.at("("):
        reader.decline(constructs.SYNTAX)
    note_value(reader, value)
    return Assignment(name, value, append, False)


def note_value(reader: Reader, value: Word) -> None:
    """Remember when a value would run something if it were evaluated."""
    if evaluates_to_commands(value):
        reader.work.armed = True


def _subscript(reader: Reader, name: str) -> str:
    """`NAME[…]=`: gives the operator behind it, "" if there is none. The subscript may be an expression: quotes in it that
    hide an expansion are declined (see arithmetic)."""
    start = reader.pos
    while not reader.at("]"):
        run = _SUBSCRIPT_RUN.match(reader.text, reader.pos)
        char = reader.text[reader.pos : reader.pos + 1]
        if run:
            reader.pos = run.end()
        elif char == "$":
            dollar(reader, True)
        elif char == "`":
            backtick(reader, True)
        elif char in ("'", '"') and _quoted_subscript(reader, char):
            continue
        else:
            return _not_a_subscript(reader, start)
    operator = _OPERATOR.match(reader.text, reader.pos + 1)
    if not operator:
        return _not_a_subscript(reader, start)
    reader.not_sh()
    reader.work.evaluates = True
    if not _is_associative(reader, name):
        reader.work.evaluated.append(reader.text[start : reader.pos])
    reader.pos = operator.end()
    return operator[0]


def _is_associative(reader: Reader, name: str) -> bool:
    """Whether the text declares an associative array, whose keys are no expressions."""
    return any(f"{word} -A {name}" in reader.text for word in ("declare", "local", "typeset"))


def _quoted_subscript(reader: Reader, quote: str) -> bool:
    """A quoted key without anything that expands."""
    found = re.compile(quote + r"[^'\"$`\\\n]*" + quote).match(reader.text, reader.pos)
    if found:
        reader.pos = found.end()
    return found is not None


def _not_a_subscript(reader: Reader, start: int) -> str:
    """A word such as `a[b` or `x[1]` is no assignment. With expansions or blanks inside, which one it is is not clear."""
    if reader.pos > start and not re.compile(r"[^\s$`'\"\\]*").fullmatch(reader.text, start, reader.pos):
        reader.decline(constructs.SUBSCRIPT)
    if reader.text.find("]", start) < 0:  # bash looks for it up to the end
        reader.decline(constructs.SUBSCRIPT)
    if reader.text[reader.pos : reader.pos + 1] in (
        "[",
        " ",
        "\t",
        "\n",
        "'",
        '"',
        "\\",
        "$",
        "(",
        ")",
        "<",
        ">",
        "&",
        "|",
    ):
        reader.decline(constructs.SUBSCRIPT)
    return ""


def _elements(reader: Reader) -> None:
    """The elements of `NAME=( … )`."""
    from remit.shell.lists import newlines  # lists contain commands, and those contain assignments

    reader.pos += 1
    newlines(reader)
    while not reader.accept(")"):
        start = reader.pos
        word = read_word(reader)
        if word is None or reader.at("("):
            reader.decline(constructs.SYNTAX)
        _check_element(reader, start, word)
        newlines(reader)
    if reader.pos < reader.size and reader.text[reader.pos] not in METACHARACTERS:
        reader.decline(constructs.SYNTAX)


def _check_element(reader: Reader, start: int, word: Word) -> None:
    reader.work.count_words(reader, 1)
    if evaluates_to_commands(word):
        if reader.text[start] == "[":
            reader.decline(constructs.EVALUATED_DATA)
        reader.work.armed = True
    elif reader.text[start] == "[":
        reader.work.evaluates = True
        reader.work.evaluated.append(str(word))
