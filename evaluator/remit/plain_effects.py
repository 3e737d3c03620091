"""The effects of a command line of which everything is certain and that only touches files and hosts: most of them, so quickly.

It gives what `knowledge` would give by the general way, or None where that way is needed.
"""

from __future__ import annotations

from remit.facts import Analysis, RoleUse
from remit.role_words import fits
from remit_dsl.roles import HERE, INSTEAD, PERHAPS, TREE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, TypeAlias

    from remit.arguments import Given
    from remit.facts import Option
    from remit.shell.words import Word

_SIMPLE = frozenset(("read", "write", "delete", "connect", "run", "enter", "acts"))
_BITING = frozenset(("write", "delete", "connect", "run", "acts"))
_READING = frozenset(("read", "run"))
STANDARD_INPUT = frozenset(("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"))

# Bodies that hold, with the indexes of the options they hang on; a list for each depth of nesting.
_Groups: TypeAlias = "list[list[tuple[tuple[int, ...], Mapping[str, Any]]]]"


def plain_effects(
    argv: tuple[Word, ...],
    level: Mapping[str, Any],
    subcommands: tuple[int, ...],
    options: list[Option],
    given: list[Given],
    operands: list[int],
    known: bool = True,
    doubtful: tuple[int, ...] = (),
) -> Analysis | None:
    """The analysis of words that are all certain, for a level whose operands are only touched; None if more is needed."""
    if "plain" not in level:
        return None
    groups: _Groups = []
    readonly, inert, acts = "readonly" in level, "inert" in level, "acts" in level
    teeth: list[int] = []
    if options and "triggers" in level and any([option[0] in level["triggers"] for option in options]):
        groups.append([((), level)])
        if not _activate(groups, level, (), 1, {option.name: option.place for option in reversed(options)}):
            return None
        bodies = [item for group in groups[1:] for item in group]
        readonly = readonly or any(["readonly" in body for _, body in bodies])
        inert = inert or any(["inert" in body for _, body in bodies])
        for triggers, body in bodies:
            if "acts" in body:
                acts = True
                teeth += triggers if readonly else ()
    roles: list[RoleUse] = []
    for item in given:
        if not _option(item, readonly, roles, teeth):
            return None
        acts = acts or any(["acts" in role[0] for role in item.roles])
    if groups:
        if not _nested(argv, groups, operands, readonly, roles, teeth):
            return None
    elif "operands" in level:
        for start, stop, role in level["operands"]:
            if (role[0] or role[4] is not None) and not _claim(
                argv, role, operands[start:stop], (), readonly, roles, teeth
            ):
                return None
    if (groups or "input" in level) and _waits_for_text(level, groups) and not _gives_text(roles):
        return None
    return Analysis(
        known, readonly, inert, acts, subcommands, tuple(options), tuple(operands), doubtful, tuple(roles), (),
        tuple(sorted(set(teeth))) if teeth else (),
    )  # fmt: skip


def _waits_for_text(level: Mapping[str, Any], groups: _Groups) -> bool:
    """Whether standard input is read as text to run, where no word gives any: the innermost body that speaks of it says so."""
    if not groups:
        return "input" in level and any([role[0] for role in level["input"]])
    for group in reversed(groups):
        kinds = [role[0] for _, body in group for role in body.get("input", ())]
        if kinds:
            return any(kinds)
    return False


def _gives_text(roles: list[RoleUse]) -> bool:
    """Whether a word names what is run."""
    return any([use.kind == "run" and use.word not in STANDARD_INPUT for use in roles])


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
    argv: tuple[Word, ...],
    role: list[Any],
    claimed: list[int],
    triggers: tuple[int, ...],
    readonly: bool,
    roles: list[RoleUse],
    teeth: list[int],
) -> bool:
    """Give the operands that a clause claims their role, or the working directory in their stead; False where one may match a pattern."""
    kinds, flags, _, _, pattern = role
    if pattern is not None:
        return not any([fits(pattern, argv[index]) for index in claimed])
    tree = flags & TREE != 0
    for kind in kinds:
        for index in claimed:
            word = argv[index]
            if word != "-" or kind not in _READING:  # standard input is no file
                roles.append(RoleUse(kind, word, index, tree, True))
        if not claimed and flags & HERE:
            roles.append(RoleUse(kind, INSTEAD.get(kind, "."), 0, tree, True))
        if readonly and kind in _BITING and (claimed or flags & HERE):
            teeth += triggers or claimed
    return True


def _nested(
    argv: tuple[Word, ...],
    groups: _Groups,
    operands: list[int],
    readonly: bool,
    roles: list[RoleUse],
    teeth: list[int],
) -> bool:
    """Each operand has the roles of the innermost bodies that claim it."""
    left = set(operands)
    here = True
    for group in reversed(groups):
        taken: set[int] = set()
        speaks = False
        for triggers, body in group:
            for start, stop, role in body.get("operands", ()):
                mine = operands[start:stop]
                rest = [index for index in mine if index in left]
                speaks = speaks or (start is None and stop is None) or role[1] & HERE != 0
                if rest or (here and not mine and role[1] & HERE):
                    if not _claim(argv, role, rest, triggers, readonly, roles, teeth):
                        return False
                    taken.update(rest)
        left -= taken
        here = here and not speaks
    return True
