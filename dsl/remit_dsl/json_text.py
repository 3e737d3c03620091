"""JSON text (RFC 8259) both ways by the interpreter's own scanner and encoder, without the import of `json`, which compiles regular
expressions that a hook would pay for on every call. What comes out, and what is raised, is as `json.loads` and `json.dumps` have it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

BLANKS = " \t\n\r"
_CONSTANTS = {"-Infinity": float("-inf"), "Infinity": float("inf"), "NaN": float("nan")}


class Reading:
    """How values are made: the parameters of `json.loads`. What is not given is as it is there."""

    strict = True
    object_hook = None

    def __init__(
        self,
        pairs: Callable[[list[tuple[str, Any]]], Any] | None = None,
        real: Callable[[str], Any] = float,
        constant: Callable[[str], Any] = _CONSTANTS.__getitem__,
    ) -> None:
        self.object_pairs_hook = pairs
        self.parse_float = real
        self.parse_int = int
        self.parse_constant = constant


PLAIN = Reading()


def loads(text: str, reading: Reading = PLAIN) -> Any:
    """The value of a JSON text. Raises ValueError (json.JSONDecodeError) for what is none, RecursionError for what is nested too deep,
    and whatever the parts of `reading` raise."""
    scan = _scanner(reading)
    if scan is not None:
        try:
            value, end = scan(text, len(text) - len(text.lstrip(BLANKS)))
        # A SystemError: CPython 3.11 looks for the error that it would raise in json.decoder, and does not load that.
        except (StopIteration, SystemError):
            end = 0
        if end and not text[end:].strip(BLANKS):
            return value
    import json  # says what is wrong, and where

    return json.loads(
        text,
        object_pairs_hook=reading.object_pairs_hook,
        parse_float=reading.parse_float,
        parse_constant=reading.parse_constant,
    )


def _scanner(reading: Reading) -> Callable[[str, int], tuple[Any, int]] | None:
    try:
        from _json import make_scanner
    except ImportError:  # not in every interpreter
        return None
    return make_scanner(reading)  # type: ignore[arg-type]  # it reads the attributes of whatever it is given


def quoted(text: str) -> str:
    """A text as a JSON string of ASCII characters."""
    try:
        from _json import encode_basestring_ascii
    except ImportError:
        import json

        return json.dumps(text)
    return encode_basestring_ascii(text)
