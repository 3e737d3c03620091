"""One daemon for all tests that leave it as it is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from daemon_process import Daemon


@pytest.fixture(scope="session")
def daemon() -> Iterator[Daemon]:
    with Daemon("--label", "env=prod", "--listen", "127.0.0.1:0") as running:
        yield running
