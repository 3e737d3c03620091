"""The second opinion: bashlex reads a command as well, and a program that it sees and remit does not makes the call ask.

Two parsers that nobody wrote together seldom overlook the same command. bashlex is an extra (`second-opinion`), licensed
GPL-3.0-or-later; this is the one file that imports it, and only when a command comes along that is more than plain words and operators.
What it can not read, or is known to misread, changes nothing: then remit's word stands alone.
"""

from __future__ import annotations

import re
from importlib.util import find_spec

from remit.decide import SECOND_OPINION
from remit.errors import RemitError
from remit.facts import Facts, Unit
from remit.shell.fast import fast
from remit_dsl.index import base_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

SETTINGS = ("auto", "on", "off")
# bashlex takes up to 22 µs a character, and the square of the depth; deeper nesting than remit reads never comes here.
MAX_TEXT = 4096
# What needs more than the fast path holds one of these; a text without them is settled by one search.
_STRUCTURE = re.compile(r"[`({#!]|\b(?:if|for|while|until|case|function|select|time)\b")
# bashlex 0.18 takes arithmetic for subshells, bodies of heredocs and comments behind `;` for commands, and `$'x'` for `$x`.
_MISREAD = re.compile(r"\(\(|<<(?!<)|;[ \t]*#|\$'|\$\"|\[\[")
_RESERVED = frozenset(
    ("if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "in", "function", "select", "time",
     "coproc", "{", "}", "!", "[[", "]]")
)  # fmt: skip


def check_setting(setting: str) -> None:
    """Nothing, for a setting that can be followed. Raises ValueError for an unknown one, RemitError for `on` without bashlex."""
    if setting not in SETTINGS:
        raise ValueError(f"second_opinion is one of {', '.join(SETTINGS)}")
    if setting == "on" and not is_installed():
        raise RemitError("second_opinion is `on`, but bashlex is not installed: pip install 'remit[second-opinion]'")


def is_installed() -> bool:
    """Whether bashlex can be imported."""
    return find_spec("bashlex") is not None


def reviewed(facts: Facts, text: str) -> Facts:
    """The facts of a shell command, and one unit more if bashlex sees a program that none of them runs."""
    if len(text) > MAX_TEXT or not _STRUCTURE.search(text) or _MISREAD.search(text) or fast(text) is not None:
        return facts
    if any(unit.kind == "opaque" for unit in facts.units):
        return facts  # it asks already
    seen = {unit.program for unit in facts.units}
    unseen = next((name for name in programs(text) if name not in seen), None)
    if unseen is None:
        return facts
    return facts._replace(units=(*facts.units, Unit("opaque", unseen, construct=SECOND_OPINION)))


def programs(text: str) -> tuple[str, ...]:
    """The programs that bashlex sees in a command, by their base names; none when it can not read it. Never raises."""
    try:
        from bashlex import parse  # type: ignore[import-untyped]  # 200 ms, once in a process

        return tuple(dict.fromkeys([name for tree in parse(text) for name in _programs(tree)]))
    except (ImportError, RecursionError):
        return ()
    except Exception:  # noqa: BLE001 - bashlex raises whatever comes up; what it can not read changes nothing
        return ()


def _programs(node: Any) -> Iterator[str]:
    """The programs of the commands at and below a node of bashlex's tree."""
    if node.kind == "command":
        words = [part for part in node.parts if part.kind == "word"]
        if words and not words[0].parts and words[0].word not in _RESERVED and "$" not in words[0].word:
            yield base_name(words[0].word)
    for name in ("parts", "list", "command", "output"):
        below = getattr(node, name, None)
        for child in below if isinstance(below, list) else (below,):
            if hasattr(child, "kind"):
                yield from _programs(child)
