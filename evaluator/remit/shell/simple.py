"""Simple commands and function definitions: bash(1) "Simple Commands", "Shell Function Definitions"."""

from __future__ import annotations

import re

from remit.shell import constructs
from remit.shell.assignments import assignment, note_value
from remit.shell.commands import Assignment
from remit.shell.reader import Draft, Reader, is_reserved
from remit.shell.redirections import redirection
from remit.shell.word_reader import read_word
from remit.shell.words import Partial, Word

_DECLARING = frozenset(("declare", "typeset", "local", "export", "readonly"))
_ZSH_WORDS = frozenset(("repeat", "foreach", "end", "nocorrect", "noglob", "always", "-", "builtin"))
_ENDS = frozenset(";&|\n)")
_FUNCTION_NAME = re.compile(r"[^\s\\'\"`$;&|<>()*?\[{}~=]+")


def simple(reader: Reader, after: str) -> None:
    """Read one simple command, or `name () body`."""
    draft = reader.begin(after)
    start = reader.pos
    while True:
        end = reader.pos
        reader.space()
        if reader.pos >= reader.size:
            break
        if redirection(reader, draft):
            continue
        char = reader.text[reader.pos]
        if char in _ENDS:
            break
        if char == "(":
            _definition(reader, draft, start, end)
            return
        _argument(reader, draft)
    if reader.pos == start:
        reader.decline(constructs.SYNTAX)
    draft.end = reader.place(end)
    reader.work.count_words(reader, len(draft.argv))


def _argument(reader: Reader, draft: Draft) -> None:
    """The next word or assignment of the command."""
    start = reader.pos
    if not draft.argv or draft.argv[0] in _DECLARING:
        found = assignment(reader)
        if found is not None:
            _place_assignment(reader, draft, found, start)
            return
    word = read_word(reader)
    if word is None:
        reader.decline(constructs.SYNTAX)
    if not draft.argv:
        _check_program(reader, start, word)
    elif draft.argv[0] in _DECLARING:
        note_value(reader, word)
    draft.argv.append(word)


def _place_assignment(reader: Reader, draft: Draft, found: Assignment, start: int) -> None:
    if not draft.argv:
        draft.assignments.append(found)
        return
    # Arguments of `declare`: the word as written, its value known as far as an assignment's is.
    if found.array:
        source = reader.text[start : reader.pos]
        assert isinstance(found.value, Partial)
        draft.argv.append(Partial(found.value.parts, source))
        return
    head = reader.text[start : reader.text.index("=", start) + 1]
    draft.argv.append(_prefixed(head, found.value))


def _prefixed(head: str, value: Word) -> Word:
    if isinstance(value, str):
        return head + value
    first = value.parts[0]
    parts = (head + first, *value.parts[1:]) if isinstance(first, str) else (head, *value.parts)
    return Partial(parts, head + value.source)


def _check_program(reader: Reader, start: int, word: Word) -> None:
    """A continued line inside the first word must not hide a reserved word or an assignment."""
    source = reader.text[start : reader.pos]
    if "\\\n" in source and ("=" in source or is_reserved(source.replace("\\\n", ""))):
        reader.decline(constructs.LINE_CONTINUATION)
    if reader.work.dialect == "zsh" and word in _ZSH_WORDS:
        reader.decline(constructs.DIALECT)


def _definition(reader: Reader, draft: Draft, start: int, end: int) -> None:
    """`name () compound-command`: the draft turns out to be no command."""
    name = _FUNCTION_NAME.fullmatch(reader.text, start, end)
    if not name or len(draft.argv) != 1 or draft.assignments or draft.redirections:
        reader.decline(constructs.SYNTAX)
    reader.pos += 1
    reader.blanks()
    if not reader.accept(")"):
        reader.decline(constructs.SYNTAX)
    reader.work.drafts.pop()
    define(reader, name[0])


def define(reader: Reader, name: str) -> None:
    """The body of a function: a compound command."""
    from remit.shell.commanding import compound  # compound commands contain simple ones
    from remit.shell.lists import newlines

    newlines(reader)
    reader.work.functions.append(name)
    saved = reader.enter("function")
    if not compound(reader, ""):
        reader.decline(constructs.SYNTAX)
    reader.leave(saved)
