"""Diagnostics as text and for machines. The common text form is shown by the corpora; here is what they cannot show."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit_dsl.diagnostics import Diagnostic
from remit_dsl.render import render_github, render_json, render_sarif, render_text
from remit_dsl.source import Source

SOURCE = Source("dir/net.remit", 'deny Bash(x)\n  when comand.program == "curl"\n')
SOURCES = {SOURCE.name: SOURCE}
FACT = Diagnostic("E101", "unknown fact `comand.program`", "did you mean `command.program`?", SOURCE.name, 20, 34)


def line_and_caret(text: str, start: int, end: int) -> tuple[str, str]:
    found = Diagnostic("E101", "m", "", "p", start, end)
    lines = render_text([found], {"p": Source("p", text)}).split("\n")
    return lines[3][4:], lines[4][4:]


def test_text() -> None:
    assert render_text([FACT], SOURCES) == (
        "error[E101]: unknown fact `comand.program`\n"
        " --> dir/net.remit:2:8\n"
        "  |\n"
        '2 |   when comand.program == "curl"\n'
        "  |        ^^^^^^^^^^^^^^\n"
        "  = help: did you mean `command.program`?\n"
    )


def test_text_of_several_is_separated_by_blank_lines() -> None:
    assert render_text([FACT, FACT], SOURCES) == "\n".join([render_text([FACT], SOURCES)] * 2)
    assert render_text([], SOURCES) == ""


def test_text_aligns_with_long_line_numbers() -> None:
    source = Source("p", "\n" * 99 + "x")
    found = Diagnostic("W601", "m", "h", "p", 99, 100, "warning")
    assert render_text([found], {"p": source}) == (
        "warning[W601]: m\n   --> p:100:1\n    |\n100 | x\n    | ^\n    = help: h\n"
    )


def test_text_without_the_source_at_hand() -> None:
    assert render_text([FACT], {}) == (
        "error[E101]: unknown fact `comand.program`\n --> dir/net.remit\n  = help: did you mean `command.program`?\n"
    )


def test_colour_adds_nothing_but_colour() -> None:
    coloured = render_text([FACT], SOURCES, colour=True)
    assert "\x1b[1;31merror[E101]\x1b[0m" in coloured
    assert coloured.replace("\x1b[1;31m", "").replace("\x1b[0m", "") == render_text([FACT], SOURCES)


@pytest.mark.parametrize(
    ("text", "start", "end", "line", "caret"),
    [
        pytest.param("a\tb", 2, 3, "a   b", "    ^", id="tab"),
        pytest.param("a\tb", 0, 3, "a   b", "^^^^^", id="a mark over a tab"),
        pytest.param("日本x", 2, 3, "日本x", "    ^", id="wide characters before"),
        pytest.param("日本x", 0, 2, "日本x", "^^^^", id="wide characters marked"),
        pytest.param("e\u0301x", 2, 3, "e\u0301x", " ^", id="combining character"),
        pytest.param("a\x1b[31mb", 6, 7, "a\ufffd[31mb", "      ^", id="escape sequence"),
        pytest.param("a\u202eb", 2, 3, "a\ufffdb", "  ^", id="right-to-left override"),
        pytest.param("ab\r\ncd", 1, 2, "ab", " ^", id="carriage return"),
        pytest.param("ab", 2, 2, "ab", "  ^", id="end of file"),
        pytest.param("", 0, 0, "", "^", id="empty file"),
        pytest.param("ab\ncd", 0, 5, "ab", "^^", id="more than one line: the first"),
        pytest.param("x" * 200, 100, 101, "x" * 200, " " * 100 + "^", id="200 columns are shown whole"),
        pytest.param("x" * 1000, 0, 1, "x" * 200 + "…", "^", id="long line, at its start"),
        pytest.param("x" * 1000, 500, 501, "…" + "x" * 200 + "…", " " * 101 + "^", id="long line, inside"),
        pytest.param("x" * 1000, 999, 1000, "…" + "x" * 200, " " * 200 + "^", id="long line, at its end"),
        pytest.param("x" * 1000, 0, 1000, "x" * 200 + "…", "^" * 200, id="long mark"),
    ],
)
def test_excerpt(text: str, start: int, end: int, line: str, caret: str) -> None:
    assert line_and_caret(text, start, end) == (line, caret)


@given(st.text(), st.data())
def test_any_place_in_any_text_can_be_shown_and_encoded(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    found = Diagnostic("E101", text, text, text, start, end)
    sources = {text: Source(text, text)}
    shown = render_text([found], sources)
    assert shown.split("\n")[-3 if text else -2].endswith("^") or "^" in shown
    assert not any(character in shown for character in "\x00\x1b\r\u202e\u2028")
    for rendered in (
        shown,
        render_json([found], sources),
        render_sarif([found], sources),
        render_github([found], sources),
    ):
        rendered.encode()


def test_json() -> None:
    assert json.loads(render_json([FACT], SOURCES)) == [
        {
            "code": "E101",
            "severity": "error",
            "message": "unknown fact `comand.program`",
            "help": "did you mean `command.program`?",
            "file": "dir/net.remit",
            "line": 2,
            "column": 8,
            "end_line": 2,
            "end_column": 22,
        }
    ]
    (without,) = json.loads(render_json([FACT], {}))
    assert (without["line"], without["column"]) == (None, None)


def test_github() -> None:
    assert render_github([FACT], SOURCES) == (
        "::error file=dir/net.remit,line=2,col=8,endColumn=22,title=E101::"
        "unknown fact `comand.program`: did you mean `command.program`?\n"
    )


def test_github_escapes_what_would_end_a_property_or_the_command() -> None:
    found = Diagnostic("W601", "100%\n::error::x", "", "a:b,c%", 0, 0, "note")
    assert render_github([found], {}) == "::notice file=a%3Ab%2Cc%25,title=W601::100%25%0A::error::x\n"


def test_sarif() -> None:
    log: dict[str, Any] = json.loads(render_sarif([FACT, FACT._replace(code="E102")], SOURCES, version="1.2.3"))
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert (log["version"], run["columnKind"]) == ("2.1.0", "unicodeCodePoints")
    assert (driver["name"], driver["version"]) == ("remit", "1.2.3")
    assert [rule["id"] for rule in driver["rules"]] == ["E101", "E102"]
    first, second = run["results"]
    assert (first["ruleIndex"], second["ruleIndex"]) == (0, 1)
    assert (first["ruleId"], first["level"]) == ("E101", "error")
    assert first["message"]["text"] == "unknown fact `comand.program`. did you mean `command.program`?"
    assert first["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "dir/net.remit"},
        "region": {"startLine": 2, "startColumn": 8, "endLine": 2, "endColumn": 22},
    }


def test_sarif_writes_names_as_uris() -> None:
    log = json.loads(render_sarif([FACT._replace(source_name="a b/ü.remit")], {}))
    place = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "a%20b/%C3%BC.remit"}}
