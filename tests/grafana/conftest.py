"""The marker of the tests that start a whole fleet."""

from __future__ import annotations

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "fleet: starts daemons, Prometheus and Alertmanager; takes a minute or two")
