"""The closed world of the language: facts with their types, capabilities with the patterns they take. Data only."""

from __future__ import annotations

from typing import Final, Literal

# What a condition can compare. `path` is a place in the file system, `list` a list of strings, `any` a value whose type is known
# only when a request comes.
Type = Literal["str", "int", "bool", "list", "path", "map", "any"]

# How a content is read: which pattern notation.
Notation = Literal["shell", "path", "host", "word", "text"]

FACTS: Final[dict[str, Type]] = {
    "request.tool": "str",
    "request.agent_tool": "str",
    "request.user": "str",
    "request.host": "str",
    "request.cwd": "str",
    "request.labels": "map",
    "request.agent.name": "str",
    "request.agent.kind": "str",
    "request.agent.interactive": "bool",
    "request.time.hour": "int",
    "request.time.weekday": "str",
    "input": "map",
    "command.program": "str",
    "command.words": "list",
    "command.options": "list",
    "command.operands": "list",
    "command.env": "list",
    "command.wrappers": "list",
    "command.context": "list",
    "command.text": "str",
    "access.path": "path",
    "access.host": "str",
    "access.kind": "str",
    "session.calls": "int",
    "session.denials": "int",
    "session.consecutive_denials": "int",
    "session.repeats": "int",
    "session.steps": "int",
    "session.tokens": "int",
    "session.cancelled": "bool",
    "session.read": "list",
    "session.wrote": "list",
    "session.fetched": "list",
}

# Below these any name may follow: `request.labels.env`, `input.file_path`. The type is that of what is found there.
OPEN: Final[dict[str, Type]] = {"request.labels": "str", "input": "any", "data": "any"}

# Facts with few values: a constant that is none of them is a mistake.
VALUES: Final[dict[str, tuple[str, ...]]] = {
    "request.time.weekday": ("mon", "tue", "wed", "thu", "fri", "sat", "sun"),
    "access.kind": ("fs.read", "fs.write", "fs.delete", "net.connect", "exec"),
}

CAPABILITIES: Final[dict[str, Notation]] = {
    "fs.read": "path",
    "fs.write": "path",
    "fs.delete": "path",
    "net.connect": "host",
    "exec": "word",
}

# The notation of a content by the kind of the tool's subject.
SUBJECT_NOTATION: Final[dict[str, Notation]] = {
    "shell": "shell",
    "path": "path",
    "url": "host",
    "host": "host",
    "text": "text",
    "patch": "text",
}

# What a set holds, by the word that declares it, and the notation of its items.
SET_NOTATION: Final[dict[str, Notation]] = {"paths": "path", "hosts": "host", "words": "word", "tools": "word"}


def fact_type(path: tuple[str, ...]) -> Type | None:
    """The type of a fact by its dotted path, or None when there is no such fact."""
    name = ".".join(path)
    if name in FACTS:
        return FACTS[name]
    for opened, kind in OPEN.items():
        if name.startswith(opened + "."):
            return kind
    return None
