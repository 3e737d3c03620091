"""Command lines against the standard library's declarations, and an analysis as text."""

from __future__ import annotations

import functools
import re
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import remit_dsl
from remit.facts import Analysis, Inner
from remit.shell.words import Hole, Partial, Word
from remit_dsl.parser import parse
from remit_dsl.programs import compile_program, merge_programs
from remit_dsl.source import Source
from remit_dsl.tree import ProgramDef

STD = Path(remit_dsl.__file__).parent / "std"
_HOLE = re.compile(r"(<[^<>]+>)")


def definitions(text: str, name: str = "test") -> list[ProgramDef]:
    """The program declarations of a text that has no syntax errors."""
    file, diagnostics = parse(Source(name, text))
    assert file is not None, diagnostics
    return [statement for statement in file.statements if isinstance(statement, ProgramDef)]


def compile_text(text: str) -> dict[str, dict[str, Any]]:
    """Every program that a text declares, by name."""
    specs: dict[str, dict[str, Any]] = {}
    for definition in definitions(text):
        level = compile_program(definition)
        for name in definition.names:
            specs[name.text] = merge_programs(specs[name.text], level) if name.text in specs else level
    return specs


@functools.cache
def std_programs() -> dict[str, dict[str, Any]]:
    """The programs of the standard library."""
    files = sorted(STD.glob("programs-*.remit"))
    assert files
    return compile_text("\n".join(file.read_text(encoding="utf-8").partition("\n")[2] for file in files))


def word(text: str) -> Word:
    """A word; `<X>` stands for one word of text that is not known, `<X*>` for any number, `<?>` for a glob, `<=>` for a number."""
    parts: list[str | Hole] = []
    for piece in _HOLE.split(text):
        if piece.startswith("<"):
            kind = {"<?>": "glob", "<=>": "arith", "<~>": "tilde"}.get(piece, "param")
            parts.append(Hole(kind, piece, "", piece.endswith("*>") or kind == "glob"))
        elif piece:
            parts.append(piece)
    return text if all(isinstance(part, str) for part in parts) else Partial(tuple(parts), text)


def words(text: str) -> tuple[Word, ...]:
    """A command line, split as a shell does, `\\n` for a line break."""
    return tuple([word(item.replace("\\n", "\n")) for item in shlex.split(text)])


def render(analysis: Analysis, argv: tuple[Word, ...]) -> str:
    """Everything in an analysis, a line for each thing; `?` behind a kind: only possible."""
    traits = ["known" if analysis.known else "unknown"]
    traits += [name for name in ("readonly", "inert", "acts") if getattr(analysis, name)]
    lines = [" ".join(traits)]
    if analysis.subcommands:
        lines.append("subcommand " + " ".join(str(argv[at]) for at in analysis.subcommands))
    for option in analysis.options:
        value = "" if option.value is None else f" = {option.value}"
        lines.append(f"option{_mark(option.sure)} {option.name}{value}")
    lines += _places("operands", analysis.operands, argv) + _places("doubtful", analysis.doubtful, argv)
    lines += [f"{use.kind}{_mark(use.sure)} {use.word}{' tree' if use.tree else ''}" for use in analysis.roles]
    lines += [_inner(inner) for inner in analysis.inner]
    return "\n".join(lines + _places("teeth", analysis.teeth, argv)).replace("\n ", "\n")


def _mark(sure: bool) -> str:
    return "" if sure else "?"


def _places(title: str, indexes: Iterable[int], argv: tuple[Word, ...]) -> list[str]:
    found = [shlex.quote(str(argv[at])) for at in indexes]
    return [f"{title} {' '.join(found)}"] if found else []


def _inner(inner: Inner) -> str:
    notes = [note for note, holds in (("elsewhere", not inner.transparent), ("dynamic", inner.dynamic)) if holds]
    text = " ".join([shlex.quote(str(word)) for word in inner.words])
    head = " ".join([inner.kind + _mark(inner.sure), inner.language]).strip()
    return f"{head}: {text}{' [' + ', '.join(notes) + ']' if notes else ''}".rstrip()
