from __future__ import annotations

import time
from pathlib import Path

import pytest
from cases import CORPUS, Case, Golden, read_cases

from remit_dsl.checker import check
from remit_dsl.codes import CODES
from remit_dsl.diagnostics import has_errors
from remit_dsl.lints import lint
from remit_dsl.policy import PolicySource
from remit_dsl.source import Source

FILES = sorted((CORPUS / "lint").glob("*.txt"))
HEAD = "policy p for org\nuse std\n"
# Most cases have no tests, and are about something else.
ONLY = {
    "covering.txt": ("L701", "L702"),
    "patterns.txt": ("L703", "L704", "L705"),
    "keeping.txt": ("L706", "L707", "L708"),
}


def findings(text: str, codes: tuple[str, ...], today: str = "2026-12-01") -> str:
    """Code, line (of the given text) and message of each finding."""
    source = Source("p.remit", HEAD + text)
    checked = check([PolicySource(source, "org")])
    assert not has_errors(checked.diagnostics), checked.diagnostics
    found = [item for item in lint(checked, today) if item.code in codes]
    assert all(item.severity == "warning" and item.help for item in found)
    lines = [f"{item.code} {source.position(item.start)[0] - HEAD.count(chr(10))}: {item.message}" for item in found]
    return "\n".join(lines)


@pytest.mark.parametrize("case", [case for file in FILES for case in read_cases(file)], ids=lambda case: case.id)
def test_corpus(case: Case, golden: Golden) -> None:
    golden(case, findings(case.given, ONLY[case.path.name]))


def test_every_lint_occurs_in_the_corpus() -> None:
    text = "".join([file.read_text() for file in FILES])
    lints = [code for code in CODES if code.startswith("L")]
    assert lints
    assert [code for code in lints if f"\n{code} " not in text] == []


def test_without_a_day_nothing_has_ended() -> None:
    assert findings('deny a: Bash(a *) because "x" until 2000-01-01', ("L707",), today="") == ""


def test_the_standard_library_has_no_say() -> None:
    assert findings("use std.reading", ("L701", "L702", "L703", "L704", "L705", "L706", "L707", "L708")) == ""


def test_ten_thousand_rules_take_seconds(tmp_path: Path) -> None:
    """The comparison of rules looks up what could cover one; it does not go through all pairs."""
    rules = "".join([f'deny r{n}: Bash(tool{n} *), fs.read(/data/{n}/**) because "x"\n' for n in range(5000)])
    more = "".join([f'ask q{n}: Bash(tool{n} x *), fs.read(/data/{n}/x) because "x"\n' for n in range(5000)])
    checked = check([PolicySource(Source("p.remit", HEAD + rules + more), "org")])
    started = time.process_time()
    found = lint(checked)
    assert len(found) == 101  # capped
    assert time.process_time() - started < 10


def _seconds(rule: str, number: int) -> float:
    text = HEAD + "".join([rule.replace("#", str(at)) for at in range(number)])
    checked = check([PolicySource(Source("p.remit", text), "org")])
    started = time.process_time()
    lint(checked)
    return time.process_time() - started


@pytest.mark.parametrize(
    "rule", ["deny x#: Bash(git a# *)\n", "allow x#: Bash(foo *)\n", "deny x#: fs.read(/data/deep/a#/**)\n"]
)
def test_twice_the_rules_take_about_twice_the_time(rule: str) -> None:
    """Rules of one program, the same rule again and again, folders of one folder."""
    assert _seconds(rule, 3000) < 3 * _seconds(rule, 1500) + 0.3
