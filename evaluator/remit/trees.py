"""What lies below a folder that a command goes through: a bounded look at the real tree, for patterns that may match anywhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from remit.facts import Access, PathFact
from remit.files import FileSystem
from remit.roots import split_path
from remit_dsl.patterns import ANY_DEPTH

MAX_ENTRIES = 2000
MAX_FOUND = 64


def found_below(access: Access, bucket: dict[str, Any], files: FileSystem) -> tuple[Access, ...]:
    """Possible accesses below a tree access: every entry whose name a pattern of the capability's bucket is filed under.

    When the bound on entries is exceeded, one access whose path is only known to start with the folder stands for the rest.
    """
    path = access.path
    if path is None or not path.paths or not (bucket["parts"] or bucket["ends"]):
        return ()
    folder = path.paths[-1]
    found: list[Access] = []
    for seen, entry in enumerate(_walk(folder, files)):
        if seen >= MAX_ENTRIES or len(found) >= MAX_FOUND:
            below = ((*split_path(folder), ANY_DEPTH),)
            rest = PathFact((), folder.rstrip("/") + "/", "", path.fold, path.source, below)
            return (*found, access._replace(path=rest, sure=False, tree=False))
        if _is_filed(entry.rsplit("/", 1)[-1].lower(), bucket):
            fact = PathFact((entry,), "", "", path.fold, entry)
            found.append(access._replace(path=fact, sure=False))
    return tuple(found)


def _is_filed(name: str, bucket: dict[str, Any]) -> bool:
    return name in bucket["parts"] or ("." in name and name[name.rindex(".") :] in bucket["ends"])


def _walk(folder: str, files: FileSystem) -> Iterator[str]:
    """Paths below `folder`, without following symlinks, in the order of a queue."""
    queue = [folder]
    for place in queue:
        for name, is_folder in files.scan(place):
            path = f"{place.rstrip('/')}/{name}"
            yield path
            if is_folder:
                queue.append(path)
