"""Strings in policy text: escapes decoded and encoded."""

from __future__ import annotations

import re

# `\u{…}` takes up to six hexadecimal digits; whether they name a character is decided after.
_ESCAPE = re.compile(r"\\(?:u\{([0-9A-Fa-f]{1,6})\}|([^\r\n]))")
_SIMPLE = {'"': '"', "\\": "\\", "n": "\n", "t": "\t"}
# Characters that may not stand in a policy file as they are (E106), and those that end a string.
UNWRITABLE = "\\x00-\\x1f\\x7f-\\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff"
_ENCODE = re.compile(f'["\\\\{UNWRITABLE}]')
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}


def decode_string(literal: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The value of a string literal with its quotation marks, and the places in it of escapes that mean nothing."""
    inner = literal[1:-1]
    if "\\" not in inner:
        return inner, ()
    bad: list[tuple[int, int]] = []

    def value(match: re.Match[str]) -> str:
        decoded = _decode_escape(match)
        if decoded is None:
            bad.append((match.start() + 1, match.end() + 1))
            return ""
        return decoded

    return _ESCAPE.sub(value, inner), tuple(bad)


def encode_string(value: str) -> str:
    """A string literal that decodes to `value`. `value` holds no lone surrogate: no policy can name one."""
    return '"' + _ENCODE.sub(_encode_character, value) + '"'


def _decode_escape(match: re.Match[str]) -> str | None:
    digits, simple = match.groups()
    if digits is None:
        return _SIMPLE.get(simple)
    code = int(digits, 16)
    return chr(code) if code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else None


def _encode_character(match: re.Match[str]) -> str:
    character = match.group()
    return _SHORT.get(character) or f"\\u{{{ord(character):X}}}"
