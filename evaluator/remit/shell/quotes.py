"""Quoted text: bash(1) "QUOTING". Each function stands behind the opening quote and steps behind the closing one."""

from __future__ import annotations

import re

from remit.shell import constructs
from remit.shell.reader import Reader

# Compiled on need: few commands have such quotes.
_ANSI = (
    r"""\\(?:(?P<letter>[abeEfnrtv\\'"?])|(?P<octal>[0-7]{1,3})|x(?P<byte>[0-9a-fA-F]{1,2})"""
    r"""|u(?P<short>[0-9a-fA-F]{1,4})|U(?P<long>[0-9a-fA-F]{1,8})|c(?P<control>[\x20-\x7e]))"""
)
_LETTERS = dict(zip("abeEfnrtv\\'\"?", "\a\b\x1b\x1b\f\n\r\t\v\\'\"?", strict=True))
_ANSI_END = re.compile(r"(?:[^\\']|\\.)*+'", re.DOTALL)


def single_quoted(reader: Reader) -> str:
    """`'…'`: everything up to the next quote."""
    end = reader.text.find("'", reader.pos)
    if end < 0:
        reader.decline(constructs.UNTERMINATED_QUOTE)
    text = reader.text[reader.pos : end]
    reader.pos = end + 1
    return text


def ansi_quoted(reader: Reader) -> str:
    """`$'…'`, decoded. A NUL ends the string, as in bash; bytes above 127 and code points that do not exist are declined."""
    found = _ANSI_END.match(reader.text, reader.pos)
    if not found:
        reader.decline(constructs.UNTERMINATED_QUOTE)
    raw = found[0][:-1]
    reader.pos = found.end()
    return re.sub(_ANSI, lambda escape: _decoded(reader, escape), raw).partition("\0")[0] if "\\" in raw else raw


def _decoded(reader: Reader, escape: re.Match[str]) -> str:
    kind = str(escape.lastgroup)
    text = escape[kind]
    if kind == "letter":
        return _LETTERS[text]
    if kind == "control":
        return chr(ord(text.upper()) ^ 0x40 if text != "?" else 0x7F)
    value = int(text, 8) & 255 if kind == "octal" else int(text, 16)
    # A byte above 127 is a part of a character in some encoding; which one, the locale says.
    if (kind in ("octal", "byte") and value > 127) or value > 0x10FFFF or 0xD800 <= value < 0xE000:
        reader.decline(constructs.ANSI_ESCAPE)
    return chr(value)
