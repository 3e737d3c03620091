"""Environment files to names and values: lines of `NAME=value`, as `env` prints them and as shells read them."""

from __future__ import annotations

import re

from remit.importers.conversion import ConversionError
from remit.importers.strict_json import MAX_CHARACTERS

_LINE = re.compile(r"(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*+)=(.*)", re.DOTALL)


def read_environment(text: str) -> list[tuple[str, str]]:
    """The names and values, in order. Raises ConversionError with the line that is neither that, nor empty, nor a comment.

    A value may stand in single or double quotes, then with a comment behind it; nothing in it is filled in.
    """
    if len(text) > MAX_CHARACTERS:
        raise ConversionError(f"the text has {len(text)} characters; the limit is {MAX_CHARACTERS}")
    found = []
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        match = _LINE.fullmatch(stripped)
        if match is None:
            raise ConversionError(f"{number}: not NAME=value")
        found.append((match[1], _value(match[2].strip(), number)))
    return found


def _value(text: str, number: int) -> str:
    quote = text[:1]
    if quote not in ("'", '"') or not quote:
        return text
    end = text.find(quote, 1)
    rest = text[end + 1 :].strip()
    if end < 0 or (rest and not rest.startswith("#")):
        raise ConversionError(f"{number}: the quotes do not pair")
    return text[1:end]
