"""Words: what is known of them, and the holes."""

from __future__ import annotations

import pytest

from remit.shell import Hole, Partial, Word, split


def hole(kind: str, text: str, name: str = "", many: bool = False) -> Hole:
    return Hole(kind, text, name, many)


WORDS: list[tuple[str, str | tuple[str | Hole, ...]]] = [
    ("a", "a"),
    ("''", ""),
    ("'a b'\"c\"\\ d", "a bc d"),
    (r'"a\b\"\$\`\\"', r'a\b"$`' + "\\"),
    ("$'a\\t\\x41\\101\\u00e9\\cA\\''", "a\tAAé\x01'"),
    ("$'a\\0b'c", "ac"),
    ('$"a"', "a"),
    ("$x", (hole("param", "$x", "x", True),)),
    ('"$x"', (hole("param", "$x", "x"),)),
    ('"${x}/y.py"', (hole("param", "${x}", "x"), "/y.py")),
    ("a${x:-y}b", ("a", hole("param", "${x:-y}", "", True), "b")),
    ('"$@"', (hole("param", "$@", "", True),)),
    ('"${a[@]}"', (hole("param", "${a[@]}", "", True),)),
    ("$10", (hole("param", "$1", "", True), "0")),
    ("$", "$"),
    ('"$"x', "$x"),
    ("a$(b)c", ("a", hole("command", "$(b)", "", True), "c")),
    ('"`b`"', (hole("command", "`b`"),)),
    ('"$((1+2))"', (hole("arith", "$((1+2))"),)),
    ("<(b)", (hole("process", "<(b)"),)),
    ("*.py", (hole("glob", "*", "", True), ".py")),
    ("a**?b", ("a", hole("glob", "**?", "", True), "b")),
    ("[ab]c", (hole("glob", "[ab]", "", True), "c")),
    ("[!]a]", (hole("glob", "[!]a]", "", True),)),
    ("['a b']", (hole("glob", "[", "", True), "a b]")),
    ("a[", "a["),
    ('"*"\\?', "*?"),
    ("~", (hole("tilde", "~"),)),
    ("~me/x", (hole("tilde", "~me"), "/x")),
    ("a~", "a~"),
    ("'~'/x", "~/x"),
    ("x=\\\n~", ("x=", hole("tilde", "~"))),
    ("x\\\ny=~", ("xy=", hole("tilde", "~"))),
    ("x=~/y:~", ("x=", hole("tilde", "~"), "/y:", hole("tilde", "~"))),
    ("--x=~/y", "--x=~/y"),
    ("h:~/y", "h:~/y"),
    ("{a,b}", (hole("brace", "{a,b}", "", True),)),
    ("'{a,b}'", "{a,b}"),
    ("{a}", "{a}"),
    ("a\\\nb", "ab"),
    ("é\u4e2d", "é\u4e2d"),
]


@pytest.mark.parametrize(("source", "expected"), WORDS, ids=[source for source, _ in WORDS])
def test_word(source: str, expected: str | tuple[str | Hole, ...]) -> None:
    script = split(f"cmd {source}")
    assert script.opaque == ()
    word = script.commands[0].argv[1]
    assert (word.parts if isinstance(word, Partial) else word) == expected


def value(text: str) -> Word:
    script = split(text)
    assert script.opaque == ()
    return script.commands[0].assignments[0].value


def test_an_assigned_value_is_neither_split_nor_globbed() -> None:
    assert value("x=*.py") == "*.py"
    assert value("x={a,b}") == "{a,b}"
    assert value("x=$y") == Partial((hole("param", "$y", "y"),), "$y")


def test_an_array_is_one_hole() -> None:
    assignment = split("x+=(a $(b))").commands[0].assignments[0]
    assert (assignment.name, assignment.append, assignment.array) == ("x", True, True)
    assert assignment.value == Partial((hole("unknown", "(a $(b))"),), "(a $(b))")


def test_source_shows_quotes_removed_and_expansions_as_written() -> None:
    assert str(split("a 'x y'\"$z\"$(b 'c')").commands[0].argv[1]) == "x y$z$(b 'c')"


@pytest.mark.parametrize("text", ["a $'\\xff'", "a $'\\U00110000'", "a $'\\ud800'"])
def test_bytes_and_code_points_that_no_text_has_are_declined(text: str) -> None:
    assert [piece.construct for piece in split(text).opaque] == ["ansi escape"]
