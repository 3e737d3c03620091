"""Every example in the documents does what the text beside it says: policies pass their tests, errors read as shown, commands print what is
printed.

Fences: `remit` is a whole policy file; `remit-error` one with mistakes, followed by a `text` fence with what `check` prints; `console` has
commands behind `$ ` and their output, in which `…` stands for anything on a line. A file name behind the kind (`remit org.remit`, `json
oncall.json`) keeps the block under that name for the blocks that follow in the document.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from remit.policy_tests import run_tests
from remit_dsl import PolicySource, Source, compile_report
from remit_dsl.codes import CODES
from remit_dsl.render import render_text
from remit_dsl.vocabulary import CAPABILITIES, FACTS

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "policies" / "README.md"]
_FENCE = re.compile(r"^```(\S+)(?: (\S+))?\n([\s\S]*?)^```$", re.MULTILINE)
_TIMEOUT = 60


class Block(NamedTuple):
    """One fence: where it stands, its kind, the name of its file ("" = none), its text, and the files named before it."""

    document: str
    line: int
    kind: str
    name: str
    text: str
    files: tuple[tuple[str, str], ...]
    following: str


def _blocks() -> list[Block]:
    found: list[Block] = []
    for path in [path for path in DOCUMENTS if path.exists()]:
        text = path.read_text(encoding="utf-8")
        files: dict[str, str] = {}
        fences = list(_FENCE.finditer(text))
        for at, fence in enumerate(fences):
            kind, name, body = fence[1], fence[2] or "", fence[3]
            following = fences[at + 1][3] if at + 1 < len(fences) and fences[at + 1][1] == "text" else ""
            line = text.count("\n", 0, fence.start()) + 1
            document = str(path.relative_to(ROOT))
            found.append(Block(document, line, kind, name, body, tuple(files.items()), following))
            if name:
                files[name] = body
    return found


BLOCKS = _blocks()


def _of(kind: str) -> list[Any]:
    return [pytest.param(block, id=f"{block.document}:{block.line}") for block in BLOCKS if block.kind == kind]


def _sources(block: Block) -> list[PolicySource]:
    """The block itself; a policy with a name of its own comes with the other policies named before it."""
    data = dict(block.files)
    own = PolicySource(Source(block.name or "example.remit", block.text), data=data)
    if not block.name:
        return [own]
    return [
        PolicySource(Source(n, t), data=data) for n, t in block.files if n.endswith(".remit") and n != block.name
    ] + [own]


@pytest.mark.parametrize("block", _of("remit"))
def test_policy(block: Block) -> None:
    report = compile_report(_sources(block))
    sources = {item.source.name: item.source for item in _sources(block)}
    assert report.diagnostics == (), render_text(report.diagnostics, sources)
    program = report.program
    assert program is not None
    run = run_tests(lambda tier: program, [file for file in report.checked.files if not file.standard])
    assert [outcome for outcome in run.outcomes if not outcome.passed] == []


@pytest.mark.parametrize("block", _of("remit-error"))
def test_error(block: Block) -> None:
    source = Source("example.remit", block.text)
    report = compile_report([PolicySource(source)])
    assert report.diagnostics, "the example has no mistake"
    assert render_text(report.diagnostics, {source.name: source}).strip() == block.following.strip()


@pytest.mark.parametrize("block", _of("console"))
def test_console(block: Block, tmp_path: Path) -> None:
    for name, text in block.files:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (tmp_path / "policies").symlink_to(ROOT / "policies")
    for command, expected in _commands(block.text):
        printed = _run(command, tmp_path)
        assert _pattern(expected).fullmatch(printed), f"$ {command}\n{printed}"


def _commands(text: str) -> list[tuple[str, str]]:
    """Each command with the output that is shown for it; a backslash at the end of a line continues the command."""
    pieces = re.split(r"^\$ ((?:.*\\\n)*.*)\n", text, flags=re.MULTILINE)
    return list(zip(pieces[1::2], pieces[2::2], strict=True))


def _run(command: str, folder: Path) -> str:
    """What a command prints, both streams, run by a shell in which `remit` is the one under test."""
    binaries = os.path.dirname(sys.executable)
    home = folder / "home"
    home.mkdir(exist_ok=True)
    environment = {
        "PATH": f"{binaries}:/usr/bin:/bin",
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "COLUMNS": "120",
        "NO_COLOR": "1",
    }
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=_TIMEOUT,
        check=False,
    )
    return done.stdout.strip()


def _pattern(expected: str) -> re.Pattern[str]:
    return re.compile(".*".join([re.escape(piece) for piece in expected.strip().split("…")]))


def test_codes(request: pytest.FixtureRequest) -> None:
    """The table of codes in the reference is the one that the product has; `--update-golden` writes it."""
    path = ROOT / "docs" / "language.md"
    text = path.read_text(encoding="utf-8")
    before, begin, rest = text.partition("<!-- codes: begin -->\n")
    table, end, after = rest.partition("<!-- codes: end -->")
    assert begin
    assert end
    rows = [(code, *(cell.replace("|", "\\|") for cell in told)) for code, told in sorted(CODES.items())]
    wanted = "".join([f"| {' | '.join(row)} |\n" for row in [("code", "what", "meaning"), *rows]])
    wanted = wanted.replace("| code | what | meaning |\n", "| code | what | meaning |\n|---|---|---|\n")
    if request.config.getoption("--update-golden"):
        path.write_text(before + begin + wanted + end + after, encoding="utf-8")
    else:
        assert table == wanted


def test_words() -> None:
    """Every word of the grammar, every fact and every capability is in the reference."""
    text = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
    grammar = (ROOT / "dsl" / "remit_dsl" / "grammar.lark").read_text(encoding="utf-8")
    words = set(re.findall(r"^[A-Z_.\d]+: .*", grammar, re.MULTILINE))
    quoted = {word for line in words for word in re.findall(r'"([a-z][a-z.-]+)"', line)}
    assert len(quoted) > 80
    missing = [
        word
        for word in sorted({*quoted, *CAPABILITIES, *FACTS})
        if not re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text)
    ]
    assert missing == []


def test_laws() -> None:
    """Every test that the semantics name for a law exists."""
    text = (ROOT / "docs" / "semantics.md").read_text(encoding="utf-8")
    named = re.findall(r"`(tests/[\w/]+\.py)`", text)
    assert named
    assert [path for path in named if not (ROOT / path).is_file()] == []
