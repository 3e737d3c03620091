"""Modes: what each says of its own, under every one of its names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from remit_dsl.checks.contents import check_target
from remit_dsl.checks.definitions import Defined
from remit_dsl.checks.findings import Findings
from remit_dsl.checks.rights import LOOSENING
from remit_dsl.checks.rules import known_mode, plain
from remit_dsl.policy import Declared, Row, World
from remit_dsl.tree import ModeDef


def mode_names(defined: Mapping[str, Defined]) -> dict[str, tuple[str, ...]]:
    """name -> all names in force of the mode it is a name of."""
    groups: dict[int, list[str]] = {}
    for name, found in defined.items():
        groups.setdefault(id(found.node), []).append(name)
    return {name: tuple(groups[id(found.node)]) for name, found in defined.items()}


def mode_rows(
    defined: Mapping[str, Defined],
    world_of: Callable[[Declared], World],
    findings: Mapping[Declared, Findings],
    used: set[str],
) -> dict[str, Row]:
    """name -> [canonical name, only_readonly, allow_everything, [targets], ask_becomes, narrow]."""
    done: dict[int, Row] = {}
    for found in defined.values():
        if id(found.node) not in done:
            assert isinstance(found.node, ModeDef)
            done[id(found.node)] = _row(found.node, world_of(found.file), findings[found.file], used)
    return {name: done[id(found.node)] for name, found in defined.items()}


def _row(node: ModeDef, world: World, findings: Findings, used: set[str]) -> Row:
    only_readonly = allow_everything = narrow = False
    targets: list[Row] = []
    becomes = ""
    for item in node.items:
        if item.kind == "only_readonly":
            only_readonly = True
        elif item.kind == "narrow":
            narrow = True
        elif item.kind == "ask_becomes":
            if becomes and becomes != item.becomes:
                findings.error("E208", item.span, f"asks already become {becomes} in this mode")
            becomes = item.becomes
        elif not item.targets:
            allow_everything = True
        else:
            rows = [check_target(target, world, findings, used) for target in item.targets]
            targets += [plain(row) for row in rows if row is not None]
    return [node.names[0].text, only_readonly, allow_everything, targets, becomes, narrow]


def forbidden_modes(
    files: Iterable[Declared],
    world_of: Callable[[Declared], World],
    rows: Mapping[str, Row],
    findings: Mapping[Declared, Findings],
) -> list[str]:
    """All names of the modes that some file forbids. Taking a mode away that holds the agent back loosens, and needs that right."""
    forbidden: set[str] = set()
    for file in files:
        for statement in file.forbidden:
            for name in statement.modes:
                world = world_of(file)
                names = known_mode(name, world, findings[file])
                restrains = bool(names) and _restrains(rows[names[0]])
                if restrains and LOOSENING not in world.rights:
                    message = f"forbidding mode `{name.text}` has no effect: it would loosen"
                    findings[file].warning("W601", name.span, message)
                else:
                    forbidden.update(names)
    return sorted(forbidden)


def _restrains(row: Row) -> bool:
    """Whether something that the mode refuses or asks about would run without it."""
    return bool(row[1] or row[4] == "deny" or row[5])
