"""Lists and pipelines: bash(1) "SHELL GRAMMAR", "Lists" and "Pipelines"."""

from __future__ import annotations

import re

from remit.shell import constructs
from remit.shell.reader import Reader

_CLOSERS = frozenset(("then", "else", "elif", "fi", "do", "done", "esac", "}", "]]", "in"))
_TIME_OPTIONS = re.compile(r"(?:-p(?=[ \t\n;&|()]|\Z)(?:[ \t]+--(?=[ \t\n;&|()]|\Z))?|--(?=[ \t\n;&|()]|\Z))")
_NOTHING: frozenset[str] = frozenset()


def script(reader: Reader) -> None:
    """A whole text: one list, and all its heredocs."""
    command_list(reader, _NOTHING)
    if reader.pos < reader.size:
        reader.decline(constructs.SYNTAX)
    if reader.heredocs:
        reader.decline(constructs.UNTERMINATED_HEREDOC)


def newlines(reader: Reader) -> None:
    """Skip blanks, comments and newlines; a newline is where heredoc bodies stand."""
    reader.space()
    while reader.at("\n"):
        newline(reader)
        reader.space()


def newline(reader: Reader) -> None:
    """Step over one newline and the heredoc bodies behind it."""
    reader.pos += 1
    if reader.heredocs:
        from remit.shell.heredocs import bodies  # heredocs contain substitutions, and those contain lists

        bodies(reader)


def command_list(reader: Reader, stop: frozenset[str]) -> int:
    """bash(1) "Lists": and-or lists, each ended by `;`, `&` or a newline, up to a token of `stop` or the end.

    Gives how many there were; leaves the stopping token to the caller. Nothing but a stop ends it early: any other
    closing token is declined.
    """
    count, after = 0, ""
    while True:
        newlines(reader)
        if reader.pos >= reader.size or _stops(reader, stop):
            return count
        first = len(reader.work.drafts)
        _and_or(reader, after)
        count += 1
        after = _separator(reader, first, stop)


def body(reader: Reader, stop: frozenset[str]) -> None:
    """A list inside a compound command, which must not be empty."""
    if not command_list(reader, stop):
        reader.decline(constructs.SYNTAX)


def _stops(reader: Reader, stop: frozenset[str]) -> bool:
    char = reader.text[reader.pos]
    if char in ");|&" and not reader.at("&>"):
        token = ";;" if reader.at(";;") or reader.at(";&") else char
        if token in stop:
            return True
        reader.decline(constructs.SYNTAX)
    word = reader.reserved()
    if word in stop:
        return True
    if word in _CLOSERS:
        reader.decline(constructs.SYNTAX)
    return False


def _separator(reader: Reader, first: int, stop: frozenset[str]) -> str:
    """What ends an and-or list; gives the operator before the next one."""
    reader.space()
    if reader.at("&") and not reader.at("&&"):
        _check_background(reader)
        reader.enclose(first, "background")
        reader.pos += 1
        return "&"
    if reader.at(";") and not reader.at(";;") and not reader.at(";&"):
        reader.pos += 1
        return ";"
    if reader.pos < reader.size and not reader.at("\n") and not _stops(reader, stop):
        reader.decline(constructs.SYNTAX)
    return ";"


def _check_background(reader: Reader) -> None:
    # zsh: `&|` and `&!` run in the background too, and detach.
    if reader.text[reader.pos + 1 : reader.pos + 2] in ("|", "!"):
        reader.decline(constructs.SYNTAX)


def _and_or(reader: Reader, after: str) -> None:
    """Pipelines joined by `&&` and `||`."""
    _pipeline(reader, after)
    while True:
        reader.space()
        if not (reader.at("&&") or reader.at("||")):
            return
        operator = reader.text[reader.pos : reader.pos + 2]
        reader.pos += 2
        newlines(reader)
        _pipeline(reader, operator)


def _pipeline(reader: Reader, after: str) -> None:
    """bash(1) "Pipelines": `[time [-p]] [!] command [ | command … ]`."""
    from remit.shell.commanding import command  # commands contain lists

    first = len(reader.work.drafts)
    if not _prefix(reader):
        return
    command(reader, after)
    reader.space()
    if not reader.at("|") or reader.at("||"):
        return
    while reader.at("|") and not reader.at("||"):
        operator = _pipe(reader)
        newlines(reader)
        if reader.reserved() in ("!", "time"):
            reader.decline(constructs.SYNTAX)
        command(reader, operator)
        reader.space()
    reader.enclose(first, "pipeline")


def _pipe(reader: Reader) -> str:
    if reader.accept("|&"):
        reader.only_bash()
        return "|&"
    reader.pos += 1
    return "|"


def _prefix(reader: Reader) -> bool:
    """Step over `!` and `time`; False if nothing follows them (`time` alone)."""
    while True:
        reader.space()
        word = reader.reserved()
        if word == "!":
            if reader.at("!("):
                reader.decline(constructs.EXTENDED_GLOB)
            reader.pos += 1
        elif word == "time":
            reader.not_sh()
            reader.pos += 4
            reader.space()
            options = _TIME_OPTIONS.match(reader.text, reader.pos)
            if options:
                reader.pos = options.end()
                reader.space()
            if reader.pos >= reader.size or reader.text[reader.pos] in "\n;)&|":
                return False
        else:
            return True
