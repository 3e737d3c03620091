"""Claude Code's rules for shell commands, as shell patterns.

There, a rule is compared with the command's text: `*` stands for any text, blanks included, `PREFIX:*` is `PREFIX *`,
which also matches PREFIX alone, and `\\*` is a star (code.claude.com/docs/en/permissions, "Wildcard patterns"). Here, a
rule is compared with words, so that quoting and spacing make no difference. Where a star reaches further in text than
in words (`api* -X`, `"*.py"`), a deny or ask is written in both forms; an allow keeps the narrower one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import takewhile

from remit.importers.claude_reading import Effect, Reading, exact, inexact
from remit.importers.writing import escape_glob, like_target, target
from remit_dsl.records import NamedTuple

# Redirections that touch nothing: a rule without them covers commands with them.
_HARMLESS_TAILS = tuple(
    f" {tail}"
    for tail in ("2>&1", "1>&2", ">&2", ">/dev/null", "> /dev/null", "2>/dev/null", "2> /dev/null", "&>/dev/null")
)
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*+\+?=")
_CONTINUATION = re.compile(r"'[^']*+'|\\.", re.DOTALL)  # finds lines that go on, outside of single quotes
_AFTER_DOLLAR = re.compile(r"[A-Za-z0-9_{(@*#?$!-]")
# Words that are part of a compound command and begin no simple one (bash manual, "Reserved Words").
_RESERVED = frozenset(
    {"!", "{", "}", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in"}
    | {"select", "then", "until", "while"}
)
_ENDS_WORD = frozenset(" \t\n\r;&|()<>")


class Piece(NamedTuple):
    """A word of a rule, or an operator between words.

    text: as written. like: the word as a text pattern, quotes removed. operator: "" for a word, `>` for a redirection,
    `;` for whatever else ends a command. inner_star, last_star: whether a shell pattern sees a star before, or at, its
    end. quoted_star: a star in quotes, which a shell pattern takes literally. expands: the shell puts something in its
    place. tilde: it begins with the home folder.
    """

    text: str
    like: str
    operator: str = ""
    inner_star: bool = False
    last_star: bool = False
    quoted_star: bool = False
    expands: bool = False
    tilde: bool = False

    @property
    def is_any(self) -> bool:
        """Whether it is a star and nothing else."""
        return self.text == "*"

    @property
    def is_fixed(self) -> bool:
        """Whether it can only be itself."""
        return not (self.inner_star or self.last_star or self.quoted_star or self.expands or self.tilde)


_ANY = Piece("*", "*", last_star=True)


def read_command(tool: str, content: str, effect: Effect) -> Reading:
    """The content of a rule on a shell tool."""
    text = _CONTINUATION.sub(lambda match: "" if match[0] == "\\\n" else match[0], content).strip()
    if text.endswith(":*") and not text.endswith("\\:*"):
        text = text[:-2] + " *"
    if not text.strip("* "):
        return exact(tool) if content and not content.strip("*") else inexact(effect, tool, "it names no command")
    text = _without_harmless_tail(text)
    pieces = _split(text[:-2] + "\\:*" if text.endswith(":*") else text)  # only the end of the whole rule is a prefix
    if pieces is None:
        return inexact(effect, tool, "its quotes do not pair")
    if any(piece.operator or piece.text.startswith("#") for piece in pieces) or pieces[0].text in _RESERVED:
        return inexact(effect, _widest_part(tool, pieces), "a rule names one command and no redirection")
    return _read_words(tool, pieces, effect)


def _without_harmless_tail(text: str) -> str:
    stripped = text.rstrip()
    while stripped.endswith(_HARMLESS_TAILS):
        tail = next(tail for tail in _HARMLESS_TAILS if stripped.endswith(tail))
        stripped = stripped[: -len(tail)].rstrip()
    return stripped


def _read_words(tool: str, pieces: list[Piece], effect: Effect) -> Reading:
    assigned = _assignments(pieces)
    if assigned:
        asks = _prefix(tool, pieces[assigned:])
        return inexact(effect, asks, "a rule names no assignments in front of a command")
    if not pieces[0].like:
        return inexact(effect, tool, "it names no command")
    if any(piece.expands for piece in pieces) and (effect == "allow" or not pieces[0].is_fixed):
        return inexact(effect, _prefix(tool, pieces), "the shell fills in `$…` before a rule sees the words")
    if any(piece.expands or piece.tilde for piece in pieces):
        return _read_expanding(tool, pieces, effect)
    return exact(*_forms(tool, pieces, effect))


def _assignments(pieces: list[Piece]) -> int:
    """How many assignments stand in front of the command."""
    return next((place for place, piece in enumerate(pieces) if not _ASSIGNMENT.match(piece.text)), len(pieces))


def _read_expanding(tool: str, pieces: list[Piece], effect: Effect) -> Reading:
    """A command with words that the shell fills in before it is judged, so that they never look as they are written."""
    why = "the shell fills in `$…` and `~` before a rule sees the words"
    same = (_pattern(tool, pieces),)
    if effect == "allow":
        return Reading(same, why=why, instead="compared as text")
    asks = tuple(_forms(tool, _widened(pieces), effect))
    return Reading(same, asks, why=why, instead=f"compared as text; also asks for {asks[0]}")


def _widened(pieces: list[Piece]) -> list[Piece]:
    """The words with a star for each home folder, and for everything from the first other expansion on."""
    known = list(takewhile(lambda piece: not piece.expands, pieces))
    starred = [_without_home(piece) if piece.tilde else piece for piece in known]
    return starred if len(known) == len(pieces) else [*starred, _ANY]


def _without_home(piece: Piece) -> Piece:
    if not piece.text.strip("~*"):
        return _ANY
    return piece._replace(text="*" + piece.text[1:], like="*" + piece.like[1:], inner_star=True)


def _forms(tool: str, pieces: list[Piece], effect: Effect) -> Iterator[str]:
    """The targets that say the rule: as words where its program is named, as text where words say less or nothing."""
    first, last = pieces[0], pieces[-1]
    named = not first.is_any and not first.inner_star and not (first.last_star and len(pieces) > 1)
    narrower = any(
        piece.quoted_star or piece.inner_star or (piece.last_star and not piece.is_any and piece is not last)
        for piece in pieces
    )
    if named:
        yield _pattern(tool, pieces)
    if not named or (narrower and effect != "allow"):
        text = " ".join(piece.like for piece in pieces)
        if last.is_any and len(pieces) > 1:
            yield like_target(tool, text[:-2])
        yield like_target(tool, text)


def _pattern(tool: str, pieces: Iterable[Piece]) -> str:
    # `@name` would be a set.
    words = ["\\" + piece.text if piece.text.startswith("@") else piece.text for piece in pieces]
    return target(tool, " ".join(words))


def _prefix(tool: str, pieces: list[Piece]) -> str:
    """The narrowest target that surely covers the words: those before the first that is not fixed, then anything."""
    fixed = next((place for place, piece in enumerate(pieces) if not piece.is_fixed), len(pieces))
    if not fixed or not pieces[0].like:
        return tool
    return _pattern(tool, pieces if fixed == len(pieces) else [*pieces[:fixed], _ANY])


def _widest_part(tool: str, pieces: list[Piece]) -> str:
    """A target that every command line holds which the rule is about: its most telling simple command, or any."""
    parts: list[list[Piece]] = [[]]
    for piece in pieces:
        if piece.operator == ";":
            parts.append([])
        else:
            parts[-1].append(_ANY if piece.operator else piece)
    commands = [part[_assignments(part) :] for part in parts]
    commands = [command for command in commands if command]
    heads = {command[0].text for command in commands}
    if heads & _RESERVED or any(piece.text.startswith(("#", "<<")) for piece in pieces):
        return tool
    named = [text for command in commands if (text := _prefix(tool, command)) != tool]
    return max(named, key=len, default=tool)


def _split(text: str) -> list[Piece] | None:
    """The words and operators of `text` (bash manual, "Quoting", "Definitions"); None if a quote is not closed."""
    pieces: list[Piece] = []
    place = 0
    while place < len(text):
        char = text[place]
        if char not in _ENDS_WORD:
            word, place = _word(text, place)
            if word is None:
                return None
            pieces.append(word)
            continue
        if char in "<>":
            if pieces and pieces[-1].text.isdecimal() and text[place - 1].isdecimal():
                pieces.pop()  # the descriptor
            end = place + 2 if text[place + 1 : place + 2] in ("<", ">", "&") else place + 1
            pieces.append(Piece(text[place:end], "", ">"))
            place = end - 1
        elif char not in " \t":
            pieces.append(Piece(char, "", ";"))
        place += 1
    return pieces


def _word(text: str, start: int) -> tuple[Piece | None, int]:
    """The word that starts at `start`, and where it ends; None in its place if a quote is not closed."""
    like: list[str] = []
    stars: list[int] = []
    quote = ""
    quoted_star = expands = False
    place = start
    while place < len(text) and (quote or text[place] not in _ENDS_WORD):
        char, following = text[place], text[place + 1 : place + 2]
        if char == quote:
            quote = ""
        elif not quote and char in "\"'":
            quote = char
        elif char == "\\" and quote != "'":
            place += 1
            expands |= following == "\n"
            like.append(_escaped(following, quote))
        else:
            quoted_star |= bool(quote) and char == "*"
            expands |= quote != "'" and (char == "`" or (char == "$" and _AFTER_DOLLAR.match(following) is not None))
            if char == "*" and not quote:
                stars.append(place)
            like.append(char if char == "*" else escape_glob(char))
        place += 1
    if quote or place > len(text):
        return None, place
    written = text[start:place]
    if not written.strip("*"):
        return _ANY, place
    last_star = bool(stars) and stars[-1] == place - 1
    tilde = written[0] == "~" and written[1:2] in ("", "/", "*")
    return Piece(written, "".join(like), "", len(stars) > last_star, last_star, quoted_star, expands, tilde), place


def _escaped(char: str, quote: str) -> str:
    """What a backslash and `char` are in the command's text (bash manual, "Double Quotes"), as a pattern."""
    kept = "\\" if quote and char not in '$`"\\*' else ""
    return escape_glob(kept + char)
