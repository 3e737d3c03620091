"""Patterns in which a star also stands for `/`, as path patterns, whose stars end at a component's."""

from __future__ import annotations

from itertools import product

from remit.importers.writing import escape_glob

MAX_PATTERNS = 16


def crossing_patterns(pattern: str) -> tuple[str, ...]:
    """Path patterns that together match what `pattern` does; none where these would be too many, or it climbs.

    `*` is its only sign. `/x` and `~/x` stay where they are; what begins with a star floats; all else is below the workspace.
    """
    parts = pattern.split("/")
    anchor = parts[0] if parts[0] in ("", "~") and len(parts) > 1 else "."
    names = [part for part in (parts[1:] if anchor != "." else parts) if part not in ("", ".")]
    if ".." in names or not names or not pattern.isprintable() or "\\" in pattern:
        return ()
    ways = [_ways(name) for name in names]
    total = 1
    for each in ways:
        total *= len(each)
        if total > MAX_PATTERNS:
            return ()
    floats = anchor == "." and names[0].startswith("*")
    bodies = dict.fromkeys(_joined(list(way)) for way in product(*ways))
    return tuple(body if floats else f"{anchor}/{body}" for body in bodies)


def _ways(name: str) -> list[str]:
    """The forms of one component: each run of stars stays in it, or goes on through others."""
    pieces = [escape_glob(piece) for piece in name.split("*")]
    if not any(pieces):
        return ["**"] if len(pieces) > 1 else [name]
    forms = [pieces[0]]
    for place, piece in enumerate(pieces[1:], 1):
        if not piece and place < len(pieces) - 1:  # a run of stars is one
            continue
        starts = place == 1 and not pieces[0]
        ends = not piece
        across = "**/*" if starts else "*/**" if ends else "*/**/*"
        forms = [f"{form}{star}{piece}" for form in forms for star in ((across,) if starts else ("*", across))]
        if len(forms) > MAX_PATTERNS:
            break
    return forms


def _joined(parts: list[str]) -> str:
    """The components, `**` once where it would stand beside itself."""
    names: list[str] = []
    for name in "/".join(parts).split("/"):
        if name != "**" or names[-1:] != ["**"]:
            names.append(name)
    return "/".join(names)
