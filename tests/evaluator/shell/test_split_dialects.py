"""What dash and zsh read differently is declined for them."""

from __future__ import annotations

import pytest

from remit.shell import split

COMMON = [
    "a",
    "a 'b' \"$c\" | d && e",
    "a > b 2>&1",
    "if a; then b; fi",
    "a $(b) `c` $((1+2)) ${x:-y} ${x%.c}",
    "x=1 a",
]
BASH_AND_ZSH = ["a $'b'", "[[ a == b ]]", "((1))", "a <(b)", "a <<< b", "a=(b c)", "a &> b", "a+=b", "time a"]
ONLY_BASH = [
    'a $"b"',
    "a |& b",
    "a {b,c}",
    "function f { a; }",
    "a $[1]",
    "case x in x) a ;& y) b;; esac",
    "coproc a",
    "for x; { a; }",
    "a ${x/b/c}",
    "a ${!x}",
    "a ${x:1:2}",
    "a >&-b",
]
NOT_SH = ["a 10>b", "a >&b", "a $10", "a[1]=2", "for ((;;)); do a; done", "select x in a; do b; done", "a {x}>b"]
NOT_ZSH = [
    "=ls",
    "a =ls",
    "a $x[1]",
    "a $x:h",
    "a $+x",
    "a >!b",
    "a <1-9>",
    "repeat 3 a",
    "noglob a",
    "a }",
    "a ${(f)x}",
]


@pytest.mark.parametrize("text", COMMON)
def test_common(text: str) -> None:
    assert split(text, "sh") == split(text, "zsh") == split(text)
    assert split(text).opaque == ()


@pytest.mark.parametrize("text", [*BASH_AND_ZSH, *ONLY_BASH, *NOT_SH])
def test_not_in_sh(text: str) -> None:
    assert split(text).opaque == ()
    assert [piece.construct for piece in split(text, "sh").opaque] == ["dialect"]


@pytest.mark.parametrize("text", BASH_AND_ZSH)
def test_in_zsh(text: str) -> None:
    assert split(text, "zsh") == split(text)


@pytest.mark.parametrize("text", [*ONLY_BASH, *NOT_ZSH])
def test_not_in_zsh(text: str) -> None:
    assert [piece.construct for piece in split(text, "zsh").opaque][:1] in (["dialect"], ["syntax"])


def test_glob_qualifiers_of_zsh_are_declined() -> None:
    assert split("a *(.)", "zsh").opaque
