"""Which options a word of a pattern spells, by the declaration of the program: bundles, abbreviations, attached values."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

Spelled = tuple[str, str | None]  # canonical name, value


def canonical_options(spec: Mapping[str, Any] | None, subcommands: Sequence[str], word: str) -> list[Spelled]:
    """The options that `word` (which starts with `-`) spells behind `subcommands`: canonical names, each with its value if the word
    holds one. Undeclared ones keep their own spelling, as in an analysis."""
    options = _options_at(spec, subcommands)
    entry = options.get(word)
    if entry is not None:
        return [(entry[0], None)]
    if word.startswith("--"):
        return [_long(options, word)]
    if spec is not None and "single-dash" in spec.get("style", ()):
        return [(word, None)]
    return _bundle(options, word)


def takes_next(spec: Mapping[str, Any] | None, subcommands: Sequence[str], word: str) -> bool:
    """Whether the option that `word` ends with takes the next word of a pattern as its value."""
    names = canonical_options(spec, subcommands, word)
    options = _options_at(spec, subcommands)
    name, value = names[-1]
    entry = options.get(name)
    return value is None and entry is not None and entry[1] == 1


def may_take(spec: Mapping[str, Any] | None, subcommands: Sequence[str], name: str) -> bool:
    """Whether an option that was given without a value may have the next word as one: nobody declared it, or its value is optional."""
    entry = _options_at(spec, subcommands).get(name)
    return entry is None or entry[1] == 2


# (identity of a declaration, subcommands) -> the declaration, so that it stays, and its options; it follows from the program alone.
_TABLES: dict[tuple[int, tuple[str, ...]], tuple[Mapping[str, Any], dict[str, Any]]] = {}
MAX_TABLES = 1024


def _options_at(spec: Mapping[str, Any] | None, subcommands: Sequence[str]) -> dict[str, Any]:
    """Every option that can be given behind the subcommands: the level's own, and the global ones around it."""
    if spec is None:
        return {}
    key = (id(spec), tuple(subcommands))
    known = _TABLES.get(key)
    if known is None or known[0] is not spec:
        if len(_TABLES) >= MAX_TABLES:
            _TABLES.clear()
        known = _TABLES[key] = (spec, _merged_options(spec, subcommands))
    return known[1]


def _merged_options(spec: Mapping[str, Any], subcommands: Sequence[str]) -> dict[str, Any]:
    level = spec
    options = dict(level.get("options", {}))
    for name in subcommands:
        place = level.get("subs", {}).get(name)
        if place is None:
            break
        outer = level.get("globals", {})
        level = level["levels"][place]
        options = {**options, **outer, **level.get("options", {})}
    return options


def _long(options: Mapping[str, Any], word: str) -> Spelled:
    name, equals, value = word.partition("=")
    entry = options.get(name)
    if entry is None:
        found = {item[0] for spelling, item in options.items() if len(name) > 2 and spelling.startswith(name)}
        return (found.pop() if len(found) == 1 else name), (value if equals else None)
    return entry[0], (value if equals else None)


def _bundle(options: Mapping[str, Any], word: str) -> list[Spelled]:
    found: list[Spelled] = []
    for at in range(1, len(word)):
        entry = options.get("-" + word[at])
        name = entry[0] if entry is not None else "-" + word[at]
        if entry is not None and entry[1]:
            return [*found, (name, word[at + 1 :] or None)]
        found.append((name, None))
    return found


def all_declared(spec: Mapping[str, Any], subcommands: Sequence[str], names: Iterable[str]) -> bool:
    """Whether every one of these options of an analysis is declared behind the subcommands."""
    declared = {entry[0] for entry in _options_at(spec, subcommands).values()}
    return all(name in declared for name in names)


def other_paths(spec: Mapping[str, Any], path: Sequence[str]) -> list[tuple[str, ...]]:
    """Every way to spell the subcommands `path`, itself among them: `npm i` is `npm install`, `docker container rm` is `docker rm`."""
    found: list[tuple[str, ...]] = [()]
    level, at = spec, 0
    while at < len(path):
        aliases = level.get("aliases", {})
        pair = " ".join(path[at : at + 2])
        name = pair if pair in aliases else path[at]
        names = aliases.get(name, (name,))
        found = [(*before, *text.split(" ")) for before in found for text in names]
        for word in name.split(" "):
            level = level["levels"][level["subs"][word]]
            at += 1
    return found


_RUNNING = frozenset(("run", "shell", "command"))


def runs_by_option(spec: Mapping[str, Any]) -> bool:
    """Whether some option of the program, at any level, runs something."""
    levels = [spec, *spec.get("levels", ())]
    entries = [entry for level in levels for key in ("options", "globals") for entry in level.get(key, {}).values()]
    if any(not _RUNNING.isdisjoint(role[0]) for entry in entries for role in entry[2]):
        return True
    return any(runs_by_option(level) for level in spec.get("levels", ()))


def runs_operands(spec: Mapping[str, Any]) -> bool:
    """Whether the program runs what its operands or its standard input say: shells, interpreters, wrappers. (Source text in words of
    some form, such as make's variables, is not what it is called for.)"""
    rows = [row[2:] for row in spec.get("operands", ())] + [spec.get("input", ())]
    kinds = {kind for row in rows for role in row for kind in role[0] if kind != "code" or role[4] is None}
    return not kinds.isdisjoint((*_RUNNING, "code"))
