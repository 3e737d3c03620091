"""Decisions for the log: real verdicts on calls, and secrets that nobody ever used."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from remit.effects.decided import Decided
from remit.engine import Engine
from remit.request import Request

CORPUS = Path(__file__).parent.parent / "corpus" / "audit"
POLICY = """
policy acme.log for org
use std
deny no-push: Bash(git push *)
allow building: Bash(make *)
allow anything-else: mcp__notes__*
"""
_LETTERS = {
    "a": "aB3xQ9kL0mZ7pRt2Wc5Yv8Nd1Hs4Jf6GbTuEo",
    "h": "0f3a9c1e7b5d2846",
    "u": "Q7ZXK2WMB5RJ4NVTC",
    "b": "k9/Xq2+LmZ7pRt/Wc5Yv8N+d1Hs4Jf6GbTuE",
}


@cache
def engine() -> Engine:
    """One engine for all tests of the log."""
    return Engine.from_source(POLICY)


def decided(command: str = "make test", at: float = 1_800_000_000.0, **fields: Any) -> Decided:
    """A decision on a shell command, or on the call that the fields describe."""
    given = {"tool": "Bash", "input": {"command": command}, "cwd": "/srv/shop", "agent": "claude-code", "session": "s1"}
    request = Request(**{**given, **fields})
    return Decided(request, engine().decide(request), at, 0.001, "library")


def texts(name: str) -> Iterator[str]:
    """The texts of a corpus file."""
    for line in (CORPUS / name).read_text().splitlines():
        if line and not line.startswith("#"):
            yield line.replace("\\n", "\n")


def secret_texts() -> list[tuple[str, tuple[str, ...], str]]:
    """Of each text in secrets.txt: the text, its secrets, and the text with marks in their place."""
    found = []
    for written in texts("secrets.txt"):
        made = _made(written)
        secrets = tuple(re.findall("«(.*?)»", made, re.DOTALL))
        found.append(
            (made.replace("«", "").replace("»", ""), secrets, re.sub("«.*?»", "[masked]", made, flags=re.DOTALL))
        )
    return found


def _made(written: str) -> str:
    def letters(found: re.Match[str]) -> str:
        kind, number = found[1], int(found[2])
        return (_LETTERS[kind] * (number // 8 + 1))[:number]

    return re.sub(r"\{([ahub])(\d+)\}", letters, written).replace("{w}", "Tr0ub4dor")
