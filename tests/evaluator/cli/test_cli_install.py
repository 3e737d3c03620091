"""`remit install`: which options reach the hook."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from remit_calls import Remit

from remit.installing.hook_command import words_of


def installed(remit: Remit, *options: str) -> list[str]:
    """The words behind `hook claude-code` in what would be written."""
    done = remit("install", "claude-code", "--print", "--file", "settings.json", *options)
    assert done.code == 0
    words = words_of(json.loads(done.out)["hooks"]["PreToolUse"][0]["hooks"][0]["command"])
    return words[words.index("claude-code") + 1 :]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], []),
        (["--sessions"], ["--sessions", "account"]),
        (["--sessions", "account"], ["--sessions", "account"]),
        (["--sessions", "/srv/s.db"], ["--sessions", "/srv/s.db"]),
    ],
)
def test_sessions(remit: Remit, options: list[str], words: list[str]) -> None:
    assert installed(remit, *options) == words


def test_places_are_absolute(remit: Remit, tmp_path: Path) -> None:
    """The hook's working directory is the agent's."""
    words = installed(remit, "--sessions", "s.db", "--log", "l.db")
    assert words == ["--log", str(tmp_path / "l.db"), "--sessions", str(tmp_path / "s.db")]
