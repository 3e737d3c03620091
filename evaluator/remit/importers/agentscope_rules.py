"""AgentScope's permission rules as rules of a policy: never wider for an allow, never narrower for a deny or ask.

There, Bash rules are compared with the command line as it was sent: `PREFIX:*`, text with stars that matches all of it, or text that
occurs in it. Rules on file tools are fnmatch patterns on the path as it was sent, in which a star also stands for `/`. Other tools have
rules without content; one that is a JSON object is read as the arguments that it holds for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from remit.importers.blocks import is_writable
from remit.importers.claude_reading import Effect
from remit.importers.claude_shell import read_command
from remit.importers.conditions_on_text import LINE_BREAKS, containing, is_given, like_any
from remit.importers.conversion import ConversionError
from remit.importers.file_globs import path_condition
from remit.importers.strict_json import Members, read_json
from remit.importers.writing import escape_glob, like_target, target
from remit_dsl.escapes import encode_string
from remit_dsl.records import NamedTuple

_COMMAND = "input.command"
_FACTS = {
    "Read": ("input.file_path",),
    "Write": ("input.file_path",),
    "Edit": ("input.file_path",),
    "Glob": ("input.path", "input.pattern"),
    "Grep": ("input.path",),
}
_TOOL_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_PARAMETER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FOLDER = re.compile(r"(/(?:[^*?\[\]\\/]++/)++)\*++")
_OTHER_WAYS = {
    "Read": ("read files", "fs.read covers them all"),
    "Write": ("change files", "fs.write covers them all"),
    "Edit": ("change files", "fs.write covers them all"),
}


class Rules(NamedTuple):
    """What an entry becomes: targets of a rule, on the condition `when` if there is no `tool` (an allow), else always, beside a rule for
    the tool on that condition. why, instead: what could not be carried over, and what stands in its place."""

    targets: tuple[str, ...] = ()
    tool: str = ""
    when: str = ""
    why: str = ""
    instead: str = ""


def read_rule(tool: str, content: str | None, effect: Effect) -> Rules:
    """What a rule on a tool becomes. Any text has an answer; one without rules says why."""
    if not _TOOL_NAME.fullmatch(tool):
        wider = re.sub(r"[^A-Za-z0-9_.-]++", "*", tool) if is_writable(tool) else "*"
        return _wider(wider if re.match(r"[A-Za-z_*]", wider) else "*" + wider, effect, "no policy can name this tool")
    if content is None:
        return Rules((tool,))
    if not is_writable(content):
        return _wider(tool, effect, "it holds characters that no text has")
    if tool == "Bash":
        return _deny_commands(content, effect)
    if tool in _FACTS:
        return _read_path(tool, content, effect)
    return _read_arguments(tool, content, effect)


def _wider(tool: str, effect: Effect, why: str) -> Rules:
    """An entry that cannot be said: an allow is left out, a deny or ask holds for every call of the tool."""
    if effect == "allow":
        return Rules(why=why, instead="left out")
    return Rules((tool,), why=why, instead=f"holds for {tool}")


# --- commands -------------------------------------------------------------------------------------------------


def allow_commands(contents: Sequence[str | None]) -> Rules:
    """One rule for all entries that allow commands: each command of a line matches one of them, and so does the whole line."""
    if None in contents:
        return Rules(("Bash",))
    globs = [glob for content in contents if content is not None for glob in _command_globs(content)]
    if not globs or not all(map(is_writable, globs)):
        return Rules(why="its backslashes are not those of the format", instead="left out")
    whole = like_any(_COMMAND, globs)
    return Rules(
        tuple(like_target("Bash", glob) for glob in dict.fromkeys(globs)), when=f"({whole}) and not ({LINE_BREAKS})"
    )


def _deny_commands(content: str, effect: Effect) -> Rules:
    globs = _command_globs(content)
    if not globs:
        return _wider("Bash", effect, "its backslashes are not those of the format")
    words = read_command("Bash", content if "*" in content else content + " *", "deny")
    targets = [*(words.targets if not words.why else ()), *(like_target("Bash", glob) for glob in globs)]
    return Rules(tuple(dict.fromkeys(targets)), "Bash", like_any(_COMMAND, globs))


def _command_globs(content: str) -> list[str]:
    """The globs of which a command line matches one; none where a backslash escapes what it should not."""
    if content.endswith(":*"):
        prefix = content[:-2].strip()
        return [escape_glob(prefix), f"{escape_glob(prefix)} *"]
    if re.search(r"\\(?![*\\])", re.sub(r"\\\\", "", content)):
        return []
    pieces = re.split(r"(\\\\|\\\*|\*)", content)
    stars = [place for place, piece in enumerate(pieces) if piece == "*"]
    if not stars:
        return [containing("".join(piece[1:] if piece in ("\\\\", "\\*") else piece for piece in pieces))]
    glob = "".join(
        "*" if piece == "*" else escape_glob(piece[1:] if piece in ("\\\\", "\\*") else piece) for piece in pieces
    )
    bare = re.sub(r"[ \t\n\r]+$", "", glob[:-1]) if content.endswith("*") and pieces[-2:] == ["*", ""] else glob
    return [glob] if bare == glob else [glob, bare]


# --- paths ----------------------------------------------------------------------------------------------------


def _read_path(tool: str, content: str, effect: Effect) -> Rules:
    facts = _FACTS[tool]
    conditions = [path_condition(fact, content) for fact in facts]
    if effect == "allow":
        return _allow_path(tool, facts, conditions, content)
    if tool == "Grep":  # without a path it searches the current folder
        conditions.append(
            f'({facts[0]} == "" or not ({is_given(facts[0])})) and ({path_condition("request.cwd", content)})'
        )
    folder = _FOLDER.fullmatch(content)
    targets = (target(tool, f"{folder[1]}**"),) if folder else ()
    why, instead = _OTHER_WAYS.get(tool, ("", ""))
    return Rules(
        targets, tool, " or ".join(conditions), why and f"the tool is covered, not other ways to {why}", instead
    )


def _allow_path(tool: str, facts: tuple[str, ...], conditions: list[str], content: str) -> Rules:
    """An allow, whose path does not climb out of what it seems to be in."""
    folder = _FOLDER.fullmatch(content)
    climbing = " or ".join(like_any(fact, ["*..*"]) for fact in facts)
    return Rules(
        (target(tool, f"{folder[1]}**") if folder else tool,), when=f"({' or '.join(conditions)}) and not ({climbing})"
    )


# --- other tools ----------------------------------------------------------------------------------------------


def _read_arguments(tool: str, content: str, effect: Effect) -> Rules:
    """A content that is the JSON of the arguments: a deny or ask holds for calls that have these among theirs."""
    if effect == "allow":
        return _wider(tool, effect, "a policy cannot say that there are no other arguments")
    try:
        arguments = read_json(content)
    except ConversionError:
        arguments = None
    if not isinstance(arguments, Members) or not arguments or not all(map(_is_plain, arguments.items())):
        return _wider(tool, effect, "the tool has no patterns")
    return Rules(
        tool=tool, when=" and ".join(f"input.{name} == {_constant(value)}" for name, value in arguments.items())
    )


def _is_plain(item: tuple[str, Any]) -> bool:
    name, value = item
    plain = isinstance(value, (str, bool)) or (isinstance(value, int) and abs(value) < 10**18)
    return bool(_PARAMETER.fullmatch(name)) and plain and (not isinstance(value, str) or is_writable(value))


def _constant(value: str | int) -> str:
    return encode_string(value) if isinstance(value, str) else str(value).lower()
