"""Single rules of Claude Code: what a deny covers at least, and an allow at most."""

from __future__ import annotations

import pytest

from remit.importers.claude_code import convert_settings
from remit.importers.claude_reading import Effect
from remit.importers.claude_rules import MAX_RULE, read_rule

EFFECTS: tuple[Effect, ...] = ("deny", "ask", "allow")


@pytest.mark.parametrize(
    ("rule", "restricting", "allowing"),
    [
        pytest.param("Read(.env)", "fs.read(**/.env)", "fs.read(./**/.env)", id="a bare name floats"),
        pytest.param("Read(**/.env)", "fs.read(**/.env)", "fs.read(./**/.env)", id="as any depth does"),
        pytest.param("Read(src/**)", "fs.read(./src/**)", "fs.read(./src/**)", id="a slash anchors"),
        pytest.param("Read(.//a/./b)", "fs.read(./a/b)", "fs.read(./a/b)", id="empty components vanish"),
        pytest.param("Read(//)", "fs.read(/**)", "fs.read(/**)", id="root"),
        pytest.param(
            "Edit(a)",
            "fs.write(**/a), fs.delete(**/a)",
            "Edit(./**/a), NotebookEdit(./**/a), fs.write(./**/a)",
            id="an edit may delete",
        ),
        pytest.param("Bash(a* b)", 'Bash(like "a* b")', 'Bash(like "a* b")', id="no named program"),
        pytest.param("Bash(a b* c)", 'Bash(a b* c), Bash(like "a b* c")', "Bash(a b* c)", id="star within"),
        pytest.param("Bash(a 'b*')", "Bash(a 'b*'), Bash(like \"a b*\")", "Bash(a 'b*')", id="star in quotes"),
        pytest.param(
            "Bash(a b*c *)", 'Bash(a b*c *), Bash(like "a b*c"), Bash(like "a b*c *")', "Bash(a b*c *)", id="both"
        ),
        pytest.param(
            "Bash(a '*' \"\\d?\")",
            r"""Bash(a '*' "\d?"), Bash(like "a * \\\\d\\?")""",
            "Bash(a '*' \"\\d?\")",
            id="escaped",
        ),
        pytest.param("Bash(a \\\n  b 'c\\\nd')", "Bash(\"a b 'c\\\\\\nd'\")", None, id="a line that goes on"),
        pytest.param("WebFetch(domain:a.b)", "net.connect(a.b)", "WebFetch(a.b)", id="a host"),
        pytest.param("WebFetch(domain:bücher.de)", "net.connect(bücher.de)", "WebFetch(bücher.de)", id="IDN"),
        pytest.param("mcp__a", "mcp__a, mcp__a__*", "mcp__a, mcp__a__*", id="MCP server"),
        pytest.param("mcp__a__b", "mcp__a__b", "mcp__a__b", id="MCP tool"),
        pytest.param("Bash(a 2>&1 > /dev/null)", "Bash(a)", "Bash(a)", id="redirections that touch nothing"),
        pytest.param("Bash(a '2>&1')", "Bash(a '2>&1')", "Bash(a '2>&1')", id="no redirection in quotes"),
        pytest.param("Bash(a '$X;b')", "Bash(a '$X;b')", "Bash(a '$X;b')", id="nothing is special in quotes"),
        pytest.param("Bash(grep x$ *)", "Bash(grep x$ *)", "Bash(grep x$ *)", id="a dollar that expands nothing"),
        pytest.param("Bash(git:* push)", 'Bash(like "git:* push")', None, id="a colon within"),
        pytest.param("Bash(a:\\*)", "Bash(a:\\*)", "Bash(a:\\*)", id="a colon before a literal star"),
    ],
)
def test_rules_with_a_counterpart(rule: str, restricting: str, allowing: str | None) -> None:
    for effect in EFFECTS:
        expected = restricting if effect != "allow" or allowing is None else allowing
        reading = read_rule(rule, effect)
        assert ", ".join(reading.targets) == expected
        assert not reading.asks
        assert not reading.why


@pytest.mark.parametrize(
    ("rule", "asks"),
    [
        ("Bash(a | b c)", "Bash(b c)"),
        ("Bash(a $X b)", "Bash(a *)"),
        ("Bash(a `b`)", "Bash(a *)"),
        ("Bash(a <<EOF)", "Bash"),
        ("Bash(a >| b)", "Bash(a *)"),
        ("Bash(a &> b; c d)", "Bash(c d)"),
        ("Bash(X=1)", "Bash"),
        ("Bash(X=1 * a)", "Bash"),
        ("Bash(* && *)", "Bash"),
        ("Bash(while true)", "Bash"),
        ("Bash(a\\)", "Bash"),
        ("Bash(a \"it's\\\nb\" 'c')", "Bash(a *)"),
        ("PowerShell(a; b)", "PowerShell(a)"),
        ("Read()", "Read"),
        ("Read(file_path:x)", "Read"),
        ("Edit(!x)", "Edit"),
        ("WebFetch(domain:)", "WebFetch"),
        ("WebFetch(domain:a..b)", "WebFetch"),
        ("WebFetch(domain:" + "a" * 64 + ".b)", "WebFetch"),
        ("mcp__a__b(c)", "mcp__a__b"),
        ("a b", "a*b"),
        ("1x", "*1x"),
    ],
)
def test_rules_without_a_counterpart_ask_or_are_left_out(rule: str, asks: str) -> None:
    """The word that is wider asks; nothing that is wider is ever allowed."""
    for effect in EFFECTS:
        reading = read_rule(rule, effect)
        assert reading.why
        assert reading.asks == (() if effect == "allow" else (asks,)) or reading.targets
        assert asks in reading.asks or effect == "allow"
        assert not (effect == "allow" and reading.targets)


@pytest.mark.parametrize("rule", ["*", "B*", "mcp__*", "mcp__a*", "mcp__*__b", "mcp__a*__b"])
def test_an_allow_names_its_tools(rule: str) -> None:
    assert read_rule(rule, "deny").targets == (rule,)
    assert read_rule(rule, "allow").targets == ()


def test_an_ask_beside_an_ask_is_one_rule() -> None:
    source = convert_settings('{"permissions": {"ask": ["Bash(rm $X)"]}}').source
    assert "ask ask-1: Bash(rm $X), Bash(rm *)\n" in source
    assert source.count("ask-1") == 1


def test_a_rule_has_a_limit() -> None:
    assert read_rule(f"Bash({'x' * (MAX_RULE - 6)})", "deny").targets
    assert read_rule(f"Bash({'x' * (MAX_RULE - 5)})", "deny").targets == ()
