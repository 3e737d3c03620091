"""Names that a command finds and hands on: where reading them is allowed, the real find, grep and xargs hand on nothing that is denied."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remit import Engine, Request

POLICY = """policy names.law for org
use std
use std.reading
deny secret: fs.read(**/.env), fs.read(./keys/**)
allow all: Bash(*)
"""
ENGINE = Engine.from_source(POLICY, second_opinion="off")
# What stands for the place where the names go: printed by the test, read by the call that is decided.
PRINTING = "printf '%s\\0'"
NAMES = ("a.py", ".env", ".py", "-r", "b c.py", "it's", "sub", "c.ts", "x.env")
FOLDERS = ("", "src/", "src/sub/", "keys/")
COMMANDS = (
    "find {root} -name '{end}' -exec {run} {{}} +",
    "find {root} -type f -exec {run} {{}} \\;",
    "find {root} -name '{end}' -type f | xargs {run}",
    "find {root} -name '{end}' | xargs -r {run}",
    "find {root} -type f -print0 | xargs -0 -r {run}",
    "find {root} -name '{end}' -print0 | xargs -0 -r {run}",
    "find {root} -maxdepth 1 -name '{end}' | xargs -r -n 1 {run}",
    "find {root} -type f | xargs -r -I% {run} %",
    "grep -rl x {root} | xargs -r {run}",
    "grep -rl --include='{end}' x {root} | xargs -r {run}",
    "cd src && grep -rl x | xargs -r {run}",
)

pytestmark = pytest.mark.skipif(
    any(shutil.which(name) is None for name in ("find", "grep", "xargs", "bash")), reason="needs find, grep and xargs"
)


def grow(top: Path, files: list[tuple[str, str]], links: list[tuple[str, str]]) -> None:
    """A tree of files that hold an `x`, and links between them; a name that is taken stays what it is."""
    for folder in FOLDERS:
        (top / folder).mkdir(parents=True, exist_ok=True)
    for folder, name in files:
        if not (top / folder / name).exists():
            (top / folder / name).write_text("x\n", encoding="utf-8")
    for place, goal in links:
        if not os.path.lexists(top / place):
            (top / place).symlink_to(top / goal)


def handed(command: str, top: Path) -> list[str]:
    """The words that the names turn into when the command runs."""
    done = subprocess.run(
        ["bash", "-c", command], cwd=top, capture_output=True, timeout=20, check=False, start_new_session=True
    )
    return [word for word in os.fsdecode(done.stdout).split("\0") if word]


def is_denied(word: str, cwd: Path, top: Path) -> bool:
    """Whether the word is a secret, leads to one, or is no file's name at all."""
    found = (os.path.normpath(cwd / word), os.path.realpath(cwd / word))
    keys = os.path.realpath(top / "keys")
    return word.startswith("-") or any(f"{path}/".startswith(f"{keys}/") or "/.env/" in f"{path}/" for path in found)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(FOLDERS), st.sampled_from(NAMES)), max_size=6),
    st.lists(
        st.tuples(
            st.sampled_from(("src/l.py", "src/sub/k.py", "l.ts")),
            st.sampled_from(("src/a.py", ".env", "keys", "keys/a.py", "src/sub")),
        ),
        max_size=2,
    ),
    st.sampled_from(COMMANDS),
    st.sampled_from((".", "src", "src/", "./src", "keys", "src/sub")),
    st.sampled_from(("*.py", "*.ts", "*env", "a.*", "*", "sub")),
)
def test_what_is_allowed_hands_on_nothing_denied(
    files: list[tuple[str, str]], links: list[tuple[str, str]], pattern: str, root: str, end: str
) -> None:
    with tempfile.TemporaryDirectory() as made:
        top = Path(made).resolve()
        grow(top, files, links)
        command = pattern.format(root=root, end=end, run="cat")
        verdict = ENGINE.decide(Request("Bash", {"command": command}, str(top), (str(top),), "/nowhere"))
        if verdict.decision == "allow":
            cwd = top / "src" if command.startswith("cd ") else top
            words = handed(pattern.format(root=root, end=end, run=PRINTING), top)
            assert not [word for word in words if is_denied(word, cwd, top)], command


@pytest.mark.parametrize("pattern", COMMANDS)
def test_a_harmless_tree_is_read(pattern: str, tmp_path: Path) -> None:
    """Without this, a law about what is allowed would hold for an engine that allows nothing."""
    grow(tmp_path, [("src/", "a.py"), ("src/sub/", "c.ts")], [])
    command = pattern.format(root="src", end="*.py", run="cat")
    verdict = ENGINE.decide(Request("Bash", {"command": command}, str(tmp_path), (str(tmp_path),), "/nowhere"))
    assert verdict.decision == "allow", command
    assert handed(pattern.format(root="src", end="*.py", run=PRINTING), tmp_path)
