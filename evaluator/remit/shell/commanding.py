"""What stands where a command may stand: bash(1) "SHELL GRAMMAR"."""

from __future__ import annotations

from collections.abc import Callable

from remit.shell import compound as compounds
from remit.shell import constructs
from remit.shell.conditional import conditional
from remit.shell.reader import Reader
from remit.shell.simple import simple

_COMPOUND: dict[str, Callable[[Reader], None]] = {
    "if": compounds.branch,
    "while": compounds.loop,
    "until": compounds.loop,
    "for": compounds.for_loop,
    "select": compounds.select,
    "case": compounds.case,
    "{": compounds.group,
    "[[": conditional,
}


# bash 5.2 runs a substitution from its own printed form, in which `coproc x` has become `coproc COPROC x`.
_REPRINTED = frozenset(("substitution", "process"))


def command(reader: Reader, after: str) -> None:
    """One command: simple, compound, a function's definition or a coprocess."""
    reader.space()
    if compound(reader, after):
        return
    word = reader.reserved()
    if word == "function":
        reader.only_bash()
        compounds.function(reader)
    elif word == "coproc":
        reader.only_bash()
        _coprocess(reader, after)
    elif word:
        reader.decline(constructs.SYNTAX)
    else:
        simple(reader, after)


def compound(reader: Reader, after: str) -> bool:
    """bash(1) "Compound Commands", with their redirections; False if none stands here."""
    if reader.at("("):
        compounds.parenthesis(reader)
    else:
        read = _COMPOUND.get(reader.reserved())
        if read is None:
            return False
        reader.deepen()
        read(reader)
        reader.depth -= 1
    compounds.redirected(reader, after)
    return True


def _coprocess(reader: Reader, after: str) -> None:
    """bash(1) "Coprocesses": `coproc [NAME] command`; a NAME only before a compound command."""
    if any(context.kind in _REPRINTED for context in reader.context):
        reader.decline(constructs.COPROCESS)
    reader.pos += len("coproc")
    reader.space()
    saved = reader.enter("coproc")
    if not compound(reader, after):
        name = compounds.NAME_BEFORE_COMPOUND.match(reader.text, reader.pos)
        if name:
            reader.pos = name.end()
        command(reader, after)
    reader.leave(saved)
