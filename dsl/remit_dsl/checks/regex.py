"""Regular expressions of conditions: RE2 syntax only (https://github.com/google/re2/wiki/Syntax), so that matching is linear."""

from __future__ import annotations

import importlib.util
import re
import warnings

MAX_LENGTH = 1000

# What Python's syntax has and RE2's has not: look-around, references back, conditional and atomic groups, comments, possessive
# quantifiers.
_ALIEN = re.compile(
    r"""\\(?:.)|\[\^?\]?(?:\\.|[^\]\\])*+\]|(?P<look>\(\?<?[=!])|(?P<group>\(\?(?:P=|\(|>|\#))|(?P<greedy>[*+?}]\+)""",
    re.DOTALL,
)
_WORDS = {"look": "look-around", "group": "a group of this kind", "greedy": "a possessive quantifier"}


def regex_problem(pattern: str) -> tuple[str, int]:
    """What RE2 would not take in `pattern` and where (an offset), or ("", 0)."""
    if len(pattern) > MAX_LENGTH:
        return f"longer than {MAX_LENGTH} characters", MAX_LENGTH
    for found in _ALIEN.finditer(pattern):
        if found.lastgroup:
            return _WORDS[found.lastgroup], found.start()
        if found.group()[0] == "\\" and found.group()[1:] in "123456789Zk":
            return "a reference back", found.start()
    return _RE2(pattern) if _RE2 else _own_problem(pattern)


def _own_problem(pattern: str) -> tuple[str, int]:
    """Python's opinion: stricter than RE2 in a few places, so nothing that RE2 would refuse goes through."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        place = error.pos if isinstance(error, re.error) else None
        return str(error).partition(" at position")[0], place or 0
    return "", 0


def _re2_problem(pattern: str) -> tuple[str, int]:
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(pattern, options)
    except re2.error as error:
        detail = error.args[0] if error.args else ""
        return detail.decode(errors="replace") if isinstance(detail, bytes) else str(detail), 0
    return "", 0


_RE2 = _re2_problem if importlib.util.find_spec("re2") else None
