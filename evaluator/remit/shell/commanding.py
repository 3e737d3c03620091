"""What stands where a command may stand: bash(1) "SHELL GRAMMAR"."""

from __future__ import annotations

import re

from remit.shell import constructs
from remit.shell.reader import Reader
from remit.shell.simple import simple

_OPENERS = frozenset(("if", "while", "until", "for", "select", "case", "{", "[["))
# Both are compiled on need. What defines a function is no command that a coprocess could run.
_FUNCTION = r"[^\s()<>;&|]++[ \t]*+\([ \t]*+\)"
_NAME_BEFORE_COMPOUND = (
    r"[A-Za-z_][A-Za-z0-9_]*[ \t]+(?=\(|(?:\{|\[\[|if|while|until|for|select|case)(?:[ \t\n;&|<>()]|\Z))"
)
# bash 5.2 runs a substitution from its own printed form, in which `coproc x` has become `coproc COPROC x`.
_REPRINTED = frozenset(("substitution", "process"))


def command(reader: Reader, after: str) -> None:
    """One command: simple, compound, a function's definition or a coprocess."""
    reader.space()
    if compound(reader, after):
        return
    word = reader.reserved()
    if word == "function":
        from remit.shell.compound import function

        reader.only_bash()
        function(reader)
    elif word == "coproc":
        reader.only_bash()
        _coprocess(reader, after)
    elif word:
        reader.decline(constructs.SYNTAX)
    else:
        simple(reader, after)


def compound(reader: Reader, after: str) -> bool:
    """bash(1) "Compound Commands", with their redirections; False if none stands here."""
    opener = "(" if reader.at("(") else reader.reserved()
    if opener != "(" and opener not in _OPENERS:
        return False
    from remit.shell.compound import COMPOUNDS, redirected  # loaded on need, and it contains commands

    COMPOUNDS[opener](reader)
    redirected(reader, after)
    return True


def _coprocess(reader: Reader, after: str) -> None:
    """bash(1) "Coprocesses": `coproc [NAME] command`; a NAME only before a compound command."""
    if any(context.kind in _REPRINTED for context in reader.context):
        reader.decline(constructs.COPROCESS)
    reader.pos += len("coproc")
    reader.space()
    saved = reader.enter("coproc")
    if not compound(reader, after):
        name = _named(reader)
        reader.pos += len(name)
        if re.compile(_FUNCTION).match(reader.text, reader.pos):
            reader.decline(constructs.COPROCESS)
        command(reader, after)
    reader.leave(saved)


def _named(reader: Reader) -> str:
    """The coprocess's name here, with the blanks behind it; "" if there is none."""
    name = re.compile(_NAME_BEFORE_COMPOUND).match(reader.text, reader.pos)
    return name[0] if name else ""
