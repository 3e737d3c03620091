"""Whether one target covers another: whatever the second matches, the first matches. Doubt is no.

Pairs are not compared one by one: a target that can cover others is filed under what those must begin or end with.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Any

from remit_dsl.globs import ANY, glob_matches
from remit_dsl.patterns import ANY_DEPTH
from remit_dsl.plans import ShellPlan
from remit_dsl.program import Target

Key = tuple[str, ...]

MAX_FILED = 8  # words or names that patterns are told apart by


def covers(wide: Target, narrow: Target) -> bool:
    """Whether `wide` surely matches whatever `narrow` matches."""
    if wide.kind == "any":
        return narrow.kind != "cap" and _glob_covers(wide.name, narrow.name)
    if wide.kind != narrow.kind or wide.name != narrow.name:
        return False
    if not wide.patterns:
        return True
    if not narrow.patterns:
        return False
    covered = _COVERS.get(notation(wide), _glob_covers)
    return all(any(covered(pattern, other) for pattern in wide.patterns) for other in narrow.patterns)


def notation(target: Target) -> str:
    """How the patterns of a target are written: shell, path, host, or a glob over text."""
    if target.kind == "cap":
        return "path" if target.name.startswith("fs.") else "host" if target.name == "net.connect" else "text"
    return target.kind


def _glob_covers(wide: Any, narrow: Any) -> bool:
    if wide in (narrow, (ANY,)):
        return True
    return isinstance(narrow, str) and not isinstance(wide, str) and glob_matches(wide, narrow)


def _shell_covers(wide: ShellPlan, narrow: ShellPlan) -> bool:
    if wide == narrow or wide.total:
        return True
    size = len(wide.words)
    if not wide.rest or len(narrow.words) < size or wide.lead != size:
        return False  # words that are not literal may move about: that is not worth a claim
    return bool(narrow.words[:size] == wide.words)


def _path_covers(wide: Any, narrow: Any) -> bool:
    if wide == narrow or wide[1] == (ANY_DEPTH,):
        return bool(wide == narrow or wide[0] == "/")
    if wide[0] == "/" and len(wide[1]) == 2 and wide[1][0] == ANY_DEPTH and isinstance(wide[1][1], str):
        return bool(narrow[1][-1:] == wide[1][1:])
    size = len(wide[1]) - 1
    ends_open = size >= 0 and wide[1][-1] == ANY_DEPTH and all(isinstance(part, str) for part in wide[1][:-1])
    return bool(ends_open and wide[0] == narrow[0] and narrow[1][:size] == wide[1][:size] and wide[0] != "*")


def _host_covers(wide: Any, narrow: Any) -> bool:
    if wide == narrow:
        return True
    where, port = wide
    if port is not None and port != narrow[1]:
        return False
    if where == (ANY,) or where == narrow[0]:
        return True
    labels = where[1:]
    return bool(where[0] == ANY and labels and len(narrow[0]) > len(labels) and narrow[0][-len(labels) :] == labels)


_COVERS = {"shell": _shell_covers, "path": _path_covers, "host": _host_covers}


# --- look-up ---------------------------------------------------------------------------------------------------


def filed_under(target: Target) -> Iterator[Key]:
    """Keys of what the target may cover. Every target that it covers asks for one of them."""
    name = target.name if isinstance(target.name, str) else "*"
    if target.kind == "any" or not target.patterns:
        yield (target.kind, name)
        return
    for pattern in target.patterns:
        yield (notation(target), name, *_filing_piece(notation(target), pattern))


def asked_for(target: Target) -> Iterable[Key]:
    """Keys under which something that covers the target is filed."""
    name = target.name if isinstance(target.name, str) else "*"
    keys: list[Key] = [("any", name), ("any", "*")] if target.kind != "cap" else [("cap", name)]
    for pattern in target.patterns[:1]:
        keys += [(notation(target), name, *piece) for piece in _asking_pieces(notation(target), pattern)]
    return keys


def _filing_piece(kind: str, pattern: Any) -> Key:
    if kind == "shell":
        return ("starts", *pattern.words[: min(pattern.lead, MAX_FILED)]) if pattern.lead else ("open",)
    if kind == "path":
        return _path_piece(pattern)
    if kind == "host":
        return ("ends", str(pattern[0][-1]))
    return ("is", pattern) if isinstance(pattern, str) else ("open",)


def _path_piece(pattern: Any) -> Key:
    parts: Sequence[Any] = pattern[1]
    if parts[:1] == (ANY_DEPTH,) and len(parts) > 1 and isinstance(parts[-1], str):
        return ("ends", parts[-1])
    literal = _literal_start(parts)
    return ("starts", pattern[0], *literal) if literal else ("open",)


def _literal_start(parts: Sequence[Any]) -> tuple[str, ...]:
    """The literal names that a path pattern begins with, as many as are filed under."""
    return tuple(takewhile(lambda part: isinstance(part, str), parts[:MAX_FILED]))


def _asking_pieces(kind: str, pattern: Any) -> list[Key]:
    pieces: list[Key] = [("open",)]
    if kind == "shell" and pattern.lead:
        pieces += [("starts", *pattern.words[:size]) for size in range(1, min(pattern.lead, MAX_FILED) + 1)]
    elif kind == "path":
        pieces += [("ends", part) for part in pattern[1][-1:] if isinstance(part, str)]
        literal = _literal_start(pattern[1])
        pieces += [("starts", pattern[0], *literal[:size]) for size in range(1, len(literal) + 1)]
    elif kind == "host":
        pieces += [("ends", str(pattern[0][-1])), ("ends", str(ANY))]
    elif isinstance(pattern, str):
        pieces.append(("is", pattern))
    return pieces
