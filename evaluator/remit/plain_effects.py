"""The effects of a command line of which everything is certain and that only touches files and hosts: most of them, so quickly.

It gives what `knowledge` would give by the general way, or None where that way is needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from remit.arguments import Arguments, Given
from remit.facts import Analysis, RoleUse
from remit_dsl.roles import HERE, PERHAPS, TREE

_SIMPLE = frozenset(("read", "write", "delete", "connect", "run", "enter", "acts"))
_BITING = frozenset(("write", "delete", "connect", "run", "acts"))
_READING = frozenset(("read", "run"))

# Bodies that hold, with the indexes of the options they hang on; a list for each depth of nesting.
_Groups = list[list[tuple[tuple[int, ...], Mapping[str, Any]]]]


def simple_effects(arguments: Arguments) -> Analysis | None:
    """The analysis of arguments without uncertain words, for a level whose operands are only touched; None if more is needed."""
    level = arguments.level
    groups: _Groups = [[((), level)]]
    if "triggers" in level and arguments.options:
        indexes = {option.name: option.place for option in reversed(arguments.options)}
        if not _activate(groups, level, (), 1, indexes):
            return None
    readonly, acts = "readonly" in level, "acts" in level
    teeth: list[int] = []
    if len(groups) > 1:
        bodies = [(triggers, body) for group in groups[1:] for triggers, body in group]
        readonly = readonly or any(["readonly" in body for _, body in bodies])
        for triggers, body in bodies:
            if "acts" in body:
                acts = True
                teeth += triggers if readonly else ()
    roles: list[RoleUse] = []
    for given in arguments.given:
        if not _option(given, readonly, roles, teeth):
            return None
        acts = acts or any(["acts" in role[0] for role in given.roles])
    if len(groups) == 1:
        for clause in level.get("operands", ()):
            _claim(arguments, clause, arguments.operands[clause[0] : clause[1]], (), readonly, roles, teeth)
    else:
        _nested(arguments, groups, readonly, roles, teeth)
    return Analysis(
        arguments.known,
        readonly,
        "inert" in level or (len(groups) > 1 and any(["inert" in body for group in groups for _, body in group])),
        acts,
        arguments.subcommands,
        tuple(arguments.options),
        tuple(arguments.operands),
        tuple(arguments.doubtful),
        tuple(roles),
        (),
        tuple(sorted(set(teeth))) if teeth else (),
    )


def _option(given: Given, readonly: bool, roles: list[RoleUse], teeth: list[int]) -> bool:
    """Give an option's value its roles; whether they are simple."""
    option, rows, at, _ = given
    value = option.value
    for kinds, flags, _, until, pattern in rows:
        if pattern is not None or until or flags & PERHAPS or not _SIMPLE.issuperset(kinds):
            return False
        for kind in kinds:
            if kind in _BITING and (readonly or kind == "run"):
                teeth.append(option.place)
            if value is not None and value != "-" and kind != "acts":
                roles.append(RoleUse(kind, value, at, flags & TREE != 0, True))
    return True


def _activate(
    groups: _Groups, outer: Mapping[str, Any], triggers: tuple[int, ...], depth: int, given: Mapping[str, int]
) -> bool:
    """Add the `with` bodies that hold; whether all of them are plain."""
    for names, body in outer.get("with", ()):
        for name in names:
            if name in given:
                break
        else:
            continue
        if "plain" not in body:
            return False
        own = triggers if "bites" in outer and depth > 1 else (*triggers, given[name])
        if len(groups) == depth:
            groups.append([])
        groups[depth].append((own, body))
        if "with" in body and not _activate(groups, body, own, depth + 1, given):
            return False
    return True


def _claim(
    arguments: Arguments,
    clause: list[Any],
    claimed: list[int],
    triggers: tuple[int, ...],
    readonly: bool,
    roles: list[RoleUse],
    teeth: list[int],
) -> None:
    """Give a clause's roles to the operands that it claims, or to the working directory in their stead."""
    kinds, flags, _, _, _ = clause[2]
    argv, tree = arguments.argv, flags & TREE != 0
    for kind in kinds:
        for index in claimed:
            word = argv[index]
            if word != "-" or kind not in _READING:  # standard input is no file
                roles.append(RoleUse(kind, word, index, tree, True))
        if not claimed and flags & HERE:
            roles.append(RoleUse(kind, ".", 0, tree, True))
        if readonly and kind in _BITING and (claimed or flags & HERE):
            teeth += triggers or claimed


def _nested(arguments: Arguments, groups: _Groups, readonly: bool, roles: list[RoleUse], teeth: list[int]) -> None:
    """Each operand has the roles of the innermost bodies that claim it."""
    left = set(arguments.operands)
    here = True
    for group in reversed(groups):
        taken: set[int] = set()
        speaks = False
        for triggers, body in group:
            for clause in body.get("operands", ()):
                start, stop, role = clause
                mine = arguments.operands[start:stop]
                rest = [index for index in mine if index in left]
                speaks = speaks or (start is None and stop is None) or role[1] & HERE != 0
                if rest or (here and not mine and role[1] & HERE):
                    _claim(arguments, clause, rest, triggers, readonly, roles, teeth)
                    taken.update(rest)
        left -= taken
        here = here and not speaks
