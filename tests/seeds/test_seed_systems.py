"""The page about the three systems names a test for every feature, and every one of these tests is there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "seed-systems.md"
_TEST = re.compile(r"`(tests/[\w/.-]+\.py)::(\w+)`")
SYSTEMS = ("Claude Code", "AgentScope 2", "AstroResearch")


def _tables() -> dict[str, list[str]]:
    """Heading -> the rows of the tables below it, without their heads."""
    found: dict[str, list[str]] = {}
    heading, rule_seen = "", False
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            heading = line[3:]
        if not line.startswith("|"):
            rule_seen = False
        elif set(line) <= set("|-"):
            rule_seen = True
        elif rule_seen:
            found.setdefault(heading, []).append(line)
    return found


def _functions(path: str) -> set[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_feature_has_a_test(system: str) -> None:
    rows = _tables()[system]
    assert len(rows) >= 15
    for row in rows:
        assert row.count(" | ") == 2, row
        assert _TEST.search(row.rpartition(" | ")[2]), row


def test_every_named_test_is_there() -> None:
    named = _TEST.findall(PAGE.read_text(encoding="utf-8"))
    assert [f"{path}::{name}" for path, name in named if name not in _functions(path)] == []


@pytest.mark.parametrize("name", ["claude_code", "agentscope", "astroresearch"])
def test_every_test_about_a_system_shows_a_feature(name: str) -> None:
    path = f"tests/seeds/test_seed_{name}.py"
    text = PAGE.read_text(encoding="utf-8")
    tests = sorted(function for function in _functions(path) if function.startswith("test_"))
    assert [test for test in tests if f"`{path}::{test}`" not in text] == []
