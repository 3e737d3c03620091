"""The quick ways of observing and judging give what the general ones give, on what agents run and on what must not run."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit import Engine, Request
from remit.facts import Unit
from remit.files import GivenFiles
from remit.plain_units import PlainUnits

CORPUS = Path(__file__).parents[1] / "corpus"
POLICIES = (
    "deny a: Bash(git push --force *)\nask b: Bash(npm install *)\nallow c: Bash(git *), Bash(ls *)",
    "deny a: fs.read(**/.env), fs.write(/etc/**)\nask b: net.connect(*)\nallow c: fs.read(./**), exec(cat), exec(cd), exec(grep)",
)
# What several of these do to each other: changing the folder, piping, redirecting, setting variables, defining functions.
PIECES = [
    "cd sub",
    "cd /etc",
    "cat .env",
    "cat a.txt > /etc/passwd",
    "git push --force origin main",
    "grep -rn x . 2>&1",
    "X=1",
    "export PATH=.",
    "git() { rm x; }",
    "git status",
    "eval ls",
    "exec 3< a.txt",
    "source a.sh",
    "test -v x",
    "curl http://example.com",
    "ls $X",
    "python3 a.py",
    "unknown --option",
    "find . -delete",
]


def commands() -> list[str]:
    """All lines of the corpora of everyday and harmful commands, and of decisions."""
    found: list[str] = []
    for name in ("everyday.txt", "harmful.txt"):
        lines = (CORPUS / name).read_text(encoding="utf-8").splitlines()
        found += [line for line in lines if line and not line.startswith("#")]
    for path in sorted((CORPUS / "decisions").glob("*.txt")):
        rows = [line.partition(" | ")[2] for line in path.read_text(encoding="utf-8").splitlines()]
        found += [row.replace("\\n", "\n") for row in rows if row]
    return list(dict.fromkeys(found))


@cache
def engine(policy: str) -> Engine:
    files = GivenFiles(["/w/a.txt", "/w/.env", "/w/sub/b.txt"], {"/w/link": "/etc"})
    return Engine.from_source(f"policy t.plain for org\nuse std\n{policy}\n", files=files)


def units(policy: str, command: str) -> tuple[Unit, ...]:
    request = Request(tool="Bash", input={"command": command}, cwd="/w", workspace=["/w"], home="/home/u")
    return engine(policy).observe(request).units


def both(policy: str, command: str) -> tuple[tuple[Unit, ...], tuple[Unit, ...]]:
    """The units with the quick way and without it."""
    quick = units(policy, command)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PlainUnits, "unit", lambda *_: None)
        return quick, units(policy, command)


@pytest.mark.parametrize("policy", POLICIES)
def test_the_quick_way_observes_what_the_general_way_does(policy: str) -> None:
    differing = [command for command in commands() if len(set(both(policy, command))) > 1]
    assert differing == []


@given(st.sampled_from(POLICIES), st.lists(st.sampled_from(PIECES), min_size=1, max_size=4), st.data())
def test_it_does_so_in_every_combination(policy: str, pieces: list[str], data: st.DataObject) -> None:
    command = pieces[0]
    for piece in pieces[1:]:
        command += data.draw(st.sampled_from([" && ", " | ", "; ", " || ", " & "])) + piece
    quick, general = both(policy, command)
    assert quick == general


@pytest.mark.parametrize("command", ["git status", "cat a.txt | head -5", "cd sub && ls -la", "grep -rn x . > out.txt"])
def test_plain_commands_go_the_quick_way(command: str) -> None:
    found: list[Unit | None] = []

    def noted(maker: PlainUnits, *given: object) -> Unit | None:
        found.append(original(maker, *given))  # type: ignore[arg-type]
        return found[-1]

    original = PlainUnits.unit
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PlainUnits, "unit", noted)
        assert list(units(POLICIES[0], command)) == found
