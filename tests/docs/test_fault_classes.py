"""Every test and every list of cases that docs/fault-classes.md names exists."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROWS = [
    line
    for line in (ROOT / "docs" / "fault-classes.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| class ")
]
_NAMED = re.compile(r'`(tests/[^`:]+)(?:::(\w+))?`(?: "([^"]+)")?')


def _names() -> list[tuple[str, str, str]]:
    return sorted({found for row in ROWS for found in _NAMED.findall(row.rsplit(" | ", 1)[-1])})


def test_every_class_is_held_by_something() -> None:
    assert len(ROWS) >= 40
    assert [row for row in ROWS if not _NAMED.search(row.rsplit(" | ", 1)[-1])] == []


@pytest.mark.parametrize(("path", "function", "heading"), _names())
def test_what_holds_it_exists(path: str, function: str, heading: str) -> None:
    text = (ROOT / path).read_text(encoding="utf-8")
    if function:
        assert function in [node.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    if heading:
        assert f"=== {heading}\n" in text
