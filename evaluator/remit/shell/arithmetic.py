"""Arithmetic: bash(1) "ARITHMETIC EVALUATION". Nothing in it is a command except what substitutions run.

An expression's values are expressions again, and array subscripts in them are expanded: text that quotes hide from the
first expansion runs in the second. So quoting together with `$(` or a backtick is declined.
"""

from __future__ import annotations

import re

from remit.shell import constructs
from remit.shell.expansions import backtick, dollar
from remit.shell.reader import Reader

_END_STEP = re.compile(r"""[^\\'"`()$#]+|\\.|'[^']*'|"(?:[^"\\]|\\.)*+"|`(?:[^`\\]|\\.)*+`|\$(?!\()|#""", re.DOTALL)
_MAX_LEVEL = 64
_RUN = re.compile(r"[^$`\\'\[]+")
_UNCLEAR = re.compile(r"[`'\"#\\]|\$\(")
_NAME = re.compile(r"[A-Za-z_]")


def arithmetic_end(reader: Reader, start: int) -> int:
    """Where the `))` stands that closes an arithmetic whose text begins at `start`; -1 if `((` are two parentheses.

    That is so when the first unmatched `)` has no second one behind it. Declined when quotes, comments or substitutions
    on the way make that a matter of interpretation.
    """
    text, pos, level = reader.text, start, 0
    while pos < reader.size:
        step = _END_STEP.match(text, pos)
        if step:
            pos = step.end()
            continue
        char = text[pos]
        if char == ")" and level == 0:
            break
        level += (char == "(") - (char == ")")
        if level > _MAX_LEVEL:
            reader.decline(constructs.NESTING)
        pos += 1
    if text.startswith("))", pos):
        return pos
    if _UNCLEAR.search(text, start, pos):
        reader.decline(constructs.AMBIGUOUS_PARENTHESES)
    return -1


def arithmetic(reader: Reader, end: int) -> None:
    """Read the expression up to `end`, for the substitutions in it."""
    reader.deepen()
    if _NAME.search(reader.text, reader.pos, end):
        reader.work.evaluates = True
        reader.work.evaluated.append(reader.text[reader.pos : end])
    while reader.pos < end:
        run = _RUN.match(reader.text, reader.pos, end)
        if run:
            reader.pos = run.end()
        else:
            _piece(reader, reader.text[reader.pos])
    if reader.pos > end:
        reader.decline(constructs.AMBIGUOUS_PARENTHESES)
    reader.depth -= 1


def old_arithmetic(reader: Reader) -> None:
    """`$[…]`, the old form; stands on the `$`."""
    reader.deepen()
    reader.work.evaluates = True
    reader.pos += 2
    start, level = reader.pos, 1
    while level:
        char = reader.text[reader.pos : reader.pos + 1]
        if char in ("", '"', "\n"):
            reader.decline(constructs.QUOTE_IN_ARITHMETIC)
        if char in "[]":
            level += 1 if char == "[" else -1
            reader.pos += 1
        else:
            _piece(reader, char)
    reader.work.evaluated.append(reader.text[start : reader.pos])
    reader.depth -= 1


def _piece(reader: Reader, char: str) -> None:
    if char == "$":
        dollar(reader, True)
    elif char == "`":
        backtick(reader, True)
    elif char in "\\'":
        reader.decline(constructs.QUOTE_IN_ARITHMETIC)
    else:
        reader.pos += 1
