"""fnmatch patterns on paths, in which a star also stands for `/`, as conditions on text and as path patterns."""

from __future__ import annotations

import re

from remit.importers.conditions_on_text import like_any, with_stars
from remit_dsl.escapes import encode_string

_CLASS = re.compile(r"\[!?\]?[^\]]*+\]")


def path_condition(fact: str, pattern: str) -> str:
    """That a fact matches a pattern as Python's fnmatch reads it."""
    if not re.search(r"[?\[]", pattern):
        return like_any(fact, [with_stars(pattern)])
    return f"{fact} matches {encode_string(_regex(pattern))}"


def _regex(pattern: str) -> str:
    """The same as a regular expression of RE2: `[` without its end stands for itself."""
    parts, place = ["^(?s:"], 0
    while place < len(pattern):
        char = pattern[place]
        found = _CLASS.match(pattern, place) if char == "[" else None
        if found:
            parts.append(_class(found[0][1:-1]))
            place = found.end()
            continue
        parts.append({"*": ".*", "?": "."}.get(char) or _literal(char))
        place += 1
    return "".join([*parts, ")$"])


def _class(inside: str) -> str:
    """A class of characters, its ranges kept; one whose range is turned round is empty."""
    negated = inside.startswith("!")
    items, place, body = [], 0, inside[negated:]
    while place < len(body):
        if body[place + 1 : place + 2] == "-" and place + 2 < len(body):
            if body[place] <= body[place + 2]:
                items.append(f"{_literal(body[place])}-{_literal(body[place + 2])}")
            place += 3
        else:
            items.append(_literal(body[place]))
            place += 1
    if not items:
        return "." if negated else "[^\\x{0}-\\x{10FFFF}]"
    return f"[{'^' if negated else ''}{''.join(items)}]"


def _literal(char: str) -> str:
    return char if char.isalnum() or char == "/" else f"\\x{{{ord(char):X}}}"
