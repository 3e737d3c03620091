"""Brace expansion, against a table and against the installed bash."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from remit.shell import Hole, Partial, split
from remit.shell.braces import MAX_EXPANSION, expand

EXPANSIONS: list[tuple[str, list[str]]] = [
    ("{a,b}", ["a", "b"]),
    ("x{a,b}y", ["xay", "xby"]),
    ("{a,b}{c,d}", ["ac", "ad", "bc", "bd"]),
    ("{a,{b,c}}d", ["ad", "bd", "cd"]),
    ("{a,'b c',\"d\"}", ["a", "b c", "d"]),
    ("{,a}b", ["b", "ab"]),
    ("{a,}", ["a"]),
    ("{,}''", ["", ""]),
    ("{1..4}", ["1", "2", "3", "4"]),
    ("{4..1..2}", ["4", "2"]),
    ("{01..3}", ["01", "02", "03"]),
    ("{-1..1}", ["-1", "0", "1"]),
    ("{a..c}", ["a", "b", "c"]),
    ("{rm,-rf,/}", ["rm", "-rf", "/"]),
    ("{a,b\\,c}", ["a", "b,c"]),
    ("{{a,b}", ["{a", "{b"]),
    ("{x}{a,b}", ["{x}a", "{x}b"]),
    ("{a,b}}", ["a}", "b}"]),
    ("{\\\n1..\\\n3}", ["1", "2", "3"]),
    ("{a,\\\nb}", ["a", "b"]),
    ("{000000000000000000001..2}", ["000000000000000000001", "000000000000000000002"]),
]


@pytest.mark.parametrize(("source", "expected"), EXPANSIONS, ids=[source for source, _ in EXPANSIONS])
def test_expand(source: str, expected: list[str]) -> None:
    (word,) = split(f"cmd {source}").commands[0].argv[1:]
    assert isinstance(word, Partial)
    assert list(expand(word)) == expected


@pytest.mark.parametrize("source", [source for source, _ in EXPANSIONS])
def test_bash_expands_alike(source: str) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("bash is not installed")
    printed = subprocess.run(
        [bash, "-c", f"printf '%s\\n' {source}"], capture_output=True, text=True, check=True, timeout=10
    )
    (word,) = split(f"cmd {source}").commands[0].argv[1:]
    assert "".join(f"{made}\n" for made in expand(word)) == printed.stdout


@pytest.mark.parametrize("source", ["{a}", "{}", "{a..}", "'{a,b}'", "\\{a,b}", "{a b,c}", "{1..x2}", "a{", "{a,b"])
def test_what_does_not_expand_is_text(source: str) -> None:
    assert all(isinstance(word, str) for word in split(f"cmd {source}").commands[0].argv)


def test_holes_inside_an_alternative_stay_holes() -> None:
    (word,) = split("cmd {*.a,~}/x").commands[0].argv[1:]
    star, home = expand(word)
    assert star == Partial((Hole("glob", "*", "", True), ".a/x"), "*.a/x")
    assert home == Partial((Hole("tilde", "~", "", False), "/x"), "~/x")


@pytest.mark.parametrize(
    "source",
    [
        "{a,$x}",
        "{$x,a}",
        "${x:-{a,b}}",
        "{1.." + "9" * 5000 + "}",
        "{a," * 300 + "}" * 300,
        "{a,$(b)}",
        "{a,`b`}",
        "{1..65}",
        "{a,b}" * 7,
        "{1..9}{1..9}",
    ],
)
def test_what_is_not_known_or_too_large_stays_one_hole(source: str) -> None:
    (word,) = split(f"cmd {source}").commands[0].argv[1:]
    assert expand(word) == (word,)
    assert isinstance(word, Partial)
    assert word.many


def test_the_limit_itself_is_spelled_out() -> None:
    (word,) = split(f"cmd {{1..{MAX_EXPANSION}}}").commands[0].argv[1:]
    assert len(expand(word)) == MAX_EXPANSION


def test_other_words_expand_to_themselves() -> None:
    assert expand("a{b,c}") == ("a{b,c}",)
