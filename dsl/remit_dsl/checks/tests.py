"""Tests in policies: what they name must exist, and their settings must mean something."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime

from remit_dsl.checks.findings import Findings
from remit_dsl.checks.rules import known_mode
from remit_dsl.policy import World
from remit_dsl.suggest import did_you_mean
from remit_dsl.tree import Expectation, Name, Test, TestSetting


def check_tests(tests: Iterable[Test], labels: Collection[str], world: World, findings: Findings) -> None:
    """Reports what is wrong in a file's tests. labels: of all policies that are loaded together."""
    names: set[str] = set()
    for test in tests:
        if test.name.value in names:
            findings.error("E208", test.name.span, f"test `{test.name.value}` is defined twice")
        names.add(test.name.value)
        if not test.expectations:
            findings.error("E401", test.name.span, "a test that expects nothing", "say `deny …`, `ask …` or `allow …`")
        _check_settings(test.settings, world, findings)
        for expectation in test.expectations:
            _check_expectation(expectation, labels, findings)


def _check_settings(settings: Iterable[TestSetting], world: World, findings: Findings) -> None:
    seen: set[tuple[str, str]] = set()
    for setting in settings:
        key = (setting.keyword, setting.key)
        if key in seen and setting.keyword not in ("file", "link", "workspace"):
            findings.error("E402", setting.span, f"`{' '.join(key).strip()}` is set twice")
        seen.add(key)
        if setting.keyword == "mode":
            known_mode(Name(setting.value, setting.span), world, findings)
        elif setting.keyword == "time":
            _check_time(setting, findings)


def _check_time(setting: TestSetting, findings: Findings) -> None:
    try:
        datetime.fromisoformat(setting.value)
    except ValueError:
        help_text = "write it as `2026-12-01T10:00` (ISO 8601)"
        findings.error("E403", setting.span, f"`{setting.value}` is no time", help_text)


def _check_expectation(expectation: Expectation, labels: Collection[str], findings: Findings) -> None:
    target, by = expectation.target, expectation.by
    if "*" in target.name or (target.content is not None and target.content.form == "like"):
        help_text = "name one tool, and in parentheses what it is called with"
        findings.error("E404", target.span, "an expectation is about one call, not a pattern", help_text)
    if by is not None and by.text not in labels:
        findings.error("E206", by.span, f"no rule is labelled `{by.text}`", did_you_mean(by.text, labels))
