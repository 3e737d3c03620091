"""Policy text from plain strings: every function returns one line that reads back as exactly what was given.

Text given must hold no lone surrogates; the language has no way to write them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from remit_dsl.escapes import encode_string

MAX_COMMENT = 160
MAX_WIDTH = 100  # of canonical text
_MAX_NESTING = 6  # parentheses inside raw content; the grammar takes a little more
_LIKE = re.compile(r"like(?![^\s\"])")


def target(name: str, content: str) -> str:
    """`name(content)`, the content raw where that reads back unchanged, else in quoted form."""
    return f"{name}({content if _reads_back(content) else encode_string(content)})"


def like_target(name: str, text: str) -> str:
    """`name(like "text")`: a pattern on text."""
    return f"{name}(like {encode_string(text)})"


def comment(text: str) -> str:
    """A comment line; what is not printable is escaped, what is too long is cut."""
    line = "".join(map(_printable, text[: MAX_COMMENT + 1]))
    return ("# " + (line if len(line) <= MAX_COMMENT else line[: MAX_COMMENT - 1] + "…")).rstrip()


def rule(effect: str, label: str, targets: Sequence[str], when: str = "") -> str:
    """A rule statement, with as many targets on each line as fit."""
    line = f"{effect} {label}: {targets[0]}"
    lines: list[str] = []
    for place, text in enumerate(targets[1:], 2):
        comma = "," if place < len(targets) else ""
        if len(line) + len(text) + len(comma) + 2 > MAX_WIDTH:
            lines.append(line + ",")
            line = "    " + text
        else:
            line += ", " + text
    lines.append(line)
    return "\n".join([*lines, f"  when {when}"] if when else lines)


def escape_glob(text: str) -> str:
    """`text` as a glob that matches only itself."""
    return re.sub(r"([\\*?\[\]])", r"\\\1", text)


def _printable(char: str) -> str:
    return char if char.isprintable() else f"\\u{{{ord(char):X}}}"


def _reads_back(content: str) -> bool:
    """Whether raw content is unambiguous: it ends at its own parenthesis and does not look like another form."""
    if not content or content != content.strip() or not content.isprintable():
        return False
    if content[0] == '"' or _LIKE.match(content) or ", " in content:  # the last would read as a list of patterns
        return False
    return _is_balanced(content)


def _is_balanced(content: str) -> bool:
    depth = 0
    escaped = False
    for char in content:
        if escaped:
            escaped = False
        elif char == "\\":
            escaped = True
        elif char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
        if not 0 <= depth <= _MAX_NESTING:
            return False
    return depth == 0 and not escaped
