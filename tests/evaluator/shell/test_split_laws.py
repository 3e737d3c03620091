"""Laws of splitting: total, the two paths agree, places are places, and a second parser never sees more."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from shell_texts import noise, plain_scripts, scripts

from remit.shell import Partial, Script, split
from remit.shell.constructs import CONSTRUCTS
from remit.shell.fast import fast
from remit.shell.parser import parse

bashlex = pytest.importorskip("bashlex")
nodevisitor: Any = pytest.importorskip("bashlex.ast").nodevisitor


def check_shape(text: str, script: Script) -> None:
    for command in script.commands:
        assert 0 <= command.start <= command.end <= len(text)
        assert command.argv or command.assignments or command.redirections
    for piece in script.opaque:
        assert piece.construct in CONSTRUCTS
        assert piece.construct != "internal"
        assert 0 <= piece.start <= piece.end <= len(text)


@settings(max_examples=600)
@given(st.one_of(noise, st.text(max_size=30), scripts), st.sampled_from(["bash", "sh", "zsh"]))
def test_every_text_splits(text: str, dialect: str) -> None:
    check_shape(text, split(text, dialect))


@settings(max_examples=20)
@given(st.sampled_from(["", "bash", "sh", "zsh", "fish", "BASH", "dash"]))
def test_an_unknown_dialect_is_declined(dialect: str) -> None:
    known = dialect in ("bash", "sh", "zsh")
    assert bool(split("a", dialect).opaque) != known


@settings(max_examples=800)
@given(st.one_of(plain_scripts, scripts, noise))
@example("a >&-b")
@example("a 2>x")
@example("a2>x b")
@example("x=1 a")
@example("'a'=1")
@example("a;;b")
@example("a &&\n b;\n\nc ")
@example("a | b && c | d |& e")
@example("a ||")
@example("a;")
@example("\n;a")
@example("'if' a; if")
@example("> x")
def test_fast_path_gives_what_the_grammar_gives(text: str) -> None:
    plain = fast(text)
    assert plain is None or plain == parse(text, "bash")


@settings(max_examples=300)
@given(plain_scripts)
def test_the_other_dialects_see_the_same_or_decline(text: str) -> None:
    for dialect in ("sh", "zsh"):
        script = split(text, dialect)
        assert script.opaque or script == split(text)


class Programs(nodevisitor):  # type: ignore[misc]
    """The words in command position, as bashlex reads them."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def visitcommand(self, node: object, parts: list[object]) -> None:
        words = [part for part in parts if getattr(part, "kind", "") == "word"]
        if words:
            self.found.append(str(getattr(words[0], "word", "")))


@settings(max_examples=300)
@given(scripts)
def test_a_second_parser_never_sees_more(text: str) -> None:
    script = split(text)
    if script.opaque:
        return
    seen = [str(command.argv[0]) for command in script.commands if command.argv]
    dynamic = any(isinstance(command.argv[0], Partial) for command in script.commands if command.argv)
    for program in _second_opinion(text):
        if program in ("m0", "m1", "m2", "m3") and not dynamic:
            assert program in seen


def _second_opinion(text: str) -> list[str]:
    programs = Programs()
    try:
        for tree in bashlex.parse(text):
            programs.visit(tree)
    except Exception:  # noqa: BLE001 - it raises many kinds, and then has no opinion
        return []
    return programs.found
