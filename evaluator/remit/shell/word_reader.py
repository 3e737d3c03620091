"""One word of a command: literal text, quotes and expansions joined, up to a metacharacter (bash(1) "DEFINITIONS")."""

from __future__ import annotations

import re

from remit.shell import constructs
from remit.shell.expansions import Part, backtick, dollar, double_quoted, substitution
from remit.shell.quotes import ansi_quoted, single_quoted
from remit.shell.reader import METACHARACTERS, Declined, Reader, Work
from remit.shell.words import Hole, Partial, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_PLAIN_ENDS = METACHARACTERS - {"<", ">"}
_LITERAL = re.compile(r"[^\s\\'\"`$;&|<>()*?\[{~]+")
_BRACKET = re.compile(r"\[[!^]?\]?[^\]\s;&|<>()'\"`$\\\[{]*\]")
_TILDE = re.compile(r"~[A-Za-z0-9_.+-]*")
_STARS = re.compile(r"[*?]+")
# Lines may be continued inside the name.
_ASSIGNING = re.compile(r"(?:\\\n)*+[A-Za-z_](?:[A-Za-z0-9_]|\\\n)*+(?:\[[^\]\s]{0,256}\])?\+?=")


def read_word(reader: Reader) -> Word | None:
    """The word here, stepped over; None if none starts here."""
    text, start = reader.text, reader.pos
    found = _LITERAL.match(text, start)
    if found:
        end = found.end()
        if end == reader.size or text[end] in _PLAIN_ENDS:
            reader.pos = end
            return _ended(reader, start, found[0])
    parts: list[Part] = []
    read_pieces(reader, parts, start)
    if reader.pos == start:
        return None
    return _ended(reader, start, join(parts))


def read_pieces(reader: Reader, parts: list[Part], start: int) -> None:
    """Literal text, quotes and expansions up to a metacharacter, added to `parts`. `start`: where the word began."""
    text = reader.text
    while reader.pos < reader.size:
        found = _LITERAL.match(text, reader.pos)
        if found:
            parts.append(found[0])
            reader.pos = found.end()
            continue
        char = text[reader.pos]
        piece = _PIECES.get(char)
        if piece is None:
            _check_blank(reader, char)
            return
        if not piece(reader, parts, start):
            return


def _ended(reader: Reader, start: int, word: Word) -> Word:
    """The word, after the checks that need its end."""
    text, pos = reader.text, reader.pos
    following = text[pos : pos + 1]
    if following == "(" and text[pos - 1] in "?*+@!":
        reader.decline(constructs.EXTENDED_GLOB)
    if following and following in "<>" and text.find("\\\n", start, pos) >= 0:
        reader.decline(constructs.LINE_CONTINUATION)
    if reader.work.dialect == "zsh" and (text[start] == "=" or text[start:pos] in ("}", "{")):
        reader.decline(constructs.DIALECT)
    if text.find("{", start, pos) >= 0 and text[start - 1 : start] != "=":
        return _braced(reader, text[start:pos], word)
    return word


def _braced(reader: Reader, source: str, word: Word) -> Word:
    """The word, or a hole in its place if braces would expand it; not for an assignment's value."""
    from remit.shell.braces import brace_word, find  # loaded on need

    if "\\\n" in source:
        if "'" in source or '"' in source:
            reader.decline(constructs.LINE_CONTINUATION)
        source = source.replace("\\\n", "")
    if find(source) is None:
        return word
    reader.only_bash()
    return brace_word(source, str(word))


def join(parts: list[Part]) -> Word:
    """The parts as one word: neighbouring text joined, and a plain str if there are no holes."""
    if len(parts) == 1 and isinstance(parts[0], str):
        return parts[0]
    joined: list[Part] = []
    text: list[str] = []
    for part in parts:
        if isinstance(part, str):
            text.append(part)
            continue
        if any(text):
            joined.append("".join(text))
        text = []
        joined.append(part)
    if not joined:
        return "".join(text)
    if any(text):
        joined.append("".join(text))
    return Partial(tuple(joined), "".join(part if isinstance(part, str) else part.text for part in joined))


def as_value(word: Word) -> Word:
    """The word as an assignment's value or a here-string: neither split nor globbed (bash(1) "PARAMETERS")."""
    if isinstance(word, str):
        return word
    return join([_unsplit(part) for part in word.parts])


def _unsplit(part: Part) -> Part:
    if isinstance(part, str):
        return part
    return part.text if part.kind == "glob" else part._replace(many=False)


def known_text(word: Word) -> str:
    """All that is known of the word's text, holes left out by a blank."""
    return word if isinstance(word, str) else " ".join(part for part in word.parts if isinstance(part, str))


def evaluates_to_commands(word: Word) -> bool:
    """Whether known text in the word would run something if it were evaluated once more."""
    text = known_text(word)
    return "$(" in text or "`" in text or "${" in text


def reread(source: str, dialect: str) -> Word | None:
    """The word that `source` is, all of it; None if it is none. Commands in it count elsewhere."""
    reader = Reader(source, Work(dialect))
    try:
        word = read_word(reader)
    except Declined:
        return None
    return ("" if word is None else word) if reader.pos == reader.size else None


def _check_blank(reader: Reader, char: str) -> None:
    # Some locales take further characters for blanks, and then the word ends there.
    if char not in METACHARACTERS:
        reader.decline(constructs.UNUSUAL_BLANK)


def _single(reader: Reader, parts: list[Part], start: int) -> bool:
    reader.pos += 1
    parts.append(single_quoted(reader))
    return True


def _double(reader: Reader, parts: list[Part], start: int) -> bool:
    reader.pos += 1
    double_quoted(reader, parts)
    return True


def _backslash(reader: Reader, parts: list[Part], start: int) -> bool:
    escaped = reader.text[reader.pos + 1 : reader.pos + 2]
    if not escaped:
        reader.decline(constructs.UNTERMINATED_QUOTE)
    reader.pos += 2
    parts.append("" if escaped == "\n" else escaped)
    return True


def _dollar(reader: Reader, parts: list[Part], start: int) -> bool:
    if reader.at("$'"):
        reader.not_sh()
        reader.pos += 2
        parts.append(ansi_quoted(reader))
    elif reader.at('$"'):
        reader.only_bash()
        reader.pos += 2
        double_quoted(reader, parts)
    else:
        parts.append(dollar(reader, False))
    return True


def _backtick(reader: Reader, parts: list[Part], start: int) -> bool:
    parts.append(backtick(reader, False))
    return True


def _process(reader: Reader, parts: list[Part], start: int) -> bool:
    """bash(1) "Process Substitution"."""
    if not reader.text.startswith("(", reader.pos + 1):
        return False
    reader.not_sh()
    opened = reader.pos
    reader.pos += 2
    substitution(reader, "process")
    parts.append(Hole("process", reader.text[opened : reader.pos], "", False))
    return True


def _stars(reader: Reader, parts: list[Part], start: int) -> bool:
    found = _STARS.match(reader.text, reader.pos)
    assert found is not None
    reader.pos = found.end()
    parts.append(Hole("glob", found[0], "", True))
    return True


def _bracket(reader: Reader, parts: list[Part], start: int) -> bool:
    """bash(1) "Pattern Matching": `[…]`. One that nothing can close is text; one with quotes inside is a hole at `[`."""
    following = reader.text[reader.pos + 1 : reader.pos + 2]
    if not following or following in METACHARACTERS:
        reader.pos += 1
        parts.append("[")
        return True
    found = _BRACKET.match(reader.text, reader.pos)
    reader.pos = found.end() if found else reader.pos + 1
    parts.append(Hole("glob", found[0] if found else "[", "", True))
    return True


def _assigning(text: str, start: int) -> bool:
    """Whether the word at `start` is an assignment's value, or looks like an assignment itself."""
    return text[start - 1 : start] == "=" or _ASSIGNING.match(text, start) is not None


def _brace(reader: Reader, parts: list[Part], start: int) -> bool:
    reader.pos += 1
    parts.append("{")
    return True


def _tilde(reader: Reader, parts: list[Part], start: int) -> bool:
    """bash(1) "Tilde Expansion": at the start of a word, and behind `=` and `:` in what looks like an assignment."""
    text, pos = reader.text, reader.pos
    found = _TILDE.match(text, pos)
    assert found is not None
    reader.pos = found.end()
    # Behind a continued line, what came before it is not looked for: a hole is never wrong.
    expands = pos == start or text[pos - 1] == "\n" or (text[pos - 1] in "=:" and _assigning(text, start))
    parts.append(Hole("tilde", found[0], "", False) if expands else found[0])
    return True


_PIECES: dict[str, Callable[[Reader, list[Part], int], bool]] = {
    "'": _single,
    '"': _double,
    "\\": _backslash,
    "$": _dollar,
    "`": _backtick,
    "<": _process,
    ">": _process,
    "*": _stars,
    "?": _stars,
    "[": _bracket,
    "{": _brace,
    "~": _tilde,
}
