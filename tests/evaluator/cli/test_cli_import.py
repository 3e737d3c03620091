from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from remit_calls import Remit

SETTINGS = {"permissions": {"deny": ["Bash(git push:*)"], "allow": ["Read(./src/**)"]}, "sandbox": {"enabled": True}}


@pytest.fixture
def settings(tmp_path: Path) -> str:
    (tmp_path / "settings.json").write_text(json.dumps(SETTINGS))
    return "settings.json"


def test_the_policy_goes_to_standard_output(remit: Remit, settings: str) -> None:
    done = remit("import", "claude-code", settings)
    assert done.code == 0
    assert "deny deny-1: Bash(git push *)" in done.out
    assert "note: " in done.err


def test_to_a_file_that_checks_and_is_not_overwritten(remit: Remit, settings: str, tmp_path: Path) -> None:
    assert remit("import", "claude-code", settings, "-o", "out.remit").code == 0
    assert remit("check", "out.remit").code == 0
    before = (tmp_path / "out.remit").read_text()
    assert remit("import", "claude-code", settings, "-o", "out.remit", "--with-defaults").code == 2
    assert (tmp_path / "out.remit").read_text() == before


def test_standard_input_and_json(remit: Remit) -> None:
    done = remit("import", "claude-code", "-", "--json", stdin=json.dumps(SETTINGS).encode())
    assert "git push" in done.json["source"]
    assert done.json["notes"][0]["place"]


@pytest.mark.parametrize(("content", "said"), [(b"{", "not JSON"), (b"\xff", "not UTF-8")])
def test_what_is_no_settings_file(remit: Remit, content: bytes, said: str) -> None:
    done = remit("import", "claude-code", "-", stdin=content)
    assert (done.code, done.out) == (2, "")
    assert said in done.err


def test_what_never_ends_or_is_too_long_is_refused(remit: Remit, tmp_path: Path) -> None:
    (tmp_path / "sparse.json").touch()
    os.truncate(tmp_path / "sparse.json", 1 << 30)
    assert "longer than" in remit("import", "claude-code", "sparse.json").err
    assert "not a regular file" in remit("import", "claude-code", "/dev/zero").err
    assert "No such file" in remit("import", "claude-code", "absent.json").err
