"""Trust: which projects' policies the user has looked at, pinned to their content. A project whose files changed is not trusted."""

from __future__ import annotations

import os

from remit.regular_files import read_owned
from remit_dsl.digest import fingerprint_of
from remit_dsl.json_text import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

PINS = "trusted.json"
MAX_PINS_BYTES = 16 * 1024 * 1024

# name, text, data files of one policy file
Content = tuple[str, str, tuple[tuple[str, str], ...]]


def digest_of(files: Iterable[Content]) -> str:
    """The hash that a pin holds: of the names and contents of all policy files and their data."""
    import json

    text = json.dumps(sorted([[name, body, list(data)] for name, body, data in files]), separators=(",", ":"))
    return fingerprint_of(text)


def is_pinned(folder: str, files: Iterable[Content], state: str) -> bool:
    """Whether the user has pinned this content of this folder."""
    pinned = read_pins(state).get(os.path.realpath(folder))
    return pinned is not None and pinned == digest_of(files)


def read_pins(state: str) -> dict[str, str]:
    """folder -> digest. Empty when there is no such file, or it is not the user's alone: then nothing is trusted."""
    owner = frozenset({os.geteuid()})
    try:
        pins: Any = loads(read_owned(os.path.join(state, PINS), MAX_PINS_BYTES, owner).decode())
    except (OSError, ValueError, RecursionError, MemoryError):
        return {}
    if not isinstance(pins, dict):
        return {}
    return {folder: digest for folder, digest in pins.items() if isinstance(digest, str)}


def pin(folder: str, digest: str, state: str) -> None:
    """Trust this content of the folder. Raises OSError."""
    _write({**read_pins(state), os.path.realpath(folder): digest}, state)


def unpin(folder: str, state: str) -> bool:
    """Trust the folder no longer; whether it was trusted. Raises OSError."""
    pins = read_pins(state)
    known = pins.pop(os.path.realpath(folder), None) is not None
    if known:
        _write(pins, state)
    return known


def _write(pins: dict[str, str], state: str) -> None:
    import json

    os.makedirs(state, mode=0o700, exist_ok=True)
    path = os.path.join(state, PINS)
    temporary = f"{path}.{os.getpid()}"
    with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        json.dump(pins, file, indent=2, sort_keys=True)
    os.replace(temporary, path)
