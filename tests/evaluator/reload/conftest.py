"""A cache of each test's own, and changes that nobody sees as they happen."""

from __future__ import annotations

from pathlib import Path

import pytest

from remit.reload import watching


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def blind(monkeypatch: pytest.MonkeyPatch) -> None:
    """No events: as on a network file system, or when the account has no watches left."""

    def refuse(*_: object) -> None:
        raise OSError("no watches left")

    monkeypatch.setattr(watching, "RustNotify", refuse)
