"""Limits and linear time: no text makes splitting expensive."""

from __future__ import annotations

import time

import pytest

from remit.shell import split
from remit.shell.braces import expand
from remit.shell.constructs import MAX_COMMANDS, MAX_LENGTH, MAX_NESTING, MAX_WORDS
from remit.shell.parser import parse


def construct(text: str) -> str:
    pieces = split(text).opaque
    return pieces[0].construct if pieces else ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a " + "b" * (MAX_LENGTH - 2), ""),
        ("a " + "b" * (MAX_LENGTH - 1), "too long"),
        ("a;" * MAX_COMMANDS, ""),
        ("a;" * (MAX_COMMANDS + 1), "too many commands"),
        ("a " * MAX_WORDS, ""),
        ("a " * (MAX_WORDS + 1), "too many words"),
        ("x=(" + "a " * (MAX_WORDS + 1) + ")", "too many words"),
        ("( " * MAX_NESTING + "a" + " )" * MAX_NESTING, ""),
        ("( " * (MAX_NESTING + 1) + "a" + " )" * (MAX_NESTING + 1), "nesting"),
        ('echo "' + '$(a "' * (MAX_NESTING + 1) + '")' * (MAX_NESTING + 1) + '"', "nesting"),
        ("echo " + "${x:-" * (MAX_NESTING + 1) + "}" * (MAX_NESTING + 1), "nesting"),
        ("a\x00b", "control character"),
        ("a 'b\rc'", "control character"),
        ("a # \x1b[0m", "control character"),
        ("a \u202ertl", "invisible character"),
        ("a 'zero\u200bwidth'", "invisible character"),
        ("a\u2028b", "invisible character"),
        ("\ufeffa", "invisible character"),
        ("a\xa0b", "unusual blank"),
        ("a\\", "unterminated quote"),
    ],
)
def test_limit(text: str, expected: str) -> None:
    assert construct(text) == expected


BOMBS = [
    "(", "((", "$(", "$((", "${x:-", "`", '"$(', "{ ", "if ", "case x in x) ", "<(", "a=(", "[[ (", "f() { ", "$[", "!(",
    "[[ a == @(", "for x in ", "while ", "coproc ", "! ", "time ", "{a,", "\\\n", "a <<E ", "'", "\"", "~", "a[", "x=~:",
    "a;", "a|", "a&&", "a b ", "$x", "*", "[", "[a", "{a,b}", "<<E\n", "a <<'E'\nE\n", "#", "a\n", "\\", "$'", "x[", "}", ")",
    "a=", "a=1 ", ">x ", ">", "((a) ", "$((a) ", "\"${x:-'", "`\\`", "a <<E\n\\\n", "[[ a =~ (", "x=({a,b} ", "a {1..9}",
]  # fmt: skip


def test_nested_braces_are_linear() -> None:
    began = time.thread_time()
    (word,) = parse("a " + "{b," * 8000 + "}" * 8000, "bash").commands[0].argv[1:]
    assert expand(word) == (word,)
    assert time.thread_time() - began < 0.5


@pytest.mark.parametrize("piece", BOMBS)
def test_time_is_linear(piece: str) -> None:
    """Four times the text takes no more than about four times as long; a quadratic step would take sixteen times."""

    def seconds(size: int) -> float:
        text = piece * (size // len(piece))
        best = 1e9
        for _ in range(3):
            began = time.thread_time()
            parse(text, "bash")
            best = min(best, time.thread_time() - began)
        return best

    small, large = seconds(MAX_LENGTH // 4 - 8), seconds(MAX_LENGTH - 8)
    assert large < 0.5
    assert large < 9 * small + 0.01
