"""What `matches` takes: RE2's syntax, with and without RE2 at hand."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from remit_dsl.checks.regex import _own_problem, regex_problem

FINE = [
    "",
    "^a+$",
    "[a-z]{2,3}",
    "(?i)x",
    "(?P<n>a)",
    r"\bfoo\b",
    "a|b",
    "(?:a)",
    "[[:alpha:]]",
    r"\d+\.\d*",
    "[]a]",
    r"[\]]",
    "a*?",
]
ALIEN = {
    r"(a)\1": 3, "(?=a)": 0, "a(?!b)": 1, "(?<=a)b": 0, "x(?<!a)": 1, "(?>a)": 0, "a++": 1, "a*+": 1, "a{2}+": 3,
    r"(?P<n>a)(?P=n)": 8, "(?(1)a|b)": 0, "(?#c)": 0, r"a\Z": 1,
}  # fmt: skip


@pytest.mark.parametrize("pattern", FINE)
def test_fine(pattern: str) -> None:
    assert regex_problem(pattern)[0] == ""


@pytest.mark.parametrize(("pattern", "place"), ALIEN.items(), ids=ALIEN)
def test_alien(pattern: str, place: int) -> None:
    problem, at = regex_problem(pattern)
    assert problem
    assert at == place


@pytest.mark.parametrize("pattern", ["(", "[", "a{2,1}", "*", "a" * 1001, "(" * 1000])
def test_broken(pattern: str) -> None:
    assert regex_problem(pattern)[0]


@pytest.mark.parametrize("pattern", ["a", "[[a]", "(?i:x)"])
def test_without_re2_python_judges(pattern: str) -> None:
    assert _own_problem(pattern) == ("", 0)


@pytest.mark.parametrize("pattern", ["(", "a{2,1}", "[", "*", "(?P<n>a)(?P<n>b)"])
def test_without_re2_broken_patterns_are_refused_too(pattern: str) -> None:
    assert _own_problem(pattern)[0]


def test_brackets_and_escapes_hide_what_looks_alien() -> None:
    assert regex_problem(r"[(?=*+]+\(\?=\+\+[]*+]")[0] == ""


def test_long_patterns_take_no_time() -> None:
    start = time.process_time()
    for pattern in ("[" * 900, "\\" * 900, "(?" * 450, "a" * 999 + "+"):
        regex_problem(pattern)
    assert time.process_time() - start < 1


def test_a_program_is_read_without_the_parser() -> None:
    code = "import sys, remit_dsl.program; print([m for m in ('lark', 'dataclasses', 're2', 'remit_dsl.tree') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout.strip() == "[]"
