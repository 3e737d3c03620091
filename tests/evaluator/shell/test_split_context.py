"""Where a command stands: context, the operator before it, redirections, places."""

from __future__ import annotations

import pytest

from remit.shell import Partial, Redirection, split

CONTEXTS: list[tuple[str, list[tuple[str, ...]]]] = [
    ("a", [()]),
    ("a | b", [("pipeline",), ("pipeline",)]),
    ("a | b; c", [("pipeline",), ("pipeline",), ()]),
    ("(a)", [("subshell",)]),
    ("(a | b) | c &", [("background", "pipeline", "subshell", "pipeline")] * 2 + [("background", "pipeline")]),
    ("a && b & c", [("background",), ("background",), ()]),
    ("a $(b)", [(), ("substitution",)]),
    ("a `b`", [(), ("substitution",)]),
    ("a <(b)", [(), ("process",)]),
    ("if a; then b; fi", [("branch",), ("branch",)]),
    ("case x in x) a;; esac", [("branch",)]),
    ("while a; do { b; }; done", [("loop",), ("loop", "group")]),
    ("f() { a; }", [("function", "group")]),
    ("coproc a", [("coproc",)]),
    ("a <<E\n$(b)\nE", [(), ("heredoc", "substitution")]),
    ("(a <<E\n$(b)\nE\n)", [("subshell",), ("subshell", "heredoc", "substitution")]),
]


@pytest.mark.parametrize(("text", "expected"), CONTEXTS, ids=[text for text, _ in CONTEXTS])
def test_context(text: str, expected: list[tuple[str, ...]]) -> None:
    assert [tuple(context.kind for context in command.context) for command in split(text).commands] == expected


def test_identities_tell_pipelines_apart() -> None:
    a, b, c, d = (command.context[0].id for command in split("a | b; c | d").commands)
    assert a == b
    assert c == d
    assert a != c


def test_after() -> None:
    text = "a && b || c | d |& e; f & g\nh && (i; j)"
    expected = ["", "&&", "||", "|", "|&", ";", "&", ";", "", ";"]
    assert [command.after for command in split(text).commands] == expected


def test_places() -> None:
    text = "x=1 a  b > c | d $(e 'f') # g"
    assert [text[command.start : command.end] for command in split(text).commands] == [
        "x=1 a  b > c",
        "d $(e 'f')",
        "e 'f'",
    ]


REDIRECTIONS: list[tuple[str, list[tuple[str, str, str]]]] = [
    ("a > b", [("", ">", "b")]),
    ("a 2>&1 >>'b c'", [("2", ">&", "1"), ("", ">>", "b c")]),
    ("a &> b &>> c", [("", "&>", "b"), ("", "&>>", "c")]),
    ("a {x}< b 3<&- <>c >|d", [("{x}", "<", "b"), ("3", "<&", "-"), ("", "<>", "c"), ("", ">|", "d")]),
    ("a <<< 'b c'", [("", "<<<", "b c")]),
    ("a <<'E'\nb $c\nE", [("", "<<", "b $c\n")]),
    ("a <<-E\n\tb\n\tE", [("", "<<-", "b\n")]),
    ("a 2> b.$(c)", [("2", ">", "b.$(c)")]),
    ("a 5 > 6", [("", ">", "6")]),
    ("(a) > b", [("", ">", "b")]),
]


@pytest.mark.parametrize(("text", "expected"), REDIRECTIONS, ids=[text for text, _ in REDIRECTIONS])
def test_redirections(text: str, expected: list[tuple[str, str, str]]) -> None:
    found = [redirection for command in split(text).commands for redirection in command.redirections]
    assert [(fd, op, str(target)) for fd, op, target in found] == expected


def test_a_heredoc_that_expands_is_partial() -> None:
    (redirection,) = split("a <<E\nb $c \\$d\nE").commands[0].redirections
    assert isinstance(redirection, Redirection)
    assert isinstance(redirection.target, Partial)
    assert redirection.target.prefix == "b "
    assert redirection.target.suffix == " $d\n"


def test_redirections_of_a_compound_command_come_behind_its_commands() -> None:
    inner, outer = split("{ a; } 2>b").commands
    assert inner.argv == ("a",)
    assert (outer.argv, outer.redirections) == ((), (Redirection("2", ">", "b"),))
