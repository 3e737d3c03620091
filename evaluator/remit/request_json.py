"""Requests as JSON objects: `{"tool": …, "input": {…}, "cwd": …}`, the fields of `Request`. Anything else is refused, because a
misspelt field would change what is judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from remit.payloads import PayloadError
from remit.request import Request, Session


def request_of(fields: Mapping[str, Any]) -> Request:
    """The request that a JSON object describes. Raises PayloadError with the field that is wrong."""
    if "tool" not in fields:
        raise PayloadError("the field tool is missing")
    values = {}
    for name, value in fields.items():
        read = _READERS.get(name)
        if read is None:
            raise PayloadError(f"there is no field {name[:80]!r}; known: {', '.join(_READERS)}")
        values[name] = read(name, value)
    return Request(**values)


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str) or "\0" in value:
        raise PayloadError(f"the field {name} is no text")
    return value


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise PayloadError(f"the field {name} is neither true nor false")
    return value


def _parameters(name: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise PayloadError(f"the field {name} is no object")
    return value


def _labels(name: str, value: Any) -> Mapping[str, str]:
    return {key: _text(f"{name}.{key}", text) for key, text in _parameters(name, value).items()}


def _folders(name: str, value: Any) -> tuple[str, ...]:
    folders = [value] if isinstance(value, str) else value
    if not isinstance(folders, list):
        raise PayloadError(f"the field {name} is no list of paths")
    return tuple([_folder(name, folder) for folder in folders])


def _folder(name: str, value: Any) -> str:
    if not _text(name, value).startswith("/"):
        raise PayloadError(f"the field {name} is no absolute path")
    return str(value)


def _session(name: str, value: Any) -> Session:
    """An id, or an object with the counters of `Session`; approvals do not come from the caller."""
    if isinstance(value, str):
        return Session(id=value)
    fields = _parameters(name, value)
    known = Session()._asdict()
    for key, item in fields.items():
        if key not in known or key == "approved":
            raise PayloadError(f"the field {name} has no part {key[:80]!r}")
        if type(item) is not (list if isinstance(known[key], tuple) else type(known[key])):
            raise PayloadError(f"the field {name}.{key} is of the wrong kind")
        if isinstance(item, list):
            fields = {**fields, key: tuple([_text(f"{name}.{key}", text) for text in item])}
    return Session(**fields)


_READERS: dict[str, Callable[[str, Any], Any]] = {
    "tool": _text,
    "input": _parameters,
    "cwd": _folder,
    "workspace": _folders,
    "home": _folder,
    "mode": _text,
    "agent": _text,
    "agent_kind": _text,
    "interactive": _flag,
    "session": _session,
    "user": _text,
    "host": _text,
    "labels": _labels,
    "time": _text,
    "classifier": _text,
}
