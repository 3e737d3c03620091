"""Golden corpora: the fixture `golden` compares; `pytest --update-golden` writes what came out, for review as a diff."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from cases import Case, Golden, rewrite_cases
from hypothesis import Phase, settings

# The same examples every time: a failure belongs to the change that it comes with. A merge tries more of them (`.ci/run` sets
# CI); mutants are hunted without looking for the smallest example.
settings.register_profile("default", derandomize=True, deadline=None)
settings.register_profile("ci", derandomize=True, deadline=None, max_examples=250)
settings.register_profile(
    "hunting", derandomize=True, deadline=None, max_examples=400, phases=(Phase.explicit, Phase.generate)
)
settings.load_profile("ci" if os.environ.get("CI") == "true" else "default")

_written: dict[Path, dict[str, str]] = {}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write what came out into the corpus files")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compares what came out with the expected text of a case, or keeps it to be written."""

    def compare(case: Case, actual: str) -> None:
        if request.config.getoption("--update-golden"):
            _written.setdefault(case.path, {})[case.name] = actual
        else:
            assert actual.rstrip("\n") == case.expected

    return compare


@pytest.fixture(scope="session", autouse=True)
def _write_golden() -> Iterator[None]:
    yield
    for path, actual in _written.items():
        rewrite_cases(path, actual)
