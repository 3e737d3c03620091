"""OpenCode's permissions as a policy: `permission` of opencode.json, the older `tools`, and what agents have of their own.

What the keys mean is taken from opencode.ai/docs/permissions. There, the last entry that matches counts, whatever it says; here, the
strictest does. So a deny or ask has what later, milder entries say as its exceptions. A permission is named in labels and notes by its key,
its entries are counted from 1 (`bash-2`, `permission.bash[2]`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from remit.importers.blocks import Block, assemble, is_writable, key_of, lost, shown
from remit.importers.claude_reading import Effect
from remit.importers.conversion import Conversion, ConversionError, Note
from remit.importers.opencode_kinds import KINDS, Kind, other_kind
from remit.importers.precedence import Saying, said
from remit.importers.strict_json import Members, read_json
from remit_dsl.globs import glob_matches, parse_glob
from remit_dsl.records import NamedTuple

HEADER = """\
policy imported.opencode "Permissions from OpenCode's configuration"

# Labels count the entries of each permission from 1.
use std
"""

_EFFECTS: dict[str, Effect] = {"deny": "deny", "ask": "ask", "allow": "allow"}
_EDITORS = frozenset({"write", "edit", "patch", "multiedit"})
# What OpenCode does where no entry matches.
_DEFAULTS = """\
ask dotenv: fs.read(**/*.env), fs.read(**/*.env.*) except fs.read(**/*.env.example)
ask outside: Read, Write, Edit, Glob, Grep, LS
    except Read(./**), Write(./**), Edit(./**), Glob(./**), Grep(./**), LS(./**)
ask again-and-again: * when session.repeats >= 3
default allow"""


class Entry(NamedTuple):
    """An entry of a permission: the key that it stands under, its place, its pattern, and what it says."""

    key: str
    place: str
    label: str
    pattern: str
    effect: Effect


def convert_opencode(text: str, *, with_defaults: bool = False) -> Conversion:
    """The policy for the configuration in `text`. Raises ConversionError where that is no JSON object of at most a MiB.

    with_defaults: what no entry names is allowed, but for what OpenCode asks of its own accord.
    """
    config = read_json(text)
    if not isinstance(config, Members):
        raise ConversionError("this is no configuration: not a JSON object")
    entries = [*_tools(config), *_permission(config, "permission", "")]
    blocks = [*_sayings(entries), *_agents(config)]
    closing = [_DEFAULTS] if with_defaults else []
    if not with_defaults and _allows_all(entries):
        closing.append("default allow")
    return assemble(HEADER, blocks, closing)


def _tools(config: Members) -> Iterator[Entry]:
    """`tools`, in which false denies a tool and true allows it; `permission` comes after it."""
    for value in config.all("tools"):
        if not isinstance(value, Members):
            raise ConversionError("`tools` is not an object")
        for tool, on in value.items():
            effect: Effect = "allow" if on is True else "deny"
            key = "edit" if tool in _EDITORS else tool
            yield Entry(key, f"tools.{key_of(tool)}", f"tools-{_slug(tool)}", "*", effect)


def _permission(holder: Members, place: str, prefix: str) -> Iterator[Entry]:
    for value in holder.all("permission"):
        if isinstance(value, str):
            yield _entry("*", place, f"{prefix}permission", "*", value)
        elif isinstance(value, Members):
            for key, said in (*value.repeated, *value.items()):
                yield from _entries(key, f"{place}.{key_of(key)}", f"{prefix}{_slug(key)}", said)
        else:
            raise ConversionError(f"`{place}` is neither a word nor an object")


def _entries(key: str, place: str, label: str, value: Any) -> Iterator[Entry]:
    if isinstance(value, Members):
        for index, (pattern, action) in enumerate((*value.repeated, *value.items()), 1):
            yield _entry(key, f"{place}[{index}]", f"{label}-{index}", pattern, action)
    else:
        yield _entry(key, place, label, "*", value)


def _entry(key: str, place: str, label: str, pattern: str, action: Any) -> Entry:
    if not isinstance(action, str) or action not in _EFFECTS:
        raise ConversionError(f"`{place}` is not one of {', '.join(_EFFECTS)}: {shown(action)}")
    return Entry(key, place, label, pattern, _EFFECTS[action])


def _slug(key: str) -> str:
    text = "".join(char if char.isascii() and (char.isalnum() or char in "_-.") else "-" for char in key).strip("-.")
    return text or "all"


def _allows_all(entries: list[Entry]) -> bool:
    everything = [entry for entry in entries if entry.key == "*" and entry.pattern == "*"]
    return bool(everything) and everything[-1].effect == "allow"


def _sayings(entries: list[Entry]) -> Iterator[Block]:
    """A block for each entry, with the rules that it becomes for each kind of call."""
    statements: dict[str, list[str]] = {entry.place: [] for entry in entries}
    lost_here: dict[str, tuple[str, str]] = {}
    others = {entry.key: other_kind(entry.key) for entry in entries if entry.key not in KINDS}
    for name, kind in {**KINDS, **others}.items():
        held = [entry for entry in entries if _covers(entry.key, name)]
        for entry, lines, why, instead in _unfold(kind, held):
            statements[entry.place] += lines
            if why:
                lost_here[entry.place] = (why, instead)
    for entry in entries:
        original = f"{entry.place}: {entry.pattern}: {entry.effect}"
        note = Note(entry.place, *lost_here[entry.place]) if entry.place in lost_here else None
        yield Block(original, tuple(dict.fromkeys(statements[entry.place])), note)


def _covers(key: str, name: str) -> bool:
    """Whether a key is about the permission `name`: both are plain, or the key has stars and matches it."""
    return key == name or ("*" in key and glob_matches(parse_glob(key, question=True, classes=False), name))


def _unfold(kind: Kind, entries: list[Entry]) -> Iterator[tuple[Entry, list[str], str, str]]:
    """The rules of one kind, from the last entry, which comes first, down to the last one for everything."""
    sayings: list[Saying] = []
    for entry in reversed(entries):
        writable = is_writable(entry.pattern)
        saying = kind.read(entry.pattern, entry.effect) if writable else kind.everything(entry.effect)
        label = entry.label if entry.key == kind.key else f"{entry.label}-{_slug(kind.key)}"
        yield entry, said(saying, sayings, label), saying.why, saying.instead
        if entry.pattern == "*":
            break
        sayings.append(saying)


def _agents(config: Members) -> Iterator[Block]:
    """What an agent restricts holds for all; what it allows of its own is left out."""
    for key in ("agent", "mode"):
        for agents in config.all(key):
            for name, agent in agents.items() if isinstance(agents, Members) else ():
                if isinstance(agent, Members):
                    yield from _agent(f"{key}.{key_of(name)}", name, agent)


def _agent(place: str, name: str, agent: Members) -> Iterator[Block]:
    own = [*_tools(agent), *_permission(agent, "permission", "")]
    strict = [entry for entry in own if entry.effect != "allow"]
    for entry in own:
        if entry.effect == "allow":
            yield lost(
                f"{place}.{entry.place}",
                f"{place}.{entry.place}: {entry.pattern}",
                "an agent's own permission lifts no rule",
            )
    renamed = [
        entry._replace(label=f"agent-{_slug(name)}-{entry.label}", place=f"{place}.{entry.place}") for entry in strict
    ]
    for block in _sayings(renamed):
        where = block.original.partition(": ")[0]
        yield block._replace(
            note=block.note or Note(where, "a policy does not know which of OpenCode's agents calls", "holds for all")
        )
