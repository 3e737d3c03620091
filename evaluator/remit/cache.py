"""Compiled programs on disk, so that a hook starts without parsing policy text. A cache that is in doubt is not used.

The file's name is the hash of everything that a program depends on: names, tiers, contents, and the compiler itself. Imports are few
on purpose.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Sequence

import remit_dsl
from remit.collection import CollectionPaused
from remit.policy_files import PolicyFile
from remit_dsl.digest import sha256
from remit_dsl.program import FORMAT, Program

KEPT_PROGRAMS = 32


def load_cached(files: Sequence[PolicyFile]) -> Program | None:
    """The program that these files compiled to before, or None."""
    folder = _folder(create=False)
    if folder is None:
        return None
    key = key_of(files)
    try:
        with CollectionPaused(), open(os.path.join(folder, key), encoding="utf-8") as file:
            found = json.load(file)
    except (OSError, ValueError):
        return None
    if not isinstance(found, dict) or found.get("key") != key or found.get("format") != FORMAT:
        return None
    return Program(found["tables"], found["revision"])


def store(files: Sequence[PolicyFile], program: Program) -> bool:
    """Keep the program for the next start; whether that worked. Atomic: a reader sees all of it or nothing."""
    folder = _folder(create=True)
    if folder is None:
        return False
    key = key_of(files)
    path = os.path.join(folder, key)
    programs = [spec if isinstance(spec, str) else json.dumps(spec) for spec in program.tables["programs"]]
    tables = {**program.tables, "programs": programs}
    content = {"key": key, "format": FORMAT, "revision": program.revision, "tables": tables}
    temporary = f"{path}.{os.getpid()}.new"
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(json.dumps(content, separators=(",", ":")))
        os.replace(temporary, path)
        _prune(folder)
    except OSError:
        return False
    return True


def key_of(files: Sequence[PolicyFile]) -> str:
    """The hash of all that the program of these files depends on."""
    state = sha256(repr((FORMAT, _toolchain())).encode())
    for file in sorted(files):
        data = [text for pair in file.data for text in pair]
        for part in (file.name, file.tier, str(file.trusted), *file.claims, file.text, *data):
            encoded = part.encode("utf-8", "surrogatepass")
            state.update(b"%d:" % len(encoded))
            state.update(encoded)
        state.update(b";")
    return str(state.hexdigest())


def _toolchain() -> list[tuple[str, int, int]]:
    """Names, sizes and times of the compiler's own files and of the standard library: another compiler, another program."""
    home = os.path.dirname(os.path.abspath(remit_dsl.__file__))
    found = []
    for folder in (home, os.path.join(home, "checks"), os.path.join(home, "std")):
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith((".py", ".lark", ".remit")):
                    status = entry.stat()
                    found.append((entry.name, status.st_size, status.st_mtime_ns))
    return sorted(found)


def _folder(*, create: bool) -> str | None:
    """The cache folder, if it is the user's own and nobody else can write there."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not base.startswith("/"):
        base = os.path.join(os.path.expanduser("~"), ".cache")
    folder = os.path.join(base, "remit")
    try:
        if create:
            os.makedirs(folder, mode=0o700, exist_ok=True)
        status = os.lstat(folder)
    except OSError:
        return None
    safe = stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o077
    return folder if safe else None


def _prune(folder: str) -> None:
    """Drops the programs that were not written lately."""
    with os.scandir(folder) as entries:
        found = sorted([(entry.stat().st_mtime_ns, entry.path) for entry in entries if entry.is_file()])
    for _, path in found[:-KEPT_PROGRAMS]:
        os.unlink(path)
