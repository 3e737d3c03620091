"""Conditions on a call's parameters as text, for systems that match text and not words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from remit.importers.writing import escape_glob
from remit_dsl.escapes import encode_string

LINE_BREAKS = 'input.command like "*\\n*"'
_STARS = re.compile(r"\*{2,}+")


def like_any(fact: str, globs: Sequence[str]) -> str:
    """That a fact matches one of the globs."""
    return " or ".join(f"{fact} like {encode_string(glob)}" for glob in dict.fromkeys(globs))


def is_given(fact: str) -> str:
    """That the call has a parameter, and it is text."""
    return f'{fact} like "*"'


def containing(text: str) -> str:
    """The glob for text that holds this piece."""
    return f"*{escape_glob(text)}*"


def with_stars(text: str) -> str:
    """The glob of a pattern in which `*` is the only sign, and stands for any text."""
    return "*".join(map(escape_glob, _STARS.sub("*", text).split("*")))
