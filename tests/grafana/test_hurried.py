"""The copy of the rules that a real Prometheus runs in the fleet test differs from the shipped one in durations only."""

from __future__ import annotations

from pathlib import Path

import pytest
from dashboards import FOLDER, RULES
from monitoring import hurried, timeless

FILES = [
    *sorted(RULES.glob("*.yml")),
    FOLDER / "alertmanager" / "alertmanager.yml",
    FOLDER / "prometheus" / "prometheus.yml",
]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_only_durations_differ(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert hurried(text) != text
    assert timeless(hurried(text)) == timeless(text)


@pytest.mark.parametrize(
    ("written", "short"),
    [
        pytest.param("rate(x[5m])", "rate(x[8s])", id="window"),
        pytest.param("x[7d:1h] offset 1d)", "x[90s:20s] offset 60s)", id="subquery"),
        pytest.param("for: 5m\n", "for: 8s\n", id="for"),
        pytest.param("remit_policy_age_seconds{}) > 3600\n", "remit_policy_age_seconds{}) > 600\n", id="age"),
        pytest.param("ratio_rate5m > 3 * (", "ratio_rate5m > 3 * (", id="what is no duration"),
        pytest.param("increase(remit_x[5m])) > 3", "increase(remit_x[8s])) > 3", id="a number stays"),
    ],
)
def test_hurried(written: str, short: str) -> None:
    assert hurried(written) == short
