"""AgentScope's PermissionContext as a policy: its rules, working directories and mode, as `model_dump_json` writes them.

What the fields mean is taken from agentscope 2.0 (agentscope.permission, agentscope.tool). There, a rule is looked up by the name of
the tool under whose key it stands, in the list that it stands in; what it says of itself does not count. Of a list of rules, entries
are counted from 1 across all tools in the labels (`deny-1`), by tool in the notes (`deny_rules.Bash[1]`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from remit.importers.agentscope_rules import Rules, allow_commands, read_rule
from remit.importers.blocks import Block, assemble, key_of, lost, shown
from remit.importers.claude_reading import Effect
from remit.importers.conversion import Conversion, ConversionError, Note
from remit.importers.strict_json import Members, read_json
from remit.importers.writing import escape_glob, rule, target

HEADER = """\
policy imported.agentscope "Permissions from an AgentScope context"

# Labels count the entries of each list from 1.
use std
"""

_LISTS: dict[str, Effect] = {"deny_rules": "deny", "ask_rules": "ask", "allow_rules": "allow"}
_MODES = ("default", "accept_edits", "explore", "bypass", "dont_ask")
_KNOWN = frozenset({*_LISTS, "mode", "working_directories"})


def convert_context(text: str, *, with_defaults: bool = False) -> Conversion:
    """The policy for the context in `text`. Raises ConversionError where that is no JSON object of at most a MiB.

    with_defaults: commands that only read run, as there.
    """
    context = read_json(text)
    if not isinstance(context, Members):
        raise ConversionError("this is no context: not a JSON object")
    blocks = [*_rules(context), *_directories(context), *_others(context)]
    return assemble(HEADER + ("use std.reading\n" if with_defaults else ""), blocks)


def _rules(context: Members) -> Iterator[Block]:
    for name, effect in _LISTS.items():
        values = context.all(name)
        for value in values[-1:] if effect == "allow" else values:
            if not isinstance(value, Members):
                raise ConversionError(f"`{name}` is not an object")
        if effect == "allow":
            for _ in values[:-1]:
                yield lost(name, name, "it stands there again, and the last one counts")
            values = values[-1:]
        yield from _list(name, effect, [pair for value in values for pair in (*value.repeated, *value.items())])


def _list(name: str, effect: Effect, pairs: list[tuple[str, Any]]) -> Iterator[Block]:
    count = 0
    last = {tool: place for place, (tool, _) in enumerate(pairs)}
    for place, (tool, entries) in enumerate(pairs):
        where = f"{name}.{key_of(tool)}"
        if not isinstance(entries, list):
            raise ConversionError(f"`{where}` is not a list")
        if effect == "allow" and last[tool] != place:
            yield lost(where, where, "the list stands there again, and the last one counts")
            continue
        if effect == "allow" and tool == "Bash":
            yield from _commands(where, entries, count)
        else:
            yield from (_entry(where, tool, effect, count, index, entry) for index, entry in enumerate(entries, 1))
        count += len(entries)


def _entry(where: str, tool: str, effect: Effect, count: int, index: int, entry: Any) -> Block:
    place = f"{where}[{index}]"
    content, original, problem = _content(place, entry)
    if problem:
        return problem
    rules = read_rule(tool, content, effect)
    note = Note(place, rules.why, rules.instead) if rules.why else None
    return Block(original, tuple(_statements(effect, f"{effect}-{count + index}", rules)), note)


def _statements(effect: Effect, label: str, rules: Rules) -> Iterator[str]:
    if rules.targets:
        yield rule(effect, label, rules.targets, "" if rules.tool else rules.when)
    if rules.tool:
        yield rule(effect, f"{label}-text" if rules.targets else label, (rules.tool,), rules.when)


def _commands(where: str, entries: list[Any], count: int) -> Iterator[Block]:
    """What allows commands becomes one rule: there, one entry has to match the whole command line, and here each command too."""
    contents: list[str | None] = []
    for index, entry in enumerate(entries, 1):
        content, original, problem = _content(f"{where}[{index}]", entry)
        if problem:
            yield problem
            continue
        why = allow_commands([content]).why
        yield lost(f"{where}[{index}]", original, why) if why else Block(original)
        contents += [] if why else [content]
    if contents:
        rules = allow_commands(contents)
        yield Block(f"{where}: together", (rule("allow", f"allow-{count + 1}", rules.targets, rules.when),))


def _content(place: str, entry: Any) -> tuple[str | None, str, Block | None]:
    """A rule's content, the rule as a comment, and a block in its place where it is none."""
    original = f"{place}: {shown(entry)}"
    if not isinstance(entry, Members):
        raise ConversionError(f"`{place}` is not a rule")
    content = entry.get("rule_content")
    if content is not None and not isinstance(content, str):
        raise ConversionError(f"`{place}.rule_content` is not a string")
    original = f"{place}: {content or 'every call'}"
    return content or None, original, None


def _directories(context: Members) -> Iterator[Block]:
    for value in context.all("working_directories"):
        if not isinstance(value, Members):
            raise ConversionError("`working_directories` is not an object")
        yield from (_directory(index, folder) for index, folder in enumerate(value, 1))


def _directory(index: int, folder: str) -> Block:
    place, original = f"working_directories[{index}]", f"working_directories[{index}]: {folder}"
    parts = folder.split("/")
    if parts[0] not in ("", "~") or ".." in parts or "\\" in folder or not folder.isprintable() or not folder:
        return lost(place, original, "it is no folder that a pattern can name")
    pattern = "/".join([parts[0], *(escape_glob(part) for part in parts[1:] if part not in ("", ".")), "**"])
    targets = tuple(target(name, pattern) for name in ("fs.read", "fs.write", "fs.delete"))
    statement = rule("allow", f"directory-{index}", targets) + "\n  in mode accept_edits, acceptEdits"
    return Block(original, (statement,))


def _others(context: Members) -> Iterator[Block]:
    for mode in context.all("mode"):
        if mode != "default":
            known = mode in _MODES
            why = "the mode comes with each request, as the agent runs in it" if known else "the mode is not known"
            yield lost("mode", f"mode: {shown(mode)}", why)
    for key in context:
        if key not in _KNOWN:
            yield lost(key_of(key), key, "the key is not known")
