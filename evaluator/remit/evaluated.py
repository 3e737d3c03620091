"""Data that a shell reads as code: a value from outside that is evaluated as an expression or as a variable's name.

bash(1) "ARITHMETIC EVALUATION": the value of a variable in an expression is an expression again, and its subscripts are expanded, so that
`x=$(cat f); echo $((x))` runs what `f` says behind `a[$(`. A value is from outside when it was read, when a command printed it
that may print anything, or when it is a literal that would run something. Pure.
"""

from __future__ import annotations

import re
from itertools import pairwise

from remit.shell import split
from remit.shell.commands import Script, SimpleCommand
from remit.shell.words import Partial, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_DECLARING = frozenset(("declare", "typeset", "local", "readonly", "export"))
_READING = frozenset(("read", "mapfile", "readarray", "getopts"))
# Options that leave a counting program counting; whatever else it is given may make it print text, a file's name above all.
_WC = re.compile(r"-[lwcmL]+|--(?:lines|words|bytes|chars)")
_GREP = re.compile(r"-[ivwxEFGPc]+|--count")
_EXACT = {
    "nproc": re.compile(r"--all|--ignore=[0-9]+"),
    "seq": re.compile(r"-?[0-9]+(?:\.[0-9]+)?|-w"),
    "id": re.compile(r"-[ug]"),
    "date": re.compile(r"\+%[sYjN]"),
    "stat": re.compile(r"-c|%[sY]|-c%[sY]|[^-%\[][^%\[]*"),
}
# Filters that only leave something out.
_FIRST_FIELD = re.compile(r"\{ ?print \$(?:1|NF) ?\}")
_FILTERS = {
    "tr": re.compile(r"-d|' '|[ \t\n]|\\n|\[:space:\]"),
    "cut": re.compile(r"-d.?| |-f[0-9]+"),
    "awk": _FIRST_FIELD,
    "head": re.compile(r"-n|-?[0-9]+|-n[0-9]+"),
    "tail": re.compile(r"-n|-?[0-9]+|-n[0-9]+"),
}

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_POSITIONAL = re.compile(r"\$\{?[0-9@*]")


def evaluated_data(script: Script) -> str:
    """The piece of a script in which data from outside may be evaluated, "" if there is none."""
    integers = _integers(script)
    outside = _outside(script)
    for text in (*script.evaluated, *_evaluated_words(script, integers)):
        if _may_hold(text, outside):
            return text
    return ""


def _integers(script: Script) -> frozenset[str]:
    """Variables declared as integers or as names of others: what is assigned to them is evaluated."""
    found: set[str] = set()
    for command in script.commands:
        if command.argv and command.argv[0] in _DECLARING and _has_flag(command, "in"):
            found.update([str(word).partition("=")[0] for word in command.argv[1:]])
    return frozenset(found)


def _has_flag(command: SimpleCommand, letters: str) -> bool:
    """Whether one of the option letters is given, or may be."""
    for word in command.argv[1:]:
        if not isinstance(word, str):
            if not word.prefix:
                return True
        elif word[:1] in ("-", "+") and any(letter in word for letter in letters):
            return True
    return False


def _evaluated_words(script: Script, integers: frozenset[str]) -> Iterator[str]:
    """The words of builtins that are evaluated, and what is assigned to integers."""
    for command in script.commands:
        for assignment in command.assignments:
            if assignment.name in integers:
                yield str(assignment.value)
        if not command.argv or type(command.argv[0]) is not str:
            continue
        name, words = command.argv[0], command.argv[1:]
        if name == "let" or (name in _DECLARING and _has_flag(command, "in")):
            yield from [str(word) for word in words]
        elif name in ("test", "[", "printf"):
            yield from [str(word) for before, word in pairwise(words) if before == "-v"]
        elif name in _READING or name == "unset":
            yield from [str(word) for word in words if type(word) is not str]
            if name == "read" and not integers.isdisjoint([str(word) for word in words]):
                yield next(str(word) for word in words if str(word) in integers)


def _may_hold(text: str, outside: frozenset[str]) -> bool:
    """Whether a text that is evaluated may hold data from outside."""
    if _POSITIONAL.search(text) and "" in outside:
        return True
    inner = list(_substitutions(text))
    if any(not _prints_numbers(piece) for piece in inner):
        return True
    for piece in inner:
        text = text.replace(piece, "")
    return any(name in outside for name in _NAME.findall(text))


def _outside(script: Script) -> frozenset[str]:
    """Variables whose value may be from outside; "" stands for the arguments of functions."""
    found: set[str] = set()
    for _ in range(2):  # what is set further down may be used further up, in a loop or a function
        for command in script.commands:
            found.update(_set_by(command, found))
            if (
                command.argv
                and command.argv[0] in script.functions
                and any(_is_outside(w, found) for w in command.argv[1:])
            ):
                found.add("")
        found.update([item.name for item in script.sets if _is_outside(item.value, found)])
    return frozenset(found)


def _set_by(command: SimpleCommand, outside: set[str]) -> Iterator[str]:
    yield from [item.name for item in command.assignments if item.array or _is_outside(item.value, outside)]
    if not command.argv:
        return
    name, words = command.argv[0], command.argv[1:]
    if name in _READING:
        yield from [word for word in words if type(word) is str]
    elif name == "printf" and "-v" in words and any(_is_outside(word, outside) for word in words):
        yield from [str(word) for before, word in pairwise(words) if before == "-v"]
    elif name in _DECLARING:
        yield from [str(word).partition("=")[0] for word in words if _is_outside(word, outside)]


def _is_outside(word: Word, outside: set[str]) -> bool:
    if type(word) is str:
        return "$(" in word or "`" in word or "${" in word
    assert isinstance(word, Partial)
    for part in word.parts:
        if isinstance(part, str):
            if "$(" in part or "`" in part:
                return True
        elif part.kind in ("command", "arith", "param"):
            if _may_hold(part.text, frozenset(outside)) and part.kind != "arith":
                return True
        elif part.kind != "tilde":
            return True
    return False


def _substitutions(text: str) -> Iterator[str]:
    """The command substitutions in a text, outermost only. What does not end is all that follows."""
    at = 0
    while at < len(text):
        if text[at] == "`":
            end = text.find("`", at + 1) + 1 or len(text)
        elif text.startswith("$(", at) and not text.startswith("$((", at):
            end = _closing(text, at + 1)
        else:
            at += 1
            continue
        yield text[at:end]
        at = end


def _closing(text: str, at: int) -> int:
    level = 0
    while at < len(text):
        level += (text[at] == "(") - (text[at] == ")")
        at += 1
        if not level:
            break
    return at


def _prints_numbers(piece: str) -> bool:
    """Whether a substitution prints numbers only: one pipeline, in which a program counts, and those behind it leave something out."""
    inner = piece[1:-1] if piece[0] == "`" else piece[2:-1]
    if "$(" in inner or "`" in inner:
        return False
    found = split(inner)
    if found.opaque or not found.commands or any(command.after not in ("", "|") for command in found.commands):
        return False
    fields = False
    for command in reversed(found.commands):
        name, words = (command.argv[0], command.argv[1:]) if command.argv else ("", ())
        if type(name) is not str or any(type(word) is not str for word in words):
            return False
        texts = [str(word) for word in words]
        if _counts(name, texts, fields):
            return True
        if name not in _FILTERS or not all(_FILTERS[name].fullmatch(text) for text in texts):
            return False
        fields = fields or (name == "awk" and texts == ["{print $1}"])
    return False


def _counts(name: str, words: list[str], fields: bool) -> bool:
    """Whether a command prints numbers only. fields: the first field of each line is all that is taken of it."""
    if name == "wc":
        files = [word for word in words if not _WC.fullmatch(word)]
        return not files or (
            fields and not any(word[0] == "-" or "[" in word or "\n" in word for word in files if word)
        )
    if name == "grep":
        options = [word for word in words if word[:1] == "-"]
        return bool(options) and len(words) - len(options) <= 2 and _counts_lines(options)
    if name == "git":
        return "rev-list" in words and "--count" in words
    return name in _EXACT and bool(words or name == "nproc") and all(_EXACT[name].fullmatch(word) for word in words)


def _counts_lines(options: list[str]) -> bool:
    return all(_GREP.fullmatch(word) for word in options) and any("c" in word for word in options)
