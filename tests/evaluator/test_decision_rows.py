"""Decisions that the laws once found wrong: one row a case in `tests/corpus/decisions/*.jsonl`, with everything around the call."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from remit.engine import Engine
from remit.paths import GivenFiles
from remit.request import Request

ROWS = [
    json.loads(line)
    for path in sorted((Path(__file__).parents[1] / "corpus" / "decisions").glob("*.jsonl"))
    for line in path.read_text(encoding="utf-8").splitlines()
]


def test_ids_are_unique() -> None:
    assert len({row["id"] for row in ROWS}) == len(ROWS) > 0


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_decision(row: dict[str, Any]) -> None:
    """The policy of the row decides its request as the row says, for the reason it says."""
    request = Request(**{"cwd": "/w", "workspace": ("/w",), "home": "/h", **row["request"]})
    verdict = Engine.from_source(row["policy"], files=GivenFiles(row.get("files", ()), {})).decide(request)
    assert verdict.decision == row["decision"]
    assert verdict.reason.code == row.get("reason", verdict.reason.code)
