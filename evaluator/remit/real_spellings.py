"""Path patterns that lead through symlinks: a restricting rule for `/var/run/x` holds for `/run/x` as well.

Done once when a program is taken into use, on this machine's links as they are then; the program's revision stays what it is.
"""

from __future__ import annotations

from remit.files import FileSystem
from remit.paths import resolve
from remit.roots import Roots
from remit_dsl.index import with_path_patterns
from remit_dsl.program import FILE_CAPABILITIES, Program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def with_real_spellings(program: Program, home: str, files: FileSystem) -> Program:
    """The program, its restricting rules extended by the real spelling of every pattern whose fixed part is a link or lies behind one."""
    if not program.asks_paths:
        return program
    known: dict[str, str] = {}
    rules = list(program.tables["rules"])
    found: list[tuple[list[Any], list[int], list[Any]]] = []
    for at, row in enumerate(rules):
        more = [_more(target, home, files, known) for target in row[3]] if row[1] != "allow" else []
        if not any(more):
            continue
        targets = [[*target[:2], [*target[2], *real], *target[3:]] for target, real in zip(row[3], more, strict=True)]
        rules[at] = [*row[:3], targets, *row[4:]]
        found += [(row[3][place], [at, place], real) for place, real in enumerate(more) if real]
    if not found:
        return program
    index = with_path_patterns(program.tables["index"], found)
    return Program({**program.tables, "rules": rules, "index": index}, program.revision)


def _more(target: list[Any], home: str, files: FileSystem, known: dict[str, str]) -> list[list[Any]]:
    """The real spellings of a target's patterns, as far as they differ."""
    if target[0] != "path" and target[1] not in FILE_CAPABILITIES:
        return []
    return [real for pattern in target[2] for real in _real(pattern, home, files, known)]


def _real(pattern: list[Any], home: str, files: FileSystem, known: dict[str, str]) -> list[list[Any]]:
    """The pattern under its real folder, if that differs."""
    anchor, parts = pattern[0], pattern[1]
    fixed = next((at for at, part in enumerate(parts) if not isinstance(part, str)), len(parts))
    if anchor not in ("/", "~") or not fixed or (anchor == "~" and not home):
        return []
    lead = "/".join([home if anchor == "~" else "", *parts[:fixed]])
    real = _real_lead(lead, files, known)
    if real == lead:
        return []
    return [["/", [*[part for part in real.split("/") if part], *parts[fixed:]]]]


def _real_lead(lead: str, files: FileSystem, known: dict[str, str]) -> str:
    """Where a folder really is; itself when no part of it is a link, which is looked at once for each part."""
    if lead not in known:
        folder = lead.rpartition("/")[0]
        if not lead or (_real_lead(folder, files, known) == folder and not _is_link(lead, files)):
            known[lead] = lead
        else:
            paths = resolve(lead, Roots("/", "", ()), files).paths
            known[lead] = paths[-1] if paths else lead
    return known[lead]


def _is_link(path: str, files: FileSystem) -> bool:
    try:
        return files.readlink(path) is not None
    except (OSError, ValueError):
        return False
