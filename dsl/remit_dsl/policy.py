"""Policies on their way to a program: given, declared, checked. Data only.

A `PolicySource` is what a caller hands in. `Declared` is what one file says by itself, `World` what all files declare together, and
`CheckedFile` the file's rules and defaults with every name resolved in that world.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from remit_dsl.diagnostics import Diagnostic
from remit_dsl.program import TIERS
from remit_dsl.records import NamedTuple
from remit_dsl.source import Source, Span
from remit_dsl.tree import (
    DataDef,
    EnvDef,
    File,
    ForbidMode,
    LowerTiers,
    ModeDef,
    OnUnparseable,
    ProgramDef,
    SetDef,
    Test,
    ToolDef,
    Use,
)

Row = list[Any]

RIGHTS = ("deny", "ask", "guard", "allow")


class PolicySource(NamedTuple):
    """A policy file as it was found.

    tier: what it belongs to when its header names none. claims: the tiers its header may name; another one is reported and `tier`
    holds. trusted: False for files that may only tighten. data: JSON text by file name, for `data … from "file"`.
    """

    source: Source
    tier: str = "user"
    trusted: bool = True
    data: Mapping[str, str] = {}
    claims: tuple[str, ...] = TIERS


class SetValue(NamedTuple):
    """A set, its items compiled. key: its name in the program."""

    kind: str
    key: str
    patterns: tuple[Any, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Declared:
    """What one file declares, not yet looked at together with others. Compared by identity: a file that did not change is the
    same object, and what was found out about it stays valid. `standard`: it is part of the standard library."""

    source: Source
    name: str
    name_span: Span
    tier: str
    trusted: bool
    title: str
    owner: str
    file: File
    uses: tuple[Use, ...] = ()
    sets: Mapping[str, SetValue] = field(default_factory=dict)
    set_defs: tuple[SetDef, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    data_defs: tuple[DataDef, ...] = ()
    tools: tuple[ToolDef, ...] = ()
    modes: tuple[ModeDef, ...] = ()
    programs: tuple[ProgramDef, ...] = ()
    env: tuple[EnvDef, ...] = ()
    forbidden: tuple[ForbidMode, ...] = ()
    lower: tuple[LowerTiers, ...] = ()
    unparseable: tuple[OnUnparseable, ...] = ()
    tests: tuple[Test, ...] = ()
    labels: frozenset[str] = frozenset()
    standard: bool = False
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class World:
    """What the rules of a file may refer to.

    tools: name -> kind of the subject ("" for a tool without one). aliases: an agent's own name -> the common name. modes: every name ->
    all names of that mode. sets: as seen from the file. rights: the effects that the file may use in rules; defaults: those it may use as
    defaults.
    """

    tools: Mapping[str, str]
    aliases: Mapping[str, str]
    modes: Mapping[str, tuple[str, ...]]
    sets: Mapping[str, SetValue]
    rights: frozenset[str]
    defaults: frozenset[str]


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """A file's rows for the program (program.Rule and program.Default as lists, with the line they stand on), and its findings."""

    rules: tuple[tuple[int, Row], ...]
    defaults: tuple[tuple[int, Row], ...]
    word_sets: frozenset[str]
    diagnostics: tuple[Diagnostic, ...]
