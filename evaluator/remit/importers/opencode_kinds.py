"""The kinds of calls that OpenCode's permissions are about, and how the patterns of each are read.

A pattern is compared with all of a text: `*` stands for any characters, `?` for one, and ` *` at the end also for nothing
(opencode.ai/docs/permissions). The text is each command of a line, a path below the worktree, a URL, or what the tool asks for.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from remit.importers.claude_reading import Effect
from remit.importers.claude_shell import read_command
from remit.importers.conditions_on_text import like_any, with_stars
from remit.importers.crossing_globs import crossing_patterns
from remit.importers.precedence import Saying
from remit.importers.writing import like_target, target
from remit_dsl.records import NamedTuple

_TOOL = re.compile(r"[A-Za-z_*][A-Za-z0-9_.*-]*")
_NO_PATTERN = "the pattern has a sign, or so many stars, that no pattern here says the same"


class Kind(NamedTuple):
    """A permission. tools: the tools that it is about. reader: reads a pattern other than `*`."""

    key: str
    tools: tuple[str, ...]
    reader: Callable[[Kind, str, Effect], Saying]
    extra: str = ""

    def read(self, pattern: str, effect: Effect) -> Saying:
        """What an entry says of the calls of this kind."""
        return self.everything(effect) if pattern == "*" else self.reader(self, pattern, effect)

    def everything(self, effect: Effect, why: str = "") -> Saying:
        """An entry for every call. why: what a pattern would have said."""
        closing = self.extra if self.extra.startswith("when ") else ""
        exceptions = self.extra if self.extra.startswith("except ") else ""
        allowed = () if why or self.extra else self.tools
        instead = "left out" if effect == "allow" else f"holds for {self.tools[0]}"
        return Saying(
            effect, self.tools, allowed, closing=exceptions or closing, why=why, instead=instead if why else ""
        )


def _read_command(kind: Kind, pattern: str, effect: Effect) -> Saying:
    globs = _globs(pattern)
    inexact = _NO_PATTERN if "?" in pattern else ""
    narrow = () if inexact else tuple(like_target("Bash", glob) for glob in globs)
    words = read_command("Bash", pattern, "deny")
    wide = (*(words.targets if not words.why else ()), *(like_target("Bash", glob) for glob in globs))
    instead = "left out" if effect == "allow" else "`?` holds for any text"
    return Saying(effect, tuple(dict.fromkeys(wide)), narrow, narrow, why=inexact, instead=instead if inexact else "")


def _globs(pattern: str) -> tuple[str, ...]:
    glob = with_stars(pattern.replace("?", "*"))
    return (glob, glob[:-2]) if glob.endswith(" *") else (glob,)


def _read_path(kind: Kind, pattern: str, effect: Effect) -> Saying:
    patterns = () if "?" in pattern else crossing_patterns(pattern)
    if not patterns:
        return kind.everything(effect, _NO_PATTERN)
    names = ("fs.read",) if kind.key == "read" else ("fs.write", "fs.delete")
    capabilities = tuple(target(name, each) for name in names for each in patterns)
    tools = tuple(target(name, _inside(each)) for name in kind.tools if name != "apply_patch" for each in patterns)
    return Saying(effect, capabilities, tools, (*tools, *capabilities))


def _inside(pattern: str) -> str:
    return pattern if pattern[0] in "/~." else f"./{pattern}"


def _read_text(kind: Kind, pattern: str, effect: Effect) -> Saying:
    fact = _FACTS.get(kind.key)
    if fact is None:
        return kind.everything(effect, "the tool has no patterns")
    condition = like_any(fact, _globs(pattern))
    if "?" in pattern:
        return Saying(effect, kind.tools, when_wide=condition, why=_NO_PATTERN, instead="`?` holds for any text")
    return Saying(effect, kind.tools, kind.tools, kind.tools, condition, condition)


_FACTS = {
    "glob": "input.pattern",
    "grep": "input.pattern",
    "list": "input.path",
    "webfetch": "input.url",
    "websearch": "input.query",
    "codesearch": "input.query",
    "task": "input.subagent_type",
    "skill": "input.name",
}
_OUTSIDE = "except fs.read(./**), fs.write(./**), fs.delete(./**)"
KINDS = {
    kind.key: kind
    for kind in (
        Kind("bash", ("Bash",), _read_command),
        Kind("read", ("Read",), _read_path),
        Kind("edit", ("Edit", "Write", "MultiEdit", "NotebookEdit", "apply_patch"), _read_path),
        Kind("glob", ("Glob",), _read_text),
        Kind("grep", ("Grep",), _read_text),
        Kind("list", ("LS",), _read_text),
        Kind("webfetch", ("WebFetch",), _read_text),
        Kind("websearch", ("WebSearch",), _read_text),
        Kind("codesearch", ("codesearch",), _read_text),
        Kind("task", ("Agent",), _read_text),
        Kind("skill", ("Skill",), _read_text),
        Kind("todowrite", ("TodoWrite",), _read_text),
        Kind("question", ("AskUserQuestion",), _read_text),
        Kind("lsp", ("lsp",), _read_text),
        Kind("external_directory", ("fs.read(/**)", "fs.write(/**)", "fs.delete(/**)"), _read_text, _OUTSIDE),
        Kind("doom_loop", ("*",), _read_text, "when session.repeats >= 3"),
    )
}


def other_kind(key: str) -> Kind:
    """The kind of a key that is not known: a tool of a plugin, or `SERVER_TOOL` of an MCP server; `*`: every other tool."""
    if key == "*":
        known = sorted({name for kind in KINDS.values() for name in kind.tools if name.isidentifier()})
        return Kind(key, ("*",), _read_text, f"except {', '.join(known)}")
    name = re.sub(r"[^A-Za-z0-9_.*-]++", "*", key)
    if not _TOOL.fullmatch(name):
        name = "*" + name
    server, joined, tool = name.partition("_")
    return Kind(key, (name, *((f"mcp__{server}__{tool}",) if joined and tool else ())), _read_text)
