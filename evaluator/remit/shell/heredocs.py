"""Here documents: bash(1) "Here Documents". The operator comes first, the body after the next newline."""

from __future__ import annotations

import re

from remit.shell import constructs
from remit.shell.expansions import Part, quoted_piece
from remit.shell.quotes import single_quoted
from remit.shell.reader import METACHARACTERS, Draft, Pending, Reader
from remit.shell.word_reader import join
from remit.shell.words import Word

_BODY_RUN = re.compile(r"[^\\`$]+")
_PLAIN_DOUBLE = re.compile(r'"([^"\\$`\n]*)"')


def heredoc(reader: Reader, draft: Draft, index: int, strip_tabs: bool) -> None:
    """Read the delimiter; `draft.redirections[index]` gets the body later, from `bodies`."""
    delimiter, quoted = _delimiter(reader)
    reader.heredocs.append(Pending(delimiter, quoted, strip_tabs, draft, index, reader.context))


def _delimiter(reader: Reader) -> tuple[str, bool]:
    """The delimiter without its quotes, and whether it had any."""
    start, quoted = reader.pos, False
    found: list[str] = []
    while reader.pos < reader.size and reader.text[reader.pos] not in METACHARACTERS:
        char = reader.text[reader.pos]
        text = _delimiter_piece(reader, char)
        quoted = quoted or char in "'\"\\"
        found.append(text)
    delimiter = "".join(found)
    if reader.pos == start or "\n" in delimiter:
        reader.decline(constructs.HEREDOC_DELIMITER)
    return delimiter, quoted


def _delimiter_piece(reader: Reader, char: str) -> str:
    if char == "'":
        reader.pos += 1
        return single_quoted(reader)
    if char == '"':
        plain = _PLAIN_DOUBLE.match(reader.text, reader.pos)
        if not plain:
            reader.decline(constructs.HEREDOC_DELIMITER)
        reader.pos = plain.end()
        return plain[1]
    if char in "$`" or (char.isspace() and char not in METACHARACTERS):
        reader.decline(constructs.HEREDOC_DELIMITER)
    reader.pos += 2 if char == "\\" else 1
    return reader.text[reader.pos - 1 : reader.pos]


def bodies(reader: Reader) -> None:
    """Read the bodies of all heredocs that wait; stands behind a newline."""
    waiting, reader.heredocs = reader.heredocs, []
    for pending in waiting:
        target = _quoted_body(reader, pending) if pending.quoted else _expanding_body(reader, pending)
        redirections = pending.draft.redirections
        redirections[pending.position] = redirections[pending.position]._replace(target=target)


def _line(reader: Reader, pending: Pending) -> str:
    """One line with its newline; declines at the end of the text, where bash would only warn."""
    if reader.pos >= reader.size:
        reader.decline(constructs.UNTERMINATED_HEREDOC)
    end = reader.text.find("\n", reader.pos)
    stop = reader.size if end < 0 else end + 1
    line = reader.text[reader.pos : stop]
    reader.pos = stop
    return line.lstrip("\t") if pending.strip_tabs else line


def _quoted_body(reader: Reader, pending: Pending) -> str:
    lines: list[str] = []
    while True:
        line = _line(reader, pending)
        if line.rstrip("\n") == pending.delimiter and line.count("\n") <= 1:
            return "".join(lines)
        lines.append(line)


def _expanding_body(reader: Reader, pending: Pending) -> Word:
    """A body that expands."""
    start, exact = reader.pos, not pending.strip_tabs
    lines: list[str] = []
    while True:
        pieces = _logical_line(reader, pending)
        line = "".join(pieces)
        if line.rstrip("\n") == pending.delimiter:
            return _expanded(reader, "".join(lines), start, exact, pending)
        exact = exact and len(pieces) == 1
        lines.append(line)


def _logical_line(reader: Reader, pending: Pending) -> list[str]:
    """A line that ends in an odd number of backslashes goes on with the next one, before the delimiter is looked for."""
    pieces = [_line(reader, pending)]
    whole = pending._replace(strip_tabs=False)
    while _continues(pieces[-1]):
        pieces[-1] = pieces[-1][:-2]
        pieces.append(_line(reader, whole))
    return pieces


def _continues(line: str) -> bool:
    text = line[:-1]
    return line.endswith("\\\n") and (len(text) - len(text.rstrip("\\"))) % 2 == 1


def _expanded(reader: Reader, body: str, start: int, exact: bool, pending: Pending) -> Word:
    if not any(char in body for char in "$`\\"):
        return body
    inner = reader.nested(body, reader.place(start), exact and reader.exact)
    inner.context = pending.context
    inner.enter("heredoc")
    parts: list[Part] = []
    while inner.pos < inner.size:
        run = _BODY_RUN.match(body, inner.pos)
        if run:
            parts.append(run[0])
            inner.pos = run.end()
        else:
            parts.append(quoted_piece(inner, body[inner.pos], "$`\\", False))
    return join(parts)
