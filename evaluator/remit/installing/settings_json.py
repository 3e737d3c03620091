"""Settings in JSON: read strictly, changed, written back with the indentation that they had."""

from __future__ import annotations

import json
import re
from typing import Any

_INDENT = re.compile(r"^\{\s*\n([ \t]+)\S")


class SettingsError(Exception):
    """The file cannot be changed. The message says why, in one line; the file is as it was."""


def read_settings(text: str) -> dict[str, Any]:
    """The object in the text; {} for an empty file. Raises SettingsError, also where a key is repeated: one of them would be lost."""
    if not text.strip():
        return {}
    try:
        found = json.loads(text.removeprefix("\ufeff"), object_pairs_hook=_once)
    except RecursionError:
        raise SettingsError("nested too deep") from None
    except json.JSONDecodeError as error:
        hint = (
            "; comments cannot be kept: add the hook by hand (`--print` shows it)"
            if "//" in text or "/*" in text
            else ""
        )
        raise SettingsError(f"not JSON: {error.msg} at line {error.lineno}, column {error.colno}{hint}") from None
    if not isinstance(found, dict):
        raise SettingsError("not a JSON object")
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise SettingsError("a key is repeated")
    return found


def write_settings(settings: dict[str, Any], before: str) -> str:
    """The settings as text, indented as `before` was (two blanks where that does not show)."""
    found = _INDENT.match(before.lstrip("\ufeff"))
    return json.dumps(settings, indent=found[1] if found else 2, ensure_ascii=False) + "\n"


def entries(holder: dict[str, Any], *path: str) -> list[Any]:
    """The list at a path of keys, made if need be. Raises SettingsError where something else stands there."""
    for name in path[:-1]:
        holder = holder.setdefault(name, {})
        if not isinstance(holder, dict):
            raise SettingsError(f"`{name}` is no object")
    found = holder.setdefault(path[-1], [])
    if not isinstance(found, list):
        raise SettingsError(f"`{path[-1]}` is no list")
    return found
