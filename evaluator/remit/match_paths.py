"""Path patterns against paths: three-valued. Pure.

Widely (deny, ask, guard) one spelling that matches is enough, and a pattern covers what lies below it as well. Narrowly
(allow) every spelling must match. Both take time linear in pattern x path.
"""

from __future__ import annotations

from remit.facts import MAYBE, NO, YES, PathFact
from remit.roots import Roots, literal_start, split_path
from remit_dsl.globs import ANY, ANY_DEPTH, fold_glob, fold_text, glob_covers, glob_matches, globs_overlap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TypeAlias

Parts: TypeAlias = "tuple[Any, ...]"


def match_path(pattern: Any, fact: PathFact, roots: Roots, wide: bool, tree: bool) -> int:
    """Truth of a PathPattern (or its row) on a path. tree: everything below the path is touched as well.

    Widely, a tree that a floating pattern (`**/x`, `x`) may match inside of gives NO here, as only a look at the real tree
    can tell, unless the pattern has begun to match (`**/x/y` at `…/x`). Narrowly, only a pattern that ends in `**` covers
    a tree.
    """
    anchor, parts = pattern[0], pattern[1]
    if not wide and tree and (not parts or parts[-1] != ANY_DEPTH):
        return NO
    bases = _bases(anchor, roots, wide)
    if not bases:
        return MAYBE if wide else NO
    if anchor == "*":
        parts = (ANY_DEPTH, *parts)
    if not fact.paths:
        if wide and tree and fact.shapes and floats(pattern) and not _meets_folder(bases, parts, fact):
            # What the globs find lies in the folder that was looked at, unless they ask for nothing but what the pattern matches.
            return YES if _match_shapes(bases, parts, fact, wide, False) == YES else NO
        return _match_shapes(bases, parts, fact, wide, tree)
    if not wide:
        return YES if all(_matches(bases, parts, path, fact.fold, False) for path in fact.paths) else NO
    if any(_matches(bases, parts, path, fact.fold, True) for path in fact.paths):
        return YES
    if not tree:
        return NO
    if bases == ("/",) and parts and parts[0] == ANY_DEPTH:
        return max([_has_begun(parts, path, fact.fold) for path in fact.paths])
    return max([_matches_below(split_path(base) + parts, path, fact.fold) for base in bases for path in fact.paths])


def floats(pattern: Any) -> bool:
    """Whether a pattern may match at any depth, so that only a look at the real tree tells whether it does below a folder."""
    anchor, parts = pattern[0], pattern[1]
    return bool(anchor == "*" or (anchor == "/" and parts and parts[0] == ANY_DEPTH))


def _meets_folder(bases: tuple[str, ...], parts: Parts, fact: PathFact) -> bool:
    """Whether a floating pattern matches the folder that globs are looked for in, or one above, or has begun to match it."""
    folders = ["/" + "/".join(literal_start(shape)) for shape in fact.shapes]
    return any(_matches(bases, parts, at, fact.fold, True) or _has_begun(parts, at, fact.fold) for at in folders)


def _bases(anchor: str, roots: Roots, wide: bool) -> tuple[str, ...]:
    """The folders that an anchor stands for; none when they are not known."""
    if anchor == "/" or (anchor == "*" and wide):
        return ("/",)
    if anchor == "~":
        return roots.sure_homes if not wide else (roots.home, *roots.homes) if roots.home else ()
    return roots.workspace


# --- known paths ---------------------------------------------------------------------------------------------


def _matches(bases: tuple[str, ...], parts: Parts, path: str, fold: bool, below: bool) -> bool:
    if fold:
        bases = tuple([fold_text(base) for base in bases])
        parts, path = _folded(parts), fold_text(path)
    for base in bases:
        rest = _rest(base, path)
        if rest is not None and _match_parts(parts, rest.split("/") if rest else (), below):
            return True
    return False


def _rest(base: str, path: str) -> str | None:
    """What of `path` lies below `base`: "" for itself, None for another place."""
    if base == "/":
        return path[1:]
    if not path.startswith(base):
        return None
    rest = path[len(base) :]
    return "" if not rest else rest[1:] if rest[0] == "/" else None


def _folded(parts: Parts) -> Parts:
    return tuple([part if part == ANY_DEPTH else fold_glob(part) for part in parts])


def _match_parts(parts: Parts, names: Sequence[str], below: bool) -> bool:
    """Whether the parts match all names, or with `below` the first of them. A `**` gives back one name at a time."""
    at = part_at = 0
    mark = star = -1
    last, end = len(parts), len(names)
    while True:
        if part_at < last and parts[part_at] == ANY_DEPTH:
            star, mark = part_at, at
            part_at += 1
        elif part_at == last and (below or at == end):
            return True
        elif part_at < last and at < end and _is_name(parts[part_at], names[at]):
            part_at, at = part_at + 1, at + 1
        elif star < 0 or mark >= end:
            return False
        else:
            mark += 1
            part_at, at = star + 1, mark


def _is_name(part: Any, name: str) -> bool:
    return part == name if type(part) is str else glob_matches(part, name)


def _matches_below(full: Parts, path: str, fold: bool) -> int:
    """Truth of an anchored pattern matching something below `path`: YES when what it spells from the root leads there."""
    names = split_path(fold_text(path) if fold else path)
    full = _folded(full) if fold else full
    ahead = full[len(names) :]
    if full[: len(names)] == names and ANY_DEPTH not in ahead[:-1]:
        return YES
    return MAYBE if parts_overlap(full, (*names, ANY_DEPTH)) else NO


def _has_begun(parts: Parts, path: str, fold: bool) -> int:
    """MAYBE when some, but not all, of a floating pattern's components are the last ones of `path`."""
    if fold:
        parts, path = _folded(parts), fold_text(path)
    names = split_path(path)
    return MAYBE if any(_match_parts(parts[:end], names, False) for end in range(2, len(parts))) else NO


# --- paths with open ends ------------------------------------------------------------------------------------


def _match_shapes(bases: tuple[str, ...], parts: Parts, fact: PathFact, wide: bool, tree: bool) -> int:
    """Truth on a path of which only a shape is known: a row of parts, as in a pattern, that covers all it may be."""
    shapes = _shapes_of(fact, wide)
    patterns = [split_path(base) + parts + ((ANY_DEPTH,) if wide else ()) for base in bases]
    if fact.fold:
        shapes, patterns = [_folded(shape) for shape in shapes], [_folded(item) for item in patterns]
    sure = [any(parts_cover(item, shape) for item in patterns) for shape in shapes]
    if all(sure):
        return YES
    reach = [(*shape, ANY_DEPTH) if tree else shape for shape in shapes]
    return MAYBE if any(parts_overlap(item, shape) for item in patterns for shape in reach) else NO


def _shapes_of(fact: PathFact, wide: bool) -> list[Parts]:
    """The shapes of a path: those found beside its prefix, else what prefix and suffix say.

    A word whose end alone is known may split, and only the last piece then has that end: narrowly, it says nothing.
    """
    if fact.prefix and fact.shapes:
        return list(fact.shapes)
    if not fact.prefix:
        return [(ANY_DEPTH, *_end_parts(fact.suffix))] if wide else [(ANY_DEPTH,)]
    folder, _, start = fact.prefix.rpartition("/")
    return [(*split_path(folder), *([(start, ANY)] if start and not fact.suffix else []), ANY_DEPTH)]


def _end_parts(suffix: str) -> Parts:
    if not suffix:
        return ()
    first, *others = suffix.split("/")
    return (*([(ANY, first)] if first else []), *others)


# --- rows of parts against rows of parts ---------------------------------------------------------------------


def parts_overlap(ours: Parts, theirs: Parts) -> bool:
    """Whether some path matches both rows."""
    states = {(at, to) for at in _after_depth(ours, {0}) for to in _after_depth(theirs, {0})}
    seen = set(states)
    while states:
        if (len(ours), len(theirs)) in states:
            return True
        states = {pair for at, to in states for pair in _both_step(ours, at, theirs, to)} - seen
        seen |= states
    return False


def _after_depth(parts: Parts, states: set[int]) -> set[int]:
    """The states, and those reached by letting each `**` stand for nothing."""
    out = set(states)
    for at in sorted(states):
        while at < len(parts) and parts[at] == ANY_DEPTH:
            at += 1
            out.add(at)
    return out


def _both_step(ours: Parts, at: int, theirs: Parts, to: int) -> set[tuple[int, int]]:
    if at == len(ours) or to == len(theirs):
        return set()
    one, two = ours[at], theirs[to]
    if ANY_DEPTH not in (one, two) and not globs_overlap(one, two):
        return set()
    nexts = _after_depth(ours, {at if one == ANY_DEPTH else at + 1})
    return {(left, right) for left in nexts for right in _after_depth(theirs, {to if two == ANY_DEPTH else to + 1})}


def parts_cover(wide: Parts, narrow: Parts) -> bool:
    """Whether every path of `narrow` matches `wide`. True is certain; False may only mean that it is not obvious."""
    states = _after_depth(wide, {0})
    for part in narrow:
        states = _after_depth(wide, {to for at in states for to in _cover_step(wide, at, part)})
        if not states:
            return False
    return len(wide) in states


def _cover_step(wide: Parts, at: int, part: Any) -> list[int]:
    if at == len(wide):
        return []
    if wide[at] == ANY_DEPTH:
        return [at]
    return [at + 1] if part != ANY_DEPTH and glob_covers(wide[at], part) else []
