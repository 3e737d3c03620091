"""The table of doctor's codes in docs/install.md is the one that the product has; `--update-golden` writes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from remit.installing.diagnosis import CODES

PATH = Path(__file__).resolve().parents[2] / "docs" / "install.md"


def test_codes(request: pytest.FixtureRequest) -> None:
    text = PATH.read_text(encoding="utf-8")
    before, begin, rest = text.partition("<!-- doctor: begin -->\n")
    table, end, after = rest.partition("<!-- doctor: end -->")
    assert begin
    assert end
    wanted = "| code | what |\n|---|---|\n" + "".join([f"| {code} | {what} |\n" for code, what in CODES.items()])
    if request.config.getoption("--update-golden"):
        PATH.write_text(before + begin + wanted + end + after, encoding="utf-8")
    else:
        assert table == wanted
