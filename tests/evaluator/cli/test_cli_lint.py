from __future__ import annotations

from pathlib import Path

import pytest
from remit_calls import Remit

POLICY = """\
policy org.l for org
use std
deny short: Bash(rm) because "no" until 2026-06-30
test "one" {
  deny Bash(rm) by short
}
"""


@pytest.fixture
def linted(tmp_path: Path) -> str:
    (tmp_path / "l.remit").write_text(POLICY)
    return "l.remit"


def test_findings_exit_with_1(remit: Remit, linted: str) -> None:
    done = remit("lint", linted, "--today", "2026-06-30")
    assert done.code == 1
    assert "warning[L703]" in done.out
    assert "l.remit:3:13" in done.out
    assert done.out.endswith("\n1 finding\n")


def test_the_day_counts(remit: Remit, linted: str) -> None:
    assert [item["code"] for item in remit("lint", linted, "--today", "2026-06-30", "--json").json] == ["L703"]
    assert [item["code"] for item in remit("lint", linted, "--today", "2026-07-01", "--json").json] == ["L707", "L703"]


def test_a_day_that_is_none(remit: Remit, linted: str) -> None:
    assert remit("lint", linted, "--today", "tomorrow").code == 2


def test_sarif_knows_the_lints(remit: Remit, linted: str) -> None:
    run = remit("lint", linted, "--format", "sarif").json["runs"][0]
    described = {rule["id"]: rule["fullDescription"]["text"] for rule in run["tool"]["driver"]["rules"]}
    assert described["L703"] != "L703"


def test_a_policy_with_errors_is_not_linted(remit: Remit, tmp_path: Path) -> None:
    (tmp_path / "x.remit").write_text("denny\n")
    assert remit("lint", "x.remit").code == 2
