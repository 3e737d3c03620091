"""Frameworks leave event loops open when the process ends; remit's own warnings stay errors where none is installed."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

FRAMEWORKS = ("langchain", "agents", "pydantic_ai", "agentscope", "claude_agent_sdk")


def pytest_configure(config: pytest.Config) -> None:
    if any(find_spec(name) is not None for name in FRAMEWORKS):
        config.addinivalue_line("filterwarnings", "ignore::pytest.PytestUnraisableExceptionWarning")
        config.addinivalue_line("filterwarnings", "ignore::ResourceWarning")
