"""JSON from outside -> plain values, within bounds (RFC 8259). What two readers could understand differently is refused."""

from __future__ import annotations

from remit_dsl.json_text import Reading, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

MAX_BYTES = 1 << 20
MAX_DEPTH = 64


class PayloadError(ValueError):
    """The text is not what was promised. The message is one line, lower-case, without a full stop."""


def read_object(payload: bytes) -> dict[str, Any]:
    """The object that `payload` holds. Raises PayloadError for anything else: other values, more than MAX_BYTES, a key that is
    given twice, deeper nesting than MAX_DEPTH, `NaN`, numbers out of range, text that is not UTF-8."""
    value = read_value(payload)
    if not isinstance(value, dict):
        raise PayloadError("not a JSON object")
    return value


def read_value(payload: bytes) -> Any:
    """The value that `payload` holds; as `read_object`, for any value."""
    if len(payload) > MAX_BYTES:
        raise PayloadError(f"more than {MAX_BYTES} bytes")
    if not payload.strip():
        raise PayloadError("empty")
    try:
        text = payload.removeprefix(b"\xef\xbb\xbf").decode()  # a byte order mark is let through (RFC 8259 8.1)
        value = loads(text, Reading(_object, _finite, _refuse))
    except PayloadError:
        raise
    except UnicodeDecodeError:
        raise PayloadError("not UTF-8") from None
    except RecursionError:
        raise PayloadError(f"nested more than {MAX_DEPTH} deep") from None
    except ValueError as error:
        raise PayloadError(_complaint(error)) from None
    _limit_depth(value)
    return value


def _complaint(error: ValueError) -> str:
    from json import JSONDecodeError

    if isinstance(error, JSONDecodeError):
        return f"not JSON: {error.msg} at line {error.lineno}, column {error.colno}"
    return "a number is out of range"  # the only one left: more digits than an integer may have


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise PayloadError("a key is given twice in one object")
    return found


def _refuse(constant: str) -> NoReturn:
    raise PayloadError(f"{constant} is no JSON value")


def _finite(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise PayloadError("a number is out of range")
    return number


def _limit_depth(value: Any) -> None:
    level = [value]
    for _ in range(MAX_DEPTH):
        below: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                below += item.values()
            elif isinstance(item, list):
                below += item
        if not below:
            return
        level = below
    if any(isinstance(item, (dict, list)) for item in level):
        raise PayloadError(f"nested more than {MAX_DEPTH} deep")
