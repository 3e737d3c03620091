"""Claude Code's permission rules, `Tool` or `Tool(specifier)`, as targets (code.claude.com/docs/en/permissions).

Never wider than there for an allow, never narrower for a deny or ask: without an exact counterpart an allow is left
out, a deny or ask becomes an ask for something wider.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from remit.importers.claude_paths import read_path
from remit.importers.claude_reading import Effect, Reading, exact, inexact
from remit.importers.claude_shell import read_command
from remit.importers.writing import escape_glob, target
from remit_dsl.escapes import encode_string
from remit_dsl.patterns import PatternError, parse_host_pattern

MAX_RULE = 32_768  # characters; the longest command a request may hold
MAX_HOST = 255  # RFC 1035, 2.3.4

_TOOL_NAME = re.compile(r"[A-Za-z_*][A-Za-z0-9_.*-]*")
_ALLOW_GLOB = re.compile(r"mcp__[A-Za-z0-9_.-]+?__[A-Za-z0-9_.*-]*")
_PARAMETER = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\s*:\s*(\S.*)", re.DOTALL)
_HOST = re.compile(r"[\w*.-]+")
_UNESCAPED = re.compile(r"\\([()\\])")

_EDITORS = ("Edit", "Write", "MultiEdit", "NotebookEdit")
_LISTERS = ("Glob", "LS")
_FORMER_NAMES = {"Task": "Agent"}

# Parameters that rules may name with `Tool(parameter:value)`; a tool that is not here may have any.
_PARAMETERS = {
    "Bash": frozenset({"description", "timeout", "run_in_background", "dangerouslyDisableSandbox"}),
    "PowerShell": frozenset({"description", "timeout", "run_in_background"}),
    "Read": frozenset({"offset", "limit", "pages"}),
    "Edit": frozenset({"replace_all"}),
    "Write": frozenset[str](),
    "MultiEdit": frozenset[str](),
    "NotebookEdit": frozenset({"cell_id", "cell_type", "edit_mode"}),
    "NotebookRead": frozenset[str](),
    "Glob": frozenset[str](),
    "LS": frozenset[str](),
    "Grep": frozenset({"output_mode", "multiline", "head_limit", "type"}),
    "WebFetch": frozenset({"prompt"}),
    "Agent": frozenset({"model", "isolation", "run_in_background", "description", "name"}),
    "Skill": frozenset({"args"}),
}
# Claude Code ignores rules on these, since it compares them in another form.
_NOT_PARAMETERS = {
    "Bash": ("command",),
    "PowerShell": ("command",),
    "WebFetch": ("url",),
} | dict.fromkeys(("Read", "NotebookRead", "Grep", *_LISTERS, *_EDITORS), ("file_path", "path", "notebook_path"))

# A rule that takes a whole tool away says nothing about other ways to do the same.
_OTHER_WAYS = {
    "Read": ("read files", "fs.read(**)"),
    "WebFetch": ("reach the network", "net.connect(*)"),
} | dict.fromkeys(_EDITORS, ("change files", "fs.write(**), fs.delete(**)"))


def read_rule(text: str, effect: Effect) -> Reading:
    """What the rule `text` of the list `effect` becomes. Any text has an answer; one without targets says why."""
    if len(text) > MAX_RULE:
        return Reading((), why=f"it has more than {MAX_RULE} characters", instead="left out")
    opening = _unescaped(text, "(")
    name = text[: opening if opening is not None else len(text)].strip()
    if not _TOOL_NAME.fullmatch(name):
        return _read_odd_name(name, effect)
    if "*" in name and effect == "allow" and not _ALLOW_GLOB.fullmatch(name):
        return inexact(effect, name, "Claude Code ignores an allow for tools that it does not name")
    name = _FORMER_NAMES.get(name, name)
    if opening is None:
        return _read_tool(name, effect)
    content = text.rstrip()[opening + 1 :]
    if not content.endswith(")") or _unescaped(content, ")", last=True) != len(content) - 1:
        return inexact(effect, name, "the parenthesis is not closed at its end")
    return _read_content(name, _UNESCAPED.sub(r"\1", content[:-1]), effect)


def _unescaped(text: str, sign: str, last: bool = False) -> int | None:
    """Where the first (or last) `sign` stands that no backslash escapes."""
    found = None
    for match in re.finditer(r"\\.|[()]", text, re.DOTALL):
        if match[0] == sign:
            found = match.start()
            if not last:
                break
    return found


def _read_odd_name(name: str, effect: Effect) -> Reading:
    if not name:
        return Reading((), why="it names no tool", instead="left out")
    wider = re.sub(r"[^A-Za-z0-9_.*-]+", "*", name)
    if not _TOOL_NAME.match(wider):
        wider = "*" + wider
    return inexact(effect, wider, "its tool has a name that no tool can have")


def _read_tool(name: str, effect: Effect) -> Reading:
    """A rule on every call of a tool."""
    if name == "Cd":
        return Reading((), why="it is about a command of the user, not a tool of the agent", instead="left out")
    if name.startswith("mcp__") and name.count("__") == 1 and "*" not in name:
        return exact(name, f"{name}__*")
    if name in _OTHER_WAYS and effect != "allow":
        what, wider = _OTHER_WAYS[name]
        return Reading(
            (name,), why=f"the tool is covered, not other ways to {what}", instead=f"{wider} covers them all"
        )
    return exact(name)


def _read_content(name: str, content: str, effect: Effect) -> Reading:
    """A rule on some calls of a tool."""
    if any("\ud800" <= char <= "\udfff" or (char < " " and char not in "\t\n\r") for char in content):
        return inexact(effect, name, "it holds characters that no text has")
    if not content.strip():
        return inexact(effect, name, "there is nothing between its parentheses")
    if name == "Cd":
        return _read_tool(name, effect)
    parameter = _PARAMETER.fullmatch(content.strip())
    if parameter and parameter[1] in _NOT_PARAMETERS.get(name, ()):
        return inexact(effect, name, f"Claude Code ignores a rule on the parameter {parameter[1]} of {name}")
    if parameter and _names_parameter(name, parameter[1], effect):
        return _read_parameter(name, parameter[1], parameter[2].strip())
    return _READERS.get(name, _read_text)(name, content, effect)


def _names_parameter(name: str, parameter: str, effect: Effect) -> bool:
    return effect != "allow" and ("*" in name or parameter in _PARAMETERS.get(name, (parameter,)))


def _read_parameter(name: str, parameter: str, value: str) -> Reading:
    fact = f"input.{parameter}"
    if "*" in value:
        when = f"{fact} like {encode_string('*'.join(map(escape_glob, value.split('*'))))}"
    elif value in ("true", "false") or re.fullmatch(r"-?(?:0|[1-9][0-9]{0,17})", value):
        when = f"{fact} == {value}"
    else:
        when = f"{fact} == {encode_string(value)}"
    return _read_tool(name, "allow")._replace(when=when)


def _read_read(name: str, content: str, effect: Effect) -> Reading:
    return _read_files(name, ("fs.read",), content, effect)


def _read_list(name: str, content: str, effect: Effect) -> Reading:
    if effect == "allow":
        return inexact(effect, name, f"Claude Code ignores paths in rules on {name}")
    return _read_files(name, ("fs.read",), content, effect)


def _read_edit(name: str, content: str, effect: Effect) -> Reading:
    """An edit rule covers every tool that edits. Of these, some also read: an allow names them, for it permits no reading."""
    if effect == "allow":
        return _read_files(name, tuple(dict.fromkeys(("Edit", name, "NotebookEdit", "fs.write"))), content, effect)
    return _read_files(name, ("fs.write", "fs.delete"), content, effect)


def _read_files(name: str, names: tuple[str, ...], content: str, effect: Effect) -> Reading:
    pattern, why = read_path(content, effect)
    if not pattern:
        return inexact(effect, name, why)
    targets = tuple(target(each, pattern) for each in names)
    if not why:
        return exact(*targets)
    if pattern.startswith("./"):
        return Reading(targets, why=why, instead="read as a path in the workspace")
    return inexact(effect, ", ".join(targets), why)


def _read_fetch(name: str, content: str, effect: Effect) -> Reading:
    """`WebFetch(domain:HOST)`. A deny or ask is about the host, whatever connects to it."""
    host = content.strip().removeprefix("domain:").strip().lower().rstrip(".")
    if host == "*":
        return _read_tool(name, effect)
    if not content.strip().startswith("domain:") or not _is_host(host):
        return inexact(effect, name, "it is not `domain:` and a host")
    return exact(target(name if effect == "allow" else "net.connect", host))


def _is_host(host: str) -> bool:
    """Whether a host pattern says the same as Claude Code's: stars only in the first label."""
    if len(host) > MAX_HOST or not _HOST.fullmatch(host):
        return False
    return not isinstance(parse_host_pattern(host), PatternError)


def _read_skill(name: str, content: str, effect: Effect) -> Reading:
    """`Skill(NAME)`; `Skill(NAME *)` and `Skill(NAME:*)` are the skill with any arguments."""
    text = content.strip()
    skill = text[:-2].rstrip() if text.endswith((":*", " *")) else ""
    return (
        exact(target(name, _text_glob(skill)), target(name, _text_glob(skill) + " *"))
        if skill
        else _read_text(name, text, effect)
    )


def _read_text(name: str, content: str, effect: Effect) -> Reading:
    if name.startswith("mcp__"):
        return inexact(effect, name, "Claude Code's rules on MCP tools have no patterns")
    return exact(target(name, _text_glob(content)))


def _text_glob(content: str) -> str:
    """A pattern whose only sign is `*`, and which is never the name of a set."""
    glob = re.sub(r"([?\[\]])", r"\\\1", content.strip())
    return "\\" + glob if glob.startswith("@") else glob


_READERS: dict[str, Callable[[str, str, Effect], Reading]] = {
    "Bash": read_command,
    "PowerShell": read_command,
    "Read": _read_read,
    "Grep": _read_read,
    "NotebookRead": _read_read,
    "WebFetch": _read_fetch,
    "Skill": _read_skill,
    **dict.fromkeys(_LISTERS, _read_list),
    **dict.fromkeys(_EDITORS, _read_edit),
}
