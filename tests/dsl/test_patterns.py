"""Patterns: what each notation reads as, what is refused and where, and that text and JSON read back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit_dsl.globs import ANY, ONE
from remit_dsl.patterns import (
    ANY_DEPTH,
    ANY_WORDS,
    HostPattern,
    PathPattern,
    PatternError,
    ShellPattern,
    host_from_json,
    host_text,
    parse_host_pattern,
    parse_path_pattern,
    parse_shell_pattern,
    parse_tool_pattern,
    path_from_json,
    path_text,
    shell_from_json,
    shell_text,
    to_json,
)

SHELL: list[tuple[str, tuple[Any, ...], bool]] = [
    ("rm", ("rm",), False),
    ("git *", ("git", ANY_WORDS), True),
    ("git:*", ("git", ANY_WORDS), True),
    ("git *:*", ("git", ANY_WORDS), True),
    ("*", (ANY_WORDS,), True),
    ("git*", (("git", ANY),), True),
    ("npm run test*", ("npm", "run", ("test", ANY)), True),
    ("git * --force", ("git", ANY_WORDS, "--force"), False),
    ("a * * b", ("a", ANY_WORDS, "b"), False),
    ("ls \\*", ("ls", "*"), False),
    ("ls '*' \"*\"", ("ls", "*", "*"), False),
    ("echo 'a b'c*d", ("echo", ("a bc", ANY, "d")), False),
    ('echo "a\\"b\\n"', ("echo", 'a"b\\n'), False),
    ("echo ''", ("echo", ""), False),
    ("ls @names x", ("ls", ("@", "names"), "x"), False),
    ("ls \\@names '@names'", ("ls", "@names", "@names"), False),
    ("npm i @types/node", ("npm", "i", "@types/node"), False),
    ("find . -name x\\;y", ("find", ".", "-name", "x;y"), False),
    ("a\\:*", (("a:", ANY),), True),
    ("  ls\t-l ", ("ls", "-l"), False),
    ("a? [b]", ("a?", "[b]"), False),
]

PATHS: list[tuple[str, str, tuple[Any, ...]]] = [
    ("/etc/passwd", "/", ("etc", "passwd")),
    ("//etc", "/", ("etc",)),
    ("/", "/", (ANY_DEPTH,)),
    ("/etc/", "/", ("etc", ANY_DEPTH)),
    ("~", "~", ()),
    ("~/", "~", (ANY_DEPTH,)),
    ("~/.ssh/**", "~", (".ssh", ANY_DEPTH)),
    (".", ".", ()),
    ("./**", ".", (ANY_DEPTH,)),
    ("././a/./b", ".", ("a", "b")),
    ("**/.env.*", "/", (ANY_DEPTH, (".env.", ANY))),
    ("**/**/x", "/", (ANY_DEPTH, "x")),
    ("**", "/", (ANY_DEPTH,)),
    (".env", "*", (".env",)),
    ("src/*.p?", "*", ("src", (ANY, ".p", ONE))),
    ("a/**/b", "*", ("a", ANY_DEPTH, "b")),
    ("a**b", "*", (("a", ANY, "b"),)),
    ("a\\/b", "*", ("a", "b")),
    ("\\/", "/", (ANY_DEPTH,)),
    ("\\~x", "*", ("~x",)),
    ("\\$x", "*", ("$x",)),
    ("a\\*", "*", ("a*",)),
    ("C:\\dir\\x", "*", ("C:dirx",)),
    ("[a/b]", "*", ("[a", "b]")),
]

HOSTS: list[tuple[str, tuple[Any, ...], int | None]] = [
    ("acme.example", ("acme", "example"), None),
    ("ACME.Example.", ("acme", "example"), None),
    ("*.acme.example", (ANY, "acme", "example"), None),
    ("api-*.acme.example", (("api-", ANY), "acme", "example"), None),
    ("*", (ANY,), None),
    ("*:443", (ANY,), 443),
    ("acme.example:8443", ("acme", "example"), 8443),
    ("10.0.0.1", ("10.0.0.1",), None),
    ("0x7f.1", ("127.0.0.1",), None),
    ("10.0.0.0/8", (4, 10 << 24, 8), None),
    ("::1", ("::1",), None),
    ("[0:0::1]:80", ("::1",), 80),
    ("::ffff:10.0.0.1", ("10.0.0.1",), None),
    ("fe80::/10", (6, 0xFE80 << 112, 10), None),
    ("bücher.example", ("xn--bcher-kva", "example"), None),
    ("localhost", ("localhost",), None),
]


@pytest.mark.parametrize(("text", "words", "rest"), SHELL, ids=[row[0] for row in SHELL])
def test_shell_pattern(text: str, words: tuple[Any, ...], rest: bool) -> None:
    assert parse_shell_pattern(text) == ShellPattern(words, rest)


@pytest.mark.parametrize(("text", "anchor", "parts"), PATHS, ids=[row[0] for row in PATHS])
def test_path_pattern(text: str, anchor: str, parts: tuple[Any, ...]) -> None:
    assert parse_path_pattern(text) == PathPattern(anchor, parts)


@pytest.mark.parametrize(("text", "where", "port"), HOSTS, ids=[row[0] for row in HOSTS])
def test_host_pattern(text: str, where: tuple[Any, ...], port: int | None) -> None:
    assert parse_host_pattern(text) == HostPattern(where, port)


@pytest.mark.parametrize(
    ("text", "offset"),
    [("", 0), ("  ", 0), (":*", 0), ("git 'x", 4), ('"', 0), ("a && b", 2), ("a; b", 1), ("ls > x", 3), ("a|b", 1)],
)
def test_no_shell_pattern(text: str, offset: int) -> None:
    found = parse_shell_pattern(text)
    assert isinstance(found, PatternError)
    assert found.offset == offset


@pytest.mark.parametrize(
    ("text", "offset"),
    [("", 0), ("a\0b", 1), ("$HOME/x", 0), ("~root/x", 0), ("../x", 0), ("./a/../b", 4), ("a/\\.", 2)],
)
def test_no_path_pattern(text: str, offset: int) -> None:
    found = parse_path_pattern(text)
    assert isinstance(found, PatternError)
    assert found.offset == offset


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".acme.example",
        "https://acme.example/",
        "me@acme.example",
        "a.*.example",
        "*.10.0.0.1",
        "10.0.0.1/8",
        "010.0.0.1",
        "acme.example:0",
        "acme.example:65536",
        "acme.example:",
        "acme example",
        "a..b",
        "x" * 64 + ".example",
        "straße.example",
        "fe80::1%eth0",
        "[::1",
    ],
)
def test_no_host_pattern(text: str) -> None:
    assert isinstance(parse_host_pattern(text), PatternError)


def test_tool_pattern() -> None:
    assert parse_tool_pattern("mcp__github__get_*") == ("mcp__github__get_", ANY)
    assert parse_tool_pattern("Bash") == "Bash"


shellish = st.text("ab @*\\'\":-./|é~", max_size=12)
pathish = st.text("ab/~.*?[]!\\$é-", max_size=12)
hostish = st.text("ab.*:[]/10-é@", max_size=12)


@given(shellish)
def test_shell_patterns_read_back(text: str) -> None:
    pattern = parse_shell_pattern(text)
    if isinstance(pattern, ShellPattern):
        assert parse_shell_pattern(shell_text(pattern)) == pattern
        assert shell_from_json(json.loads(json.dumps(to_json(pattern)))) == pattern


@given(pathish)
def test_path_patterns_read_back(text: str) -> None:
    pattern = parse_path_pattern(text)
    if isinstance(pattern, PathPattern):
        assert parse_path_pattern(path_text(pattern)) == pattern
        assert path_from_json(json.loads(json.dumps(to_json(pattern)))) == pattern


@given(hostish)
def test_host_patterns_read_back(text: str) -> None:
    pattern = parse_host_pattern(text)
    if isinstance(pattern, HostPattern):
        assert parse_host_pattern(host_text(pattern)) == pattern
        assert host_from_json(json.loads(json.dumps(to_json(pattern)))) == pattern


@given(st.text(max_size=30))
def test_any_text_is_a_pattern_or_an_error_inside_it(text: str) -> None:
    for parse in (parse_shell_pattern, parse_path_pattern, parse_host_pattern):
        found = parse(text)
        if isinstance(found, PatternError):
            assert 0 <= found.offset <= len(text)
