"""Redirections: bash(1) "REDIRECTION"."""

from __future__ import annotations

import re

from remit.shell import constructs
from remit.shell.commands import Redirection
from remit.shell.reader import METACHARACTERS, Draft, Reader
from remit.shell.word_reader import as_value, read_word
from remit.shell.words import Hole, Partial

STARTS = frozenset("<>&{0123456789")

_OPERATOR = re.compile(r"([0-9]+|\{[A-Za-z_][A-Za-z0-9_]*\})?(<<<|<<-|<<|<&|<>|<(?!\()|>>|>&|>\||>(?!\())|()(&>>|&>)")
# Directly before an operator these are a descriptor of its own, never the target of the operator before.
_DESCRIPTOR = re.compile(r"(?:[0-9]++|\{[A-Za-z_][A-Za-z0-9_]*+\})[<>]")
_AWAITED = Partial((Hole("unknown", "", "", False),), "")
_BASH_ONLY = frozenset(("<<<", "&>", "&>>"))


def redirection(reader: Reader, draft: Draft) -> bool:
    """Read one redirection into `draft`; False if none stands here."""
    text, start = reader.text, reader.pos
    if start >= reader.size or text[start] not in STARTS:
        return False
    found = _OPERATOR.match(text, start)
    if not found:
        return False
    fd, op = found[1] or "", found[2] or found[4]
    reader.pos = found.end()
    _check_dialect(reader, fd, op)
    if op in ("<<", "<<-"):
        from remit.shell.heredocs import heredoc  # loaded on need

        reader.blanks()
        draft.redirections.append(Redirection(fd, op, _AWAITED))
        heredoc(reader, draft, len(draft.redirections) - 1, op == "<<-")
    else:
        draft.redirections.append(_to_word(reader, fd, op))
    return True


def redirections(reader: Reader, draft: Draft) -> None:
    """Read all redirections that stand here (behind a compound command)."""
    while redirection(reader, draft):
        draft.end = reader.place(reader.pos)
        reader.space()


def _to_word(reader: Reader, fd: str, op: str) -> Redirection:
    if op in ("<&", ">&") and reader.text.startswith("&-", reader.pos - 1):
        # `>&-` is one operator: what follows it, even without a blank, is the next word.
        reader.pos += 1
        if reader.pos < reader.size and reader.text[reader.pos] not in METACHARACTERS:
            reader.only_bash()
        return Redirection(fd, op, "-")
    reader.blanks()
    # `#` here would start a comment in bash, so that the target is missing.
    missing = reader.at("#") or (op not in (">&", "<&") and _DESCRIPTOR.match(reader.text, reader.pos))
    word = None if missing else read_word(reader)
    if word is None:
        reader.decline(constructs.SYNTAX)
    if op == "<<<":
        return Redirection(fd, op, as_value(word))
    if isinstance(word, Partial) and any(isinstance(part, Hole) and part.kind == "brace" for part in word.parts):
        reader.decline(constructs.BRACE_REDIRECTION)
    reader.work.count_words(reader, 1)
    return Redirection(fd, op, word)


def _check_dialect(reader: Reader, fd: str, op: str) -> None:
    if reader.work.dialect == "bash":
        return
    rest = reader.text[reader.pos : reader.pos + 1]
    if reader.work.dialect == "sh":
        # dash knows one digit before the operator, and only digits or `-` behind `>&`.
        if op in _BASH_ONLY or len(fd) > 1 or (op in ("<&", ">&") and not (rest.isdigit() or rest in ("-", "$"))):
            reader.decline(constructs.DIALECT)
    elif (rest and rest in "!|&") or len(fd) > 1 or (op == "<" and rest.isdigit()):
        # zsh: `>!` and `>>|` force, `<1-9>` is a pattern.
        reader.decline(constructs.DIALECT)
