"""JSON text to plain values, within bounds (RFC 8259): no constants that JSON lacks, no repeated key goes unseen."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from remit.importers.conversion import ConversionError

MAX_CHARACTERS = 1 << 20
MAX_DEPTH = 64

_STRUCTURE = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[\]{}]', re.DOTALL)


class Members(dict[str, Any]):
    """An object. A key that stands in it more than once has its last value, as JSON readers have it; the values
    before it are in `repeated`, in order."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.repeated: list[tuple[str, Any]] = []
        if len(self) != len(pairs):
            last = {key: place for place, (key, _) in enumerate(pairs)}
            self.repeated = [pair for place, pair in enumerate(pairs) if last[pair[0]] != place]

    def all(self, key: str) -> list[Any]:
        """Every value that `key` was given, in order."""
        values = [value for name, value in self.repeated if name == key]
        return [*values, self[key]] if key in self else values


def read_json(text: str) -> Any:
    """The value of `text`, objects as Members. Raises ConversionError with line and column."""
    text = text.removeprefix("\ufeff")
    if len(text) > MAX_CHARACTERS:
        raise ConversionError(f"the text has {len(text)} characters; the limit is {MAX_CHARACTERS}")
    _limit_depth(text)
    try:
        return json.loads(text, object_pairs_hook=Members, parse_constant=_refuse, parse_int=_integer)
    except json.JSONDecodeError as error:
        hint = " (JSON has no comments)" if text[error.pos : error.pos + 2] in ("//", "/*") else ""
        raise ConversionError(f"{error.lineno}:{error.colno}: not JSON: {error.msg}{hint}") from None


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) < 20 else float(digits)  # int() refuses more than 4,300 digits


def _limit_depth(text: str) -> None:
    depth = 0
    for match in _STRUCTURE.finditer(text):
        sign = match[0]
        depth += (sign in "[{") - (sign in "]}")
        if depth > MAX_DEPTH:
            line = text.count("\n", 0, match.start()) + 1
            column = match.start() - text.rfind("\n", 0, match.start())
            raise ConversionError(f"{line}:{column}: nested more than {MAX_DEPTH} deep")


def _refuse(constant: str) -> NoReturn:
    raise ConversionError(f"not JSON: {constant} is no JSON value")
