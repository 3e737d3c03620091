"""The marker of tests that ask other systems, and where these stand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "peers: asks another system for its decisions; opt in with REMIT_PEERS=1")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.peers)
            if os.environ.get("REMIT_PEERS") != "1":
                item.add_marker(pytest.mark.skip(reason="asks another system: set REMIT_PEERS=1"))


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """The folder that agents work in; its parent is their home."""
    folder = tmp_path / "work"
    folder.mkdir()
    return folder
