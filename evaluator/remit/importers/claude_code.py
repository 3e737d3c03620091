"""Claude Code's settings.json as a policy: permission rules, and what else in it bounds what an agent may do.

What the keys mean is taken from code.claude.com/docs/en/permissions, …/permission-modes and …/settings-reference.
Entries of a list are counted from 1, in labels (`deny-1`), comments and notes alike.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from remit.importers.blocks import Block, lost, shown
from remit.importers.claude_reading import Effect, Reading
from remit.importers.claude_rules import read_rule
from remit.importers.conversion import Conversion, ConversionError, Note
from remit.importers.strict_json import Members, read_json
from remit.importers.writing import escape_glob, rule, target
from remit_dsl.suggest import nearest

HEADER = """\
policy imported.claude-code "Permissions from Claude Code settings"

# Labels and comments count the entries of each list from 1.
use std
use std.guards
"""

_EFFECTS: tuple[Effect, ...] = ("deny", "ask", "allow")
_SWITCHES = {"disableBypassPermissionsMode": "bypass", "disableAutoMode": "auto"}
_KNOWN = frozenset({*_EFFECTS, *_SWITCHES, "defaultMode", "additionalDirectories"})

# Keys outside `permissions` that bear on them and have no counterpart in a policy.
_ELSEWHERE = {
    "allowManagedHooksOnly": "which hooks run is Claude Code's own matter",
    "disableAllHooks": "which hooks run is Claude Code's own matter; with all disabled it asks no policy",
    "sandbox": "the sandbox is Claude Code's own, and no part of a policy",
    "autoMode": "a policy does not instruct the classifier",
    "allowManagedMcpServersOnly": "which MCP servers start is Claude Code's own matter",
    "allowedMcpServers": "which MCP servers start is Claude Code's own matter",
    "deniedMcpServers": "which MCP servers start is Claude Code's own matter",
    "skipDangerousModePermissionPrompt": "the warning before bypass mode is Claude Code's own",
}

# All keys of the outermost object that bear on permissions.
_BEARING = frozenset({"permissions", "allowManagedPermissionRulesOnly", *_SWITCHES, *_ELSEWHERE})


def convert_settings(text: str, *, with_defaults: bool = False) -> Conversion:
    """The policy for the settings in `text`. Raises ConversionError where that is no JSON object of at most a MiB.

    with_defaults: what Claude Code permits without a rule (read-only commands, reading the workspace) is permitted too.
    """
    settings = read_json(text)
    if not isinstance(settings, Members):
        raise ConversionError("these are no settings: not a JSON object")
    permissions = _permissions(settings)
    blocks = [
        *_rules(permissions),
        *_directories(permissions),
        *_modes(permissions),
        *_others(permissions),
        *_elsewhere(settings),
    ]
    header = HEADER + ("use std.reading\n" if with_defaults else "")
    notes = tuple(block.note for block in blocks if block.note)
    return Conversion("\n".join([header, *map(str, blocks)]), notes)


def _permissions(settings: Members) -> Members:
    """The settings' permissions. Where the key is repeated, the objects count as one that repeats its keys."""
    pairs: list[tuple[str, Any]] = []
    for permissions in settings.all("permissions"):
        if not isinstance(permissions, Members):
            raise ConversionError("`permissions` is not an object")
        pairs += [*permissions.repeated, *permissions.items()]
    return Members(pairs)


def _rules(permissions: Members) -> Iterator[Block]:
    for effect in _EFFECTS:
        count = 0
        lists = permissions.all(effect)
        for place, entries in enumerate(lists, 1):
            if entries is None:
                yield lost(f"permissions.{effect}", effect, "it is null", "read as empty")
            elif not isinstance(entries, list):
                raise ConversionError(f"`permissions.{effect}` is not a list")
            elif effect == "allow" and place < len(lists):
                yield lost(
                    "permissions.allow", "allow", "the list stands there again, and the last one counts", "left out"
                )
            else:
                yield from (_entry(effect, count + index, entry) for index, entry in enumerate(entries, 1))
                count += len(entries)


def _entry(effect: Effect, index: int, entry: Any) -> Block:
    original = f"{effect}[{index}]: {shown(entry)}"
    place = f"permissions.{effect}[{index}]"
    if not isinstance(entry, str):
        return lost(place, original, "it is not a string", "left out")
    reading = read_rule(entry, effect)
    note = Note(place, reading.why, reading.instead) if reading.why else None
    return Block(original, tuple(_statements(effect, f"{effect}-{index}", reading)), note)


def _statements(effect: Effect, label: str, reading: Reading) -> Iterator[str]:
    targets, asks = reading.targets, reading.asks
    if effect == "ask":
        targets, asks = (*targets, *asks), ()
    if targets:
        yield rule(effect, label, targets, reading.when)
    if asks:
        yield rule("ask", f"{label}-ask" if targets else label, asks)


def _directories(permissions: Members) -> Iterator[Block]:
    for value in permissions.all("additionalDirectories"):
        if not isinstance(value, list):
            yield lost("permissions.additionalDirectories", "additionalDirectories", "it is not a list", "left out")
            continue
        for index, folder in enumerate(value, 1):
            yield _directory(index, folder)


def _directory(index: int, folder: Any) -> Block:
    original = f"additionalDirectories[{index}]: {shown(folder)}"
    place = f"permissions.{original.partition(':')[0]}"
    path = _folder(folder) if isinstance(folder, str) else ""
    if not path:
        return lost(place, original, "it is no folder that a pattern can name", "left out")
    note = Note(place, "edits there depend on the workspace that a request names", "readable only")
    return Block(original, (rule("allow", f"directory-{index}", (target("fs.read", path),)),), note)


def _folder(folder: str) -> str:
    """The pattern for everything in a folder; "" for one that cannot be named."""
    parts = folder.strip().split("/")
    if not folder.isprintable() or not folder.strip() or ".." in parts or "\\" in folder:
        return ""
    anchored = parts[0] in ("", "~")
    names = [escape_glob(part) for part in parts[anchored:] if part not in ("", ".")]
    return "/".join([parts[0] if anchored else ".", *names, "**"])


def _modes(permissions: Members) -> Iterator[Block]:
    for mode in permissions.all("defaultMode"):
        if mode not in ("default", "manual"):
            why = "the mode comes with each request, as the agent runs in it"
            yield lost("permissions.defaultMode", f"defaultMode: {shown(mode)}", why, "left out")
    yield from _switched_off(permissions, "permissions.")


def _switched_off(holder: Members, prefix: str) -> Iterator[Block]:
    for key, mode in _SWITCHES.items():
        for value in holder.all(key)[-1:]:
            note = (
                None
                if value == "disable"
                else Note(prefix + key, 'its one value is "disable"', f"{mode} is forbidden all the same")
            )
            yield Block(f"{key}: {shown(value)}", (f"forbid mode {mode}",), note)


def _others(permissions: Members) -> Iterator[Block]:
    for key in permissions:
        if key not in _KNOWN:
            place = f"permissions.{key if key.isidentifier() else json.dumps(key)}"
            yield lost(place, f"permissions: {key}", "the key is not known", "left out")


def _elsewhere(settings: Members) -> Iterator[Block]:
    yield from _switched_off(settings, "")
    if "allowManagedPermissionRulesOnly" in settings:
        yield _managed_only(settings["allowManagedPermissionRulesOnly"])
    for key in settings:
        if key in _ELSEWHERE:
            yield lost(key, key, _ELSEWHERE[key], "left out")
        elif key not in _BEARING:
            yield from _slip(key)


def _slip(key: str) -> Iterator[Block]:
    """A key that is probably meant to bear on permissions, and does not."""
    meant = nearest(key, _BEARING | _KNOWN)
    if meant is not None or "permi" in key.lower():
        why = f"the key is not known; `{meant}` may be meant" if meant else "the key is not known"
        yield lost(key if key.isidentifier() else json.dumps(key), key, why, "left out")


def _managed_only(value: Any) -> Block:
    place = "allowManagedPermissionRulesOnly"
    if value is False:
        return Block(f"{place}: false")
    note = Note(place, "lower tiers could say nothing at all", "they may tighten, not loosen")
    return Block(f"{place}: {shown(value)}", ("lower tiers may deny, ask",), note)
