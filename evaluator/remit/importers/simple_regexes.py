"""Which regular expressions of JavaScript say the same in RE2, and on a text the same as on its JSON."""

from __future__ import annotations

import re

MAX_REGEX = 1000

# Letters, plain signs, escaped punctuation, the classes that both have, groups without names or look-around, and repetition.
_TOKEN = re.compile(
    r"""[A-Za-z0-9 _/:,;@%&=~<>!#-]
    | \\[.*+?()|\[\]{}/ -]
    | \\[sdwb]
    | \.[*+](?!\?|\+)
    | \(\?: | \((?!\?) | \) | \|
    | \[(?:[A-Za-z0-9 _/.,:@-]|\\[.*+?/-])+\]
    | [*+?](?![+?])
    | [^\x00-\x7f]""",
    re.VERBOSE,
)


def is_simple(pattern: str) -> bool:
    """Whether a policy can hold the expression: it is short, and made of the parts above."""
    if len(pattern) > MAX_REGEX or not pattern:
        return False
    place = 0
    while place < len(pattern):
        token = _TOKEN.match(pattern, place)
        if token is None:
            return False
        place = token.end()
    return _compiles(pattern)


def _compiles(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except (re.error, RecursionError):
        return False
    return True
