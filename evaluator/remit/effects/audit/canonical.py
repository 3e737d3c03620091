"""Values as canonical JSON text, the form that is hashed: ASCII, sorted names, no blanks; as `json.dumps(value, sort_keys=True,
separators=(",", ":"))` has it, without the import of `json`, which a hook would pay for on every call."""

from __future__ import annotations

from remit_dsl.json_text import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

try:
    from _json import encode_basestring_ascii as _quoted
except ImportError:  # not in every interpreter
    _quoted = quoted
_INFINITY = float("inf")


def canonical(value: Any) -> str:
    """The text of a JSON value of plain dicts, lists and tuples. A number that JSON has no form for (NaN, infinity) is null; a value of any
    other type is its `str`."""
    kind = type(value)
    if kind is str:
        return _quoted(value)
    if kind is dict:
        return _object(value)
    if kind is list or kind is tuple:
        return f"[{','.join([canonical(item) for item in value])}]"
    if value is None or kind is bool:
        return "null" if value is None else "true" if value else "false"
    if kind is int:
        return str(value)
    if kind is float:
        return float.__repr__(value) if -_INFINITY < value < _INFINITY else "null"
    return _quoted(str(value))


def _object(value: Mapping[Any, Any]) -> str:
    named = {str(name): item for name, item in value.items()}
    return f"{{{','.join([f'{_quoted(name)}:{canonical(named[name])}' for name in sorted(named)])}}}"
