"""Program declarations of all files, merged: the standard's, what the organisation adds to them, and what others declare anew."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from remit_dsl.checks.definitions import overrides
from remit_dsl.checks.findings import Findings
from remit_dsl.checks.rights import LOOSENING, has_right
from remit_dsl.globs import parse_glob
from remit_dsl.policy import Declared
from remit_dsl.programs import merge_programs
from remit_dsl.records import NamedTuple
from remit_dsl.tree import ProgramDef

Spec = dict[str, Any]
Compile = Callable[[Declared, ProgramDef], Spec | None]


class Programs(NamedTuple):
    """specs: the compiled declarations; names: program -> position of its own."""

    specs: list[Spec]
    names: dict[str, int]


def merge_all(
    files: Iterable[Declared],
    compiled: Compile,
    rights: Mapping[Declared, frozenset[str]],
    findings: Mapping[Declared, Findings],
) -> Programs:
    """The declarations in force. `files` come with the standard library first, then by tier; `compiled` gives a declaration's spec,
    None for a wrong one. A file extends what its own tier declares (the highest tier: the standard's too) and nothing else."""
    specs: list[Spec] = []
    names: dict[str, int] = {}
    owners: dict[str, Declared] = {}
    for file in files:
        for node in file.programs:
            subject = f"program `{node.names[0].text}`"
            spec = compiled(file, node)
            if spec is None or not has_right(LOOSENING, rights[file], node.names[0].span, findings[file], subject):
                continue
            place: int | None = None
            for name in node.names:
                owner = owners.setdefault(name.text, file)
                if owner is not file and owner.tier != file.tier and not overrides(file, owner):
                    message = f"program `{name.text}` has no effect here: a higher tier declares it"
                    where = "the standard library" if owner.standard else owner.source.name
                    findings[file].warning("W602", name.span, message, f"it is declared in {where}")
                elif name.text in names:
                    specs.append(merge_programs(specs[names[name.text]], spec))
                    names[name.text] = len(specs) - 1
                else:
                    if place is None:
                        place = len(specs)
                        specs.append(spec)
                    names[name.text] = place
    return _compact(specs, names)


def _compact(specs: list[Spec], names: dict[str, int]) -> Programs:
    """Without the specs that merging left behind."""
    places: dict[int, int] = {}
    kept: list[Spec] = []
    for index in names.values():
        if index not in places:
            places[index] = len(kept)
            kept.append(specs[index])
    return Programs(kept, {name: places[index] for name, index in names.items()})


class Environment(NamedTuple):
    """harmless: [name glob, value glob or None] pairs; runs: name globs."""

    harmless: list[list[Any]]
    runs: list[Any]


def environment(
    files: Iterable[Declared], rights: Mapping[Declared, frozenset[str]], findings: Mapping[Declared, Findings]
) -> Environment:
    """What assignments in front of commands mean. Calling one harmless loosens; saying that one runs something does not."""
    harmless: list[list[Any]] = []
    runs: list[Any] = []
    for file in files:
        for node in file.env:
            if node.kind == "harmless" and not has_right(LOOSENING, rights[file], node.span, findings[file], "`env`"):
                continue
            for name in node.names:
                variable, equals, value = name.value.partition("=")
                glob = parse_glob(variable, question=False, classes=False)
                if node.kind == "runs":
                    runs.append(glob)
                else:
                    harmless.append([glob, parse_glob(value, question=False, classes=False) if equals else None])
                if not variable or (equals and node.kind == "runs"):
                    help_text = "write `NAME` or `NAME_*`; only harmless ones may say a value"
                    findings[file].error("E309", name.span, f"`{name.value}` names no variable", help_text)
    return Environment(harmless, runs)
