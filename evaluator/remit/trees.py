"""What lies below a folder that a command goes through: a bounded look at the real tree, for patterns that may match anywhere."""

from __future__ import annotations

from remit.facts import Access, PathFact
from remit.files import FileSystem
from remit.roots import literal_start, split_path
from remit_dsl.globs import ANY_DEPTH, glob_matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

MAX_ENTRIES = 2000
MAX_FOUND = 64


def found_below(
    access: Access, bucket: dict[str, Any], asked: Callable[[PathFact], bool], files: FileSystem
) -> tuple[Access, ...]:
    """Possible accesses below a tree access: every entry whose name a pattern of the capability's bucket is filed under, or that is
    `asked` for by one that no name is filed for.

    When the bound on entries is exceeded, one access whose path is only known to start with the folder stands for the rest.
    """
    path = access.path
    if path is None:
        return ()
    found: list[Access] = []
    folders = {path.paths[-1]: ANY_DEPTH} if path.paths else _glob_folders(path)
    for folder, first in folders.items():
        for seen, entry in enumerate(_walk(folder, first, files)):
            if seen >= MAX_ENTRIES or len(found) >= MAX_FOUND:
                below = ((*split_path(folder), ANY_DEPTH),)
                rest = PathFact((), folder.rstrip("/") + "/", "", path.fold, path.source, below)
                return (*found, access._replace(path=rest, sure=False, tree=False))
            if path.shapes and not path.fold and not any([_leads_to(shape, entry) for shape in path.shapes]):
                continue
            fact = PathFact((entry,), "", "", path.fold, entry)
            if _is_filed(entry.rsplit("/", 1)[-1].lower(), bucket) or asked(fact):
                found.append(access._replace(path=fact, sure=False))
    return tuple(found)


def _glob_folders(path: PathFact) -> dict[str, Any]:
    """The folders that a path with globs at its end lies in, under all its spellings, with what names in them have to match."""
    found: dict[str, Any] = {}
    for shape in path.shapes:
        known = literal_start(shape)
        first = ANY_DEPTH if path.fold or len(known) == len(shape) else shape[len(known)]
        folder = "/" + "/".join(known)
        found[folder] = first if found.get(folder, first) == first else ANY_DEPTH
    return found


def _leads_to(shape: tuple[Any, ...], path: str) -> bool:
    """Whether a path, or a folder above it, is what globs may find."""
    states = _past_depth(shape, {0})
    for name in split_path(path):
        if len(shape) in states:
            return True
        kept = {at for at in states if shape[at] == ANY_DEPTH}
        states = _past_depth(shape, kept | {at + 1 for at in states - kept if glob_matches(shape[at], name)})
    return len(shape) in states


def _past_depth(shape: tuple[Any, ...], states: set[int]) -> set[int]:
    """The states, and those reached by letting each `**` stand for nothing."""
    reached = set(states)
    for at in sorted(states):
        while at < len(shape) and shape[at] == ANY_DEPTH:
            at += 1
            reached.add(at)
    return reached


def _is_filed(name: str, bucket: dict[str, Any]) -> bool:
    return name in bucket["parts"] or ("." in name and name[name.rindex(".") :] in bucket["ends"])


def _walk(folder: str, first: Any, files: FileSystem) -> Iterator[str]:
    """Paths below `folder`, without following symlinks, in the order of a queue. first: the glob that names in the folder itself match, or
    ANY_DEPTH."""
    queue = [folder]
    for place in queue:
        for name, is_folder in files.scan(place):
            if place is folder and first != ANY_DEPTH and not glob_matches(first, name):
                continue
            path = f"{place.rstrip('/')}/{name}"
            yield path
            if is_folder:
                queue.append(path)
