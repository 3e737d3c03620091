"""Corpus files: `=== name`, the given text, `---`, the expected text; and so on. Before the first case, a preface.

A final line break of the given text, and all of the expected text, are not part of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

CORPUS = Path(__file__).parent.parent / "corpus"
_CASE = re.compile(r"^=== (.+)\n([\s\S]*?)^---\n([\s\S]*?)(?=^=== |\Z)", re.MULTILINE)


class Case(NamedTuple):
    path: Path
    line: int
    name: str
    given: str
    expected: str

    @property
    def id(self) -> str:
        return f"{self.path.name}:{self.line} {self.name}"


Golden = Callable[[Case, str], None]  # the fixture of conftest.py: compares what came out with the case


def read_cases(path: Path) -> list[Case]:
    """The cases of one file, in order. Fails on a file in which some case has no `---` or a name comes twice."""
    text = path.read_text(encoding="utf-8")
    cases = [
        Case(path, text.count("\n", 0, m.start()) + 1, m[1], m[2].removesuffix("\n"), m[3].rstrip("\n"))
        for m in _CASE.finditer(text)
    ]
    assert len(cases) == len(re.findall(r"^=== ", text, re.MULTILINE)), f"{path}: a case without `---`"
    assert len({case.name for case in cases}) == len(cases), f"{path}: a name comes twice"
    return cases


def rewrite_cases(path: Path, actual: Mapping[str, str]) -> None:
    """Writes what came out as the expected text of the cases named in `actual`."""

    def case(match: re.Match[str]) -> str:
        name, given, expected = match.groups()
        shown = actual.get(name, expected).rstrip("\n")
        return f"=== {name}\n{given}---\n{shown}\n\n"

    text = path.read_text(encoding="utf-8")
    path.write_text(_CASE.sub(case, text).rstrip("\n") + "\n", encoding="utf-8")
