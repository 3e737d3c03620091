"""Syntax trees as text without places, so that two can be compared and one can be read."""

from __future__ import annotations

import dataclasses
from operator import attrgetter
from typing import Any

from remit_dsl.tree import File, Rule


def shape(node: Any) -> str:
    """`Class(field=value, …)`; places and fields that say nothing (None, False, empty) are left out."""
    if isinstance(node, tuple):
        return "[" + ", ".join(map(shape, node)) + "]"
    if not dataclasses.is_dataclass(node):
        return repr(node)
    fields = [(f.name, getattr(node, f.name)) for f in dataclasses.fields(node) if f.name != "span"]
    shown = [f"{name}={shape(value)}" for name, value in fields if value not in (None, (), "") and value is not False]
    return f"{type(node).__name__}({', '.join(shown)})"


def same_policy(file: File) -> list[str]:
    """What two files share that say the same: the shapes of all statements, with the clauses of rules sorted."""
    statements = []
    for node in file.statements:
        if isinstance(node, Rule):
            # A stable sort: repeated clauses keep their order.
            node = dataclasses.replace(node, clauses=tuple(sorted(node.clauses, key=attrgetter("keyword"))))
        statements.append(shape(node))
    return statements
