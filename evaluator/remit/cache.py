"""Compiled programs on disk, so that a hook starts without parsing policy text. A cache that is in doubt is not used.

The file's name is the hash of everything that a program depends on: names, tiers, contents, and the compiler itself. Imports are few
on purpose.
"""

from __future__ import annotations

import os
import stat

import remit_dsl
from remit.collection import CollectionPaused
from remit.policy_files import PolicyFile
from remit.regular_files import read_owned
from remit_dsl.digest import sha256
from remit_dsl.json_text import loads
from remit_dsl.program import FORMAT, Program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

KEPT_PROGRAMS = 32
MAX_ENTRY_BYTES = 64 * 1024 * 1024

# Root stores here, if the folder exists: a user's own cache says nothing about files of root.
SHARED = "/var/cache/remit"

# The tables of a program, and what each is.
_SHAPE: dict[str, type] = {
    **dict.fromkeys(
        ("policies", "rules", "defaults", "programs", "forbidden_modes", "env_harmless", "env_runs", "notes"), list
    ),
    **dict.fromkeys(("tools", "program_names", "modes", "sets", "data", "lower_may", "index"), dict),
    "on_unparseable": str,
}


def load_cached(files: Sequence[PolicyFile]) -> Program | None:
    """The program that these files compiled to before, or None.

    Believed is what root has stored, or the one user who owns all these files: whoever else could write the cache could otherwise
    say what the files of somebody else mean.
    """
    key = key_of(files)
    believed = frozenset({0, *_only_owner(files)})
    for folder in (SHARED, _folder(create=False)):
        program = _stored(folder, key, believed) if folder is not None and _is_kept(folder, believed) else None
        if program is not None:
            return program
    return None


def _stored(folder: str, key: str, believed: frozenset[int]) -> Program | None:
    try:
        with CollectionPaused():
            found = _entry(read_owned(os.path.join(folder, key), MAX_ENTRY_BYTES, believed).decode("ascii"))
        if found["key"] != key or found["format"] != FORMAT or _shape(found["tables"]) != _SHAPE:
            return None
        return Program(found["tables"], found["revision"]) if isinstance(found["revision"], str) else None
    except Exception:  # noqa: BLE001  (whatever it holds, and however deep: the policies themselves are there to be compiled)
        return None


def _entry(text: str) -> dict[str, Any]:
    """What an entry holds. Its first line is all but the declarations of programs, which follow, each on a line of its own: most calls
    need one or two of hundreds. Raises ValueError where anything is missing."""
    head, _, programs = text.partition("\n")
    found: dict[str, Any] = loads(head)
    if len(programs) != found["length"]:
        raise ValueError("not all of an entry")
    found["tables"]["programs"] = programs.split("\n") if programs else []
    return found


def _text(key: str, program: Program) -> str:
    import json

    compact = (",", ":")
    programs = program.tables["programs"]
    lines = "\n".join([spec if isinstance(spec, str) else json.dumps(spec, separators=compact) for spec in programs])
    content = {"key": key, "format": FORMAT, "revision": program.revision, "length": len(lines)}
    head = json.dumps({**content, "tables": {**program.tables, "programs": []}}, separators=compact)
    return f"{head}\n{lines}"


def _shape(tables: dict[str, Any]) -> dict[str, type]:
    return {name: type(table) for name, table in tables.items()}


def _only_owner(files: Sequence[PolicyFile]) -> list[int]:
    """The owner of all these files and of the data that they read, if that is one; else nobody."""
    paths = [file.path for file in files]
    paths += [os.path.join(os.path.dirname(file.path), name) for file in files for name, _ in file.data]
    try:
        owners = {os.stat(path).st_uid for path in paths}
    except OSError:
        return []
    return list(owners) if len(owners) == 1 else []


def store(files: Sequence[PolicyFile], program: Program) -> bool:
    """Keep the program for the next start; whether that worked. Atomic: a reader sees all of it or nothing."""
    shared = os.geteuid() == 0 and _is_kept(SHARED, frozenset({0})) and _is_public(files)
    folder = SHARED if shared else _folder(create=True)
    if folder is None:
        return False
    key = key_of(files)
    path = os.path.join(folder, key)
    temporary = f"{path}.{os.getpid()}.new"
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            os.fchmod(handle, 0o644 if shared else 0o600)
            file.write(_text(key, program))
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


def _is_kept(folder: str, owners: frozenset[int]) -> bool:
    """Whether a folder is of one of these owners and nobody else can write there."""
    try:
        status = os.lstat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid in {os.geteuid(), *owners} and not status.st_mode & 0o022


def _is_public(files: Sequence[PolicyFile]) -> bool:
    """Whether everybody may read these files: only then may everybody read what they compile to."""
    try:
        return all([os.stat(file.path).st_mode & 0o004 for file in files])
    except OSError:
        return False


def _prune(folder: str) -> None:
    """Drops the programs that were not written lately."""
    with os.scandir(folder) as entries:
        found = sorted([(entry.stat().st_mtime_ns, entry.path) for entry in entries if entry.is_file()])
    for _, path in found[:-KEPT_PROGRAMS]:
        os.unlink(path)
