"""How often a developer would be asked for nothing: ordinary commands under the baseline and a plain list of allowed tools.

The repository around them holds what most hold: an `.env`, git's own files, dependencies, build output. What still asks is listed in
docs/prompts.md, which `pytest --update-golden` writes anew.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from remit import Engine, Request
from remit.paths import GivenFiles
from remit_dsl import PolicySource, Source, compile_report
from remit_dsl.render import render_text

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "tests" / "corpus"
PAGE = ROOT / "docs" / "prompts.md"
BEGIN, END = "<!-- prompts: begin -->\n", "<!-- prompts: end -->\n"
PROJECT = "/home/user/project"
FILES = (
    *(
        ".env",
        ".gitignore",
        ".git/config",
        ".git/HEAD",
        ".claude/settings.json",
        "README.md",
        "package.json",
        "pyproject.toml",
    ),
    *(
        "src/app.py",
        "src/a.py",
        "src/cart/index.ts",
        "tests/test_app.py",
        "build/app.o",
        "dist/app.js",
        "scripts/build.js",
    ),
    *("node_modules/react/index.js", "logs/server.log", "data.txt", "frontend/package.json"),
)
# The share of needless questions that is borne, and the least number of commands that tell something.
BORNE = 0.03
LEAST = 300


class Asked(NamedTuple):
    """A command that is asked about, and why."""

    command: str
    code: str
    rule: str


@cache
def engine() -> Engine:
    paths = [*sorted((ROOT / "policies" / "baseline").glob("*.remit")), CORPUS / "everyday-developer.remit"]
    sources = {path.name: Source(path.name, path.read_text(encoding="utf-8")) for path in paths}
    compiled = compile_report([PolicySource(source) for source in sources.values()])
    assert compiled.program is not None, render_text(compiled.diagnostics, sources)
    files = GivenFiles([f"{PROJECT}/{name}" for name in FILES], {})
    return Engine(compiled.program, files=files, second_opinion="off")


def commands() -> dict[str, list[str]]:
    """The commands under their headings; in a line with a heredoc `\\n` stands for a line break."""
    found: dict[str, list[str]] = {}
    heading = ""
    for line in (CORPUS / "everyday-developer.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            heading = line[2:]
        elif line.strip():
            found.setdefault(heading, []).append(line)
    return found


@cache
def asked() -> dict[str, list[Asked]]:
    """What is asked about, under the headings of the corpus."""
    found = {}
    for heading, lines in commands().items():
        reasons = [(line, _reason(line.replace("\\n", "\n") if "<<" in line else line)) for line in lines]
        found[heading] = [Asked(line, *reason) for line, reason in reasons if reason is not None]
    return found


def _reason(command: str) -> tuple[str, str] | None:
    request = Request("Bash", {"command": command}, PROJECT, (PROJECT,), "/home/user", time="2026-12-01T12:00")
    verdict = engine().decide(request)
    return None if verdict.decision == "allow" else (verdict.reason.code, verdict.reason.rule)


def table() -> str:
    """The table of docs/prompts.md."""
    lines = ["| commands | how many | asked |", "|---|---|---|"]
    total = sum([len(rows) for rows in commands().values()])
    count = sum([len(rows) for rows in asked().values()])
    lines += [f"| {heading} | {len(rows)} | {len(asked()[heading])} |" for heading, rows in commands().items()]
    lines += [f"| **all** | **{total}** | **{count}** ({count / total:.1%}) |", "", "What is asked about:", ""]
    lines += ["| command | reason | rule |", "|---|---|---|"]
    rows = [row for group in asked().values() for row in group]
    lines += [
        f"| `{row.command.replace('|', chr(92) + '|')}` | `{row.code}` | {f'`{row.rule}`' if row.rule else ''} |"
        for row in rows
    ]
    return "\n".join(lines) + "\n"


def test_few_questions_are_needless() -> None:
    """At most three in a hundred, of at least three hundred commands; those that ask are shown."""
    rows = [row for group in asked().values() for row in group]
    total = sum([len(lines) for lines in commands().values()])
    assert total >= LEAST
    assert len(rows) <= BORNE * total, "\n".join([f"{row.code} {row.rule}: {row.command}" for row in rows])


def test_the_page_says_what_is_measured(request: pytest.FixtureRequest) -> None:
    text = PAGE.read_text(encoding="utf-8")
    head, rest = text.split(BEGIN)
    written, tail = rest.split(END)
    if request.config.getoption("--update-golden"):
        PAGE.write_text(head + BEGIN + table() + END + tail, encoding="utf-8")
    else:
        assert written == table()
