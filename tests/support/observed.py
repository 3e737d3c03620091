"""What a traced command did, against the accesses that remit sees in it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tracing import Seen

from remit import Engine, Request
from remit.facts import Access, Unit

# A question about every kind of access: what nobody asks about is not looked up.
_POLICY = """policy facts
use std.tools
deny probe: fs.read(/nowhere), fs.write(/nowhere), fs.delete(/nowhere), net.connect(nowhere.invalid), exec(nothing)
"""
_PIECES = re.compile(r"[\s=,:;@<>|&()'\"{}!`]+")
_KINDS = {"read": ("fs.read",), "write": ("fs.write",), "delete": ("fs.delete",)}


class Done(NamedTuple):
    """A command that was run in a folder: what happened, the paths that it names, what lay in the folder before and lies there now."""

    seen: frozenset[Seen]
    folder: Path
    named: frozenset[str]
    before: frozenset[str]
    after: frozenset[str]

    def is_own(self, item: Seen, units: tuple[Unit, ...]) -> bool:
        """Whether a thing happened to a file of the command's own, or only seems to: what is deleted is there again."""
        if item.kind == "delete" and item.target in self.after:
            return True
        new = item.target not in self.before
        return new and (item.target not in self.after or (item.kind == "read" and len(units) == 1))


def contents(folder: Path) -> frozenset[str]:
    """Every path below a folder."""
    return frozenset([os.path.join(top, name) for top, *rows in os.walk(folder) for names in rows for name in names])


@cache
def _engine() -> Engine:
    return Engine.from_source(_POLICY)


def units_of(command: str, folder: Path, home: Path) -> tuple[Unit, ...]:
    """The units of a command that is given in `folder`."""
    request = Request("Bash", {"command": command}, cwd=str(folder), workspace=(str(folder),), home=str(home))
    return tuple(_engine().observe(request).units)


def named_paths(command: str, folder: Path) -> frozenset[str]:
    """Every path that a piece of the command line spells, seen from `folder` and from the folders that pieces spell."""
    pieces = [piece for piece in _PIECES.split(command) if piece]
    pieces += [piece[2:] for piece in pieces if piece.startswith("-") and not piece.startswith("--")]
    found = {os.path.normpath(folder / piece) for piece in pieces}
    folders = [path for path in found if os.path.isdir(path) and path != str(folder)]
    return frozenset(found | {os.path.normpath(os.path.join(path, piece)) for path in folders for piece in pieces})


def gaps(done: Done, units: Iterable[Unit]) -> list[Seen]:
    """What happened to files that the command line names, or to what lies in a folder it names, and no access covers.

    Left out are the names in folders, which show no content, and what the command made itself: files that are there only while it
    runs, and reading back what it wrote.
    """
    units = tuple(units)
    accesses = [access for unit in units for access in unit.accesses]
    found = []
    for item in sorted(done.seen):
        if item.kind == "connect":
            covered = any(access.kind == "net.connect" for access in accesses)
        elif (
            item.kind in ("run", "list")
            or not _is_named(item.target, done.named, done.folder)
            or done.is_own(item, units)
        ):
            continue
        else:
            covered = any(access.kind in _KINDS[item.kind] and _covers(access, item.target) for access in accesses)
            covered = covered or (item.kind == "read" and any(_runs(access, item.target) for access in accesses))
        if not covered:
            found.append(item)
    return found


def _is_named(path: str, named: frozenset[str], folder: Path) -> bool:
    top = str(folder)
    if not path.startswith(top + "/"):
        return False
    if path in named:
        return True
    above = Path(path)
    return any(str(parent) in named and str(parent) != top for parent in above.parents)


def _covers(access: Access, path: str) -> bool:
    """Whether an access may be that of `path`: of a tree, also from above."""
    fact = access.path
    if not access.kind.startswith("fs."):
        return False
    if fact is None:
        return True
    if fact.paths:
        return any(path == one or (access.tree and path.startswith(one.rstrip("/") + "/")) for one in fact.paths)
    return path.startswith(fact.prefix) and (access.tree or path.endswith(fact.suffix))


def _runs(access: Access, path: str) -> bool:
    """Whether an access runs the file: what is run is read."""
    if access.kind != "exec" or not isinstance(access.program, str):
        return False
    return os.path.basename(access.program) == os.path.basename(path)


def unrun(seen: Iterable[Seen], units: Iterable[Unit], command: str) -> list[str]:
    """Programs that were run, stand on the command line, and are not among the programs that remit sees."""
    pieces = {os.path.basename(piece) for piece in _PIECES.split(command)}
    known: set[str] = set()
    for unit in units:
        if unit.kind == "opaque":
            return []
        known.add(unit.program or "")
        known |= {os.path.basename(access.program) for access in unit.accesses if isinstance(access.program, str)}
    ran = {os.path.basename(item.target) for item in seen if item.kind == "run"}
    return sorted((ran & pieces) - known)


def overclaims(seen: Iterable[Seen], units: Iterable[Unit]) -> list[str]:
    """Sure accesses of files that did not happen."""
    happened = {(item.kind, item.target) for item in seen}
    found = []
    for unit in units:
        for access in unit.accesses:
            if not access.sure or access.path is None or not access.path.paths or access.tree:
                continue
            kind = access.kind.removeprefix("fs.")
            if not any((kind, path) in happened or ("list", path) in happened for path in access.path.paths):
                found.append(f"{kind} {access.path.source}")
    return sorted(set(found))
