"""AstroResearch's environment variables as a policy: AGENT_PERMISSIONS_DENY, _ASK and _ALLOW, and what stands beside them.

There, deny comes before ask before allow, and what no rule names is allowed. A rule is the name of a tool, `*` for any, with a
content in parentheses or without: `prefix*`, `*suffix`, or text that occurs, compared with the parameter `command`, `file_path`,
`path`, `pattern` or `url` as it was sent. Entries of a list are separated by commas and counted from 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from remit.importers.astroresearch_rules import read_rule
from remit.importers.blocks import Block, assemble, lost
from remit.importers.claude_reading import Effect
from remit.importers.conversion import Conversion, ConversionError, Note
from remit.importers.environment_text import read_environment
from remit.importers.writing import escape_glob, rule, target
from remit_dsl.suggest import nearest

HEADER = """\
policy imported.astroresearch "Permissions from AstroResearch's environment"

# Labels and comments count the entries of each list from 1.
use std
"""

_LISTS: dict[str, Effect] = {
    "AGENT_PERMISSIONS_DENY": "deny",
    "AGENT_PERMISSIONS_ASK": "ask",
    "AGENT_PERMISSIONS_ALLOW": "allow",
}
_LIMITS = {
    "AGENT_DENIAL_MAX_CONSECUTIVE": ("denied-in-a-row", "session.consecutive_denials"),
    "AGENT_DENIAL_MAX_TOTAL": ("denied-in-all", "session.denials"),
}
_MODE = "AGENT_PERMISSION_MODE"
_FOLDERS = "AGENT_ADDITIONAL_DIRS"
_KNOWN = (*_LISTS, *_LIMITS, _MODE, _FOLDERS)
_OURS = ("AGENT_PERM", "AGENT_DENIAL", "AGENT_ADDITIONAL")
_MODES = ("default", "acceptEdits", "bypassPermissions", "dontAsk")
_LIMIT = re.compile(r"[0-9]{1,9}")


def convert_environment(text: str, *, with_defaults: bool = False) -> Conversion:
    """The policy for an environment. Raises ConversionError where `text` is none, or none of its names is one of AstroResearch's.

    with_defaults: what no rule names is allowed, as there.
    """
    pairs = read_environment(text)
    if pairs and not any(name in _KNOWN for name, _ in pairs):
        raise ConversionError("none of AstroResearch's variables is in it")
    closing = ("default allow",) if with_defaults else ()
    return assemble(HEADER, _blocks(pairs), closing)


def _blocks(pairs: list[tuple[str, str]]) -> Iterator[Block]:
    """The last value of a name counts, as in a process; the restrictions of those before it are kept."""
    last = {name: place for place, (name, _) in enumerate(pairs)}
    counts = dict.fromkeys(_LISTS, 0)
    for place, (name, value) in enumerate(pairs):
        if name in _LISTS and (place == last[name] or _LISTS[name] != "allow"):
            entries = _entries(value)
            for index, entry in enumerate(entries, counts[name] + 1):
                yield _rule(name, index, entry)
            counts[name] += len(entries)
        elif place != last[name]:
            if name in _KNOWN:
                yield lost(name, f"{name}={value}", "it stands there again, and the last one counts")
        else:
            yield from _other(name, value)


def _entries(value: str) -> list[str]:
    """The entries of a list: a comma inside parentheses separates nothing."""
    entries, depth = [""], 0
    for char in value:
        depth = max(0, depth + (char == "(") - (char == ")"))
        if char == "," and not depth:
            entries.append("")
        else:
            entries[-1] += char
    return [entry.strip() for entry in entries if entry.strip()]


def _rule(name: str, index: int, entry: str) -> Block:
    effect = _LISTS[name]
    label = f"{effect}-{index}"
    reading = read_rule(entry, effect)
    statements = [rule(effect, label, reading.targets)] if reading.targets else []
    if reading.when:
        statements.append(rule(effect, f"{label}-text" if statements else label, (reading.tool,), reading.when))
    note = Note(f"{name}[{index}]", reading.why, reading.instead) if reading.why else None
    return Block(f"{name}[{index}]: {entry}", tuple(statements), note)


def _other(name: str, value: str) -> Iterator[Block]:
    original = f"{name}={value}"
    if name in _LIMITS:
        yield _limit(name, value)
    elif name == _MODE:
        yield _mode(original, value)
    elif name == _FOLDERS:
        folders = [folder.strip() for folder in re.split(r"[,:;]", value) if folder.strip()]
        yield from (_folder(index, folder) for index, folder in enumerate(folders, 1))
    elif name.startswith(_OURS):
        meant = nearest(name, frozenset(_KNOWN))
        yield lost(name, original, "the name is not known" + (f"; `{meant}` may be meant" if meant else ""))


def _mode(original: str, value: str) -> Block:
    if value == "default":
        return Block(original)
    if value in _MODES:
        return lost(_MODE, original, "the mode comes with each request, as the agent runs in it")
    return lost(_MODE, original, f"the modes are {', '.join(_MODES)}")


def _limit(name: str, value: str) -> Block:
    label, fact = _LIMITS[name]
    original = f"{name}={value}"
    if not _LIMIT.fullmatch(value) or not int(value):
        return lost(name, original, "it is no number above 0", "the limits are 3 in a row and 20 in all")
    note = Note(name, "a policy does not end a run", "every further call is refused")
    return Block(original, (rule("deny", label, ("*",), f"{fact} >= {int(value)}"),), note)


def _folder(index: int, folder: str) -> Block:
    place, original = f"{_FOLDERS}[{index}]", f"{_FOLDERS}[{index}]: {folder}"
    parts = folder.split("/")
    if parts[0] not in ("", "~") or ".." in parts or "\\" in folder or not folder.isprintable():
        return lost(place, original, "it is no folder that a pattern can name")
    pattern = "/".join([parts[0], *(escape_glob(part) for part in parts[1:] if part not in ("", ".")), "**"])
    targets = (target("fs.read", pattern), target("fs.write", pattern))
    note = Note(
        place, "a sandbox around the workspace stands above it", "allowed where nothing denies; name it as a workspace"
    )
    return Block(original, (rule("allow", f"directory-{index}", targets),), note)
