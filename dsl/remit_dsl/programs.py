"""What a `program` declaration compiles to: plain JSON values that `remit.knowledge` reads on the hot path.

A level (the program, or one of its subcommands) is a dict; keys that would say nothing are left out:
  readonly, inert, acts, other   True when the trait is declared (`other`: `other options harmless`)
  style      list of style words (a subcommand has those of its program too)
  options    {spelling: [canonical name, takes (0 nothing, 1 a value, 2 an attached value), [role…]]}
  globals    the same, for options that are valid in subcommands too
  operands   [[start, stop, role]…], as Python slices; null for an open end
  input      [role…] of standard input
  with       [[[canonical name…], body]…]; a body has traits, `operands`, `input`, `with`, `stops`, `bites` (of its own), `plain` and
             `roles`: {canonical name: [role…]}, which an option has instead of its own while the block holds
  subs, levels   {name: index into levels}, the subcommands
  aliases    {name: [every name of that subcommand]}, where several are one (`style aliases`); a name may be two words
  stops      the operand position at which options end, because a command, a script or its text begins there
  bare       True when an option is spelled without a leading dash
  positional True when it matters which operand is which
  plain      True when the operands, outside of inner `with` blocks, are only touched, unless one matches a pattern
  triggers   the options of the outermost `with` blocks
  changed    the options whose roles a `with` block changes
  late_stops True when a `with` block has `stops`
  bites      True when an option writes, deletes, connects, runs or acts
A role is [kinds, flags, language, until, pattern]: kinds are the basic role words (`edit` is read and write, `link` those of a
tree), flags a sum of those in `roles`, until a list of terminators (each a list of words), pattern a list of the literal
runs between the stars of `matching`, or null.

Spellings in one option clause are one option when both a letter (`-f`) and a word (`--force`) are among them; the first is its
canonical name. Otherwise (`-a, -b`) each is an option of its own.
"""

from __future__ import annotations

from remit_dsl.roles import ASSIGNS, FLAGS, HERE, PERHAPS, TREE
from remit_dsl.tree import (
    OperandClause,
    OptionClause,
    ProgramClause,
    ProgramDef,
    Role,
    SubcommandClause,
    Trait,
    WithClause,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

ALIASES = "aliases"  # the style of a subcommand whose names are one
_NAMING = frozenset(("subs", "levels", "aliases"))
TAKES = {"none": 0, "value": 1, "optional": 2}
TRAITS = {"readonly": "readonly", "inert": "inert", "acts": "acts", "other options harmless": "other"}

# Word of a role -> the kinds it stands for. `value` and `clears` (a variable that is unset) touch nothing.
KINDS: dict[str, tuple[str, ...]] = {
    "value": (),
    "clears": (),
    "edit": ("read", "write"),
    "link": ("read", "write"),
    **{
        kind: (kind,)
        for kind in ("read", "write", "delete", "connect", "run", "shell", "command", "enter", "acts", "placeholder")
    },
}
_VALUE: list[Any] = [[], 0, "", [], None]  # what touches nothing
# Operands after one of these belong to what is run: getopt(3) with a leading `+`, as every wrapper uses it.
_STOPPING = frozenset(("command", "shell", "run"))
_TOUCHING = frozenset(("read", "write", "delete", "connect", "run", "enter"))
_BITING = frozenset(("write", "delete", "connect", "run", "shell", "command", "code", "acts"))


def compile_program(definition: ProgramDef) -> dict[str, Any]:
    """The level of a program whose declaration `check_program` found nothing wrong with."""
    return _level(definition.body, (), {})


def merge_programs(base: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """`base` extended by a later declaration of the same program: what either says holds. Neither argument is changed.

    Roles of one option add up, so an extension can not take a role away; what an option takes is as the later one says.
    """
    merged = _merge_body(base, more)
    for key in ("options", "globals"):
        options = {**base.get(key, {})}
        for spelling, entry in more.get(key, {}).items():
            options[spelling] = _merge_option(options[spelling], entry) if spelling in options else entry
        if options:
            merged[key] = options
    merged["levels"] = list(base.get("levels", ()))
    merged["subs"] = dict(base.get("subs", {}))
    merged["aliases"] = {**base.get("aliases", {}), **more.get("aliases", {})}
    for name, index in more.get("subs", {}).items():
        known, inner = merged["subs"].get(name), more["levels"][index]
        # A level of its own: names of the old level that are no other names of this one are not extended.
        inner = inner if known is None else merge_programs(merged["levels"][known], inner)
        names = merged["aliases"].get(name, [name])
        _add_subcommand(merged, [text for text in names if " " not in text], inner)
        for text in names:
            _add_below(merged, text, inner)
    return _summarised({key: value for key, value in merged.items() if value or key not in _NAMING})


def compile_role(role: Role) -> list[Any]:
    """A role in its JSON form."""
    kinds: list[str] = []
    flags, language = 0, ""
    for word in role.words:
        if word in FLAGS:
            flags |= FLAGS[word]
        elif word.startswith("code "):
            language = word[len("code ") :]
            kinds.append("code")
        else:
            kinds += [kind for kind in KINDS[word] if kind not in kinds]
            flags |= TREE if word == "link" else 0
    pattern = None if role.matching is None else role.matching.split("*")
    return [kinds, flags, language, [terminator.split() for terminator in role.until], pattern]


def _level(clauses: tuple[ProgramClause, ...], style: tuple[str, ...], outer: dict[str, Any]) -> dict[str, Any]:
    level = _body(clauses)
    words = (*style, *[word for clause in clauses for word in style_words(clause) if word != ALIASES])
    if words:
        level["style"] = list(dict.fromkeys(words))
    _add_options(level, clauses)
    _resolve_with({**outer, **level.get("options", {})}, level)
    below: list[tuple[str, dict[str, Any]]] = []
    for clause in clauses:
        if isinstance(clause, SubcommandClause):
            inner = _level(clause.body, tuple(words), {**outer, **level.get("globals", {})})
            _add_subcommand(level, [name.text for name in clause.names if " " not in name.text], inner)
            if any(ALIASES in style_words(part) for part in clause.body):
                names = [name.text for name in clause.names]
                level.setdefault("aliases", {}).update(dict.fromkeys(names, names))
                below += [(name, inner) for name in names]
    for name, inner in below:
        _add_below(level, name, inner)
    return _summarised(level)


def _add_subcommand(level: dict[str, Any], names: list[str], inner: dict[str, Any]) -> None:
    """Let `inner` be the level of these names."""
    level.setdefault("levels", []).append(inner)
    level.setdefault("subs", {}).update(dict.fromkeys(names, len(level["levels"]) - 1))


def _add_below(level: dict[str, Any], name: str, inner: dict[str, Any]) -> None:
    """A name of two words is a subcommand of a subcommand, which has a level of its own from then on."""
    first, blank, second = name.partition(" ")
    if not blank:
        return
    subs, levels = level.setdefault("subs", {}), level.setdefault("levels", [])
    outer: dict[str, Any] = dict(levels[subs[first]]) if first in subs else {"acts": True}
    outer["levels"], outer["subs"] = list(outer.get("levels", ())), dict(outer.get("subs", {}))
    same = next((at for at, known in enumerate(outer["levels"]) if known is inner), None)
    if same is None:
        _add_subcommand(outer, [second], inner)
    else:
        outer["subs"][second] = same
    if list(subs.values()).count(subs.get(first)) == 1:
        levels[subs[first]] = _summarised(outer)
    else:
        _add_subcommand(level, [first], _summarised(outer))


def _summarised(level: dict[str, Any]) -> dict[str, Any]:
    """`level` with what can be told from its clauses beforehand."""
    triggers = [name for names, _ in level.get("with", ()) for name in names]
    if triggers:
        level["triggers"] = list(dict.fromkeys(triggers))
    changed = _changed(level)
    if changed:
        level["changed"] = sorted(changed)
    for key, holds in (
        ("positional", _is_positional),
        ("bites", _bites),
        ("plain", _is_plain),
        ("late_stops", _stops_late),
    ):
        if holds(level):
            level[key] = True
        else:
            level.pop(key, None)
    return level


def style_words(clause: ProgramClause) -> list[str]:
    """The style words that a clause adds."""
    if isinstance(clause, Trait) and clause.text.startswith("style "):
        return clause.text.split()[1:]
    return []


def _body(clauses: tuple[ProgramClause, ...]) -> dict[str, Any]:
    body: dict[str, Any] = {}
    for clause in clauses:
        if isinstance(clause, Trait) and clause.text in TRAITS:
            body[TRAITS[clause.text]] = True
        elif isinstance(clause, OperandClause):
            role = compile_role(clause.role)
            if clause.selector is None:
                body.setdefault("input", []).append(role)
            else:
                _add_operands(body, clause.selector.start, clause.selector.stop, role)
        elif isinstance(clause, WithClause):
            inner = _body(clause.body)
            for option in clause.body:
                if isinstance(option, OptionClause):
                    for name in option.spellings:
                        roles = inner.setdefault("roles", {}).setdefault(name.text, [])
                        roles += [compile_role(role) for role in option.roles]
            if (
                inner.get("acts")
                or _roles_bite([row[2] for row in inner.get("operands", ())])
                or any(_roles_bite(roles) for roles in inner.get("roles", {}).values())
            ):
                inner["bites"] = True
            if _is_plain(inner):
                inner["plain"] = True
            body.setdefault("with", []).append([[name.text for name in clause.spellings], inner])
    return body


def _add_operands(body: dict[str, Any], start: int | None, stop: int | None, role: list[Any]) -> None:
    body.setdefault("operands", []).append([start, stop, role])
    if not _STOPPING.isdisjoint(role[0]) and (start or 0) >= 0 and role[4] is None:
        body["stops"] = min(body.get("stops", start or 0), start or 0)


def _add_options(level: dict[str, Any], clauses: tuple[ProgramClause, ...]) -> None:
    options: dict[str, list[Any]] = {}
    for clause in clauses:
        if not isinstance(clause, OptionClause):
            continue
        roles = [compile_role(role) for role in clause.roles]
        first = clause.spellings[0].text
        together = is_one_option(clause)
        for name in clause.spellings:
            canonical = first if together else name.text
            entry = options.setdefault(name.text, [canonical, TAKES[clause.takes], []])
            entry[2] = entry[2] + roles
            if clause.is_global:
                level.setdefault("globals", {})[name.text] = entry
            if (name.text == "-" or name.text[0] not in "-+") and not name.text.endswith("="):
                level["bare"] = True
    _share_roles(options.values())
    for entry in options.values():
        if all(role == _VALUE for role in entry[2]):
            entry[2] = []
    if options:
        level["options"] = options


def _share_roles(entries: Iterable[list[Any]]) -> None:
    """A clause that gives roles to one spelling of an option gives them to all of its spellings."""
    by_name: dict[str, list[Any]] = {}
    for entry in entries:
        roles = by_name.setdefault(entry[0], [])
        roles += [role for role in entry[2] if role not in roles]
    for entry in entries:
        entry[2] = by_name[entry[0]]


def is_one_option(clause: OptionClause) -> bool:
    """Whether the spellings of a clause name one option: a letter and a word are among them."""
    names = [name.text for name in clause.spellings]
    return any(len(name) == 2 for name in names) and any(name.startswith("--") for name in names)


def _stops_late(body: dict[str, Any]) -> bool:
    return any("stops" in inner or _stops_late(inner) for _, inner in body.get("with", ()))


def _is_plain(level: dict[str, Any]) -> bool:
    """Whether operands are only touched, whatever may be special about those that match a pattern."""
    return "roles" not in level and all(_touches_only(role) for _, _, role in level.get("operands", ()))


def _touches_only(role: list[Any]) -> bool:
    if role[4] is not None:
        return not role[1] & (ASSIGNS | HERE)
    return _TOUCHING.issuperset(role[0]) and not role[1] & (ASSIGNS | PERHAPS)


def _resolve_with(options: dict[str, Any], body: dict[str, Any]) -> None:
    for row in body.get("with", ()):
        row[0] = [options[name][0] if name in options else name for name in row[0]]
        if "roles" in row[1]:
            row[1]["roles"] = _by_canonical_name(options, row[1]["roles"])
        _resolve_with(options, row[1])


def _by_canonical_name(options: dict[str, Any], roles: dict[str, Any]) -> dict[str, Any]:
    """Roles by the canonical names of options: what is said of one spelling is said of all."""
    found: dict[str, Any] = {}
    for name, rows in roles.items():
        known = found.setdefault(options[name][0] if name in options else name, [])
        known += [role for role in rows if role not in known]
    return found


def _changed(body: dict[str, Any]) -> set[str]:
    names = set(body.get("roles", ()))
    return names.union(*[_changed(inner) for _, inner in body.get("with", ())])


def _is_positional(body: dict[str, Any]) -> bool:
    clauses = body.get("operands", ())
    return any(clause[:2] != [None, None] for clause in clauses) or any(
        _is_positional(inner) for _, inner in body.get("with", ())
    )


def _bites(level: dict[str, Any]) -> bool:
    options = level.get("options", {}).values()
    return any(_roles_bite(entry[2]) for entry in options) or any(
        _body_bites(body) for _, body in level.get("with", ())
    )


def _body_bites(body: dict[str, Any]) -> bool:
    return "bites" in body or any(_body_bites(inner) for _, inner in body.get("with", ()))


def _roles_bite(roles: list[list[Any]]) -> bool:
    return any(not _BITING.isdisjoint(role[0]) for role in roles)


def _merge_option(old: list[Any], new: list[Any]) -> list[Any]:
    return [old[0], new[1], old[2] + [role for role in new[2] if role not in old[2]]]


def _merge_body(base: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    merged = {**base, **more}
    for key in ("operands", "input", "with", "style"):
        rows = [*base.get(key, ()), *[row for row in more.get(key, ()) if row not in base.get(key, ())]]
        if rows:
            merged[key] = rows
    if "stops" in base and "stops" in more:
        merged["stops"] = min(base["stops"], more["stops"])
    return merged
