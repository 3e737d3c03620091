"""One entry of an AstroResearch list, as a policy says it: never wider for an allow, never narrower for a deny or ask."""

from __future__ import annotations

import re
from collections.abc import Sequence

from remit.importers.blocks import is_writable
from remit.importers.claude_reading import Effect
from remit.importers.conditions_on_text import is_given, like_any
from remit.importers.writing import escape_glob, like_target
from remit_dsl.records import NamedTuple

# The parameters that a content is compared with; of the tools that are known, those that they have.
FACTS = ("input.command", "input.file_path", "input.path", "input.pattern", "input.url")
_FILE = ("input.file_path", "input.path")
_SEARCH = ("input.path", "input.pattern")
_FACTS = {
    "run_bash": ("input.command",),
    "read_file": _FILE,
    "file_write": _FILE,
    "file_edit": _FILE,
    "glob_files": _SEARCH,
    "grep_files": _SEARCH,
}

_TOOL_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_COMMON = {"run_bash": "Bash", "read_file": "Read"}
_OTHER_WAYS = {
    "read_file": ("read files", "fs.read"),
    "file_write": ("change files", "fs.write"),
    "file_edit": ("change files", "fs.write"),
}


class TextReading(NamedTuple):
    """What an entry becomes: targets of a rule that always holds; a tool, and the condition on which a rule for it holds ("" = there
    is no such rule). why, instead: what could not be carried over, and what stands in its place."""

    targets: tuple[str, ...] = ()
    tool: str = ""
    when: str = ""
    why: str = ""
    instead: str = ""


def read_rule(text: str, effect: Effect) -> TextReading:
    """What the rule `text` of the list `effect` becomes. Any text has an answer; one without rules says why."""
    name, opening, content = text.partition("(")
    name = name.strip()
    if not is_writable(text) or not (name == "*" or _TOOL_NAME.fullmatch(name)):
        return _odd_name(name, effect)
    if not opening:
        return TextReading((_COMMON.get(name, name),))
    if not content.endswith(")"):
        return _wider(_COMMON.get(name, name), effect, "the parenthesis is not closed at its end")
    return _read_content(name, content[:-1], effect)


def _odd_name(name: str, effect: Effect) -> TextReading:
    wider = re.sub(r"[^A-Za-z0-9_.*-]++", "*", name)
    if not name or not wider.strip("*"):
        return _wider("*", effect, "it names no tool")
    return _wider(wider if _TOOL_NAME.match(wider) else "*" + wider, effect, "no tool has this name")


def _wider(tool: str, effect: Effect, why: str) -> TextReading:
    """An entry that cannot be said: an allow is left out, a deny or ask holds for every call of the tool."""
    if effect == "allow":
        return TextReading(why=why, instead="left out")
    return TextReading((tool,), why=why, instead=f"holds for {tool}")


def _read_content(name: str, content: str, effect: Effect) -> TextReading:
    tool, facts = _COMMON.get(name, name), _FACTS.get(name, FACTS)
    glob = _glob(content, effect)
    if not glob:
        return _wider(tool, effect, "the content has a star where the original's meaning is not certain")
    if not glob.strip("*") and effect != "allow":
        return TextReading((tool,))
    any_matches = " or ".join(like_any(fact, [glob]) for fact in facts)
    if effect == "allow":
        # Of a command line each command is compared as well.
        return TextReading(tool=like_target(tool, glob) if tool == "Bash" else tool, when=_narrowly(facts, glob))
    targets = (like_target("Bash", glob),) if tool in ("Bash", "*") else ()
    what, wider = _OTHER_WAYS.get(name, ("", ""))
    why = f"the tool is covered, not other ways to {what}" if what else ""
    return TextReading(targets, tool, any_matches, why, f"{wider} covers them all" if what else "")


def _narrowly(facts: Sequence[str], glob: str) -> str:
    """That every parameter which is compared matches, and there is one: which one counts is not told."""
    if len(facts) == 1:
        return like_any(facts[0], [glob])
    any_matches = " or ".join(like_any(fact, [glob]) for fact in facts)
    return " and ".join(
        [f"({any_matches})", *(f"({like_any(fact, [glob])} or not ({is_given(fact)}))" for fact in facts)]
    )


def _glob(content: str, effect: Effect) -> str:
    """The content as a glob; "" where none surely says the same, or at least as much for a deny or ask."""
    inner = content.strip("*")
    stars = content.count("*") - inner.count("*")
    if "*" in inner or stars > 1:
        return "" if effect == "allow" else f"*{'*'.join(map(escape_glob, inner.split('*')))}*"
    if not inner:
        return "*"
    if content.endswith("*"):
        return f"{escape_glob(inner)}*"
    return f"*{escape_glob(inner)}" if content.startswith("*") else f"*{escape_glob(inner)}*"
