"""Runs the mutants of `mutants.toml`: `python tests/mutants [PART OF A NAME…]`, or `make mutants`.

Each mutant is made in a copy of the tree; its test has to fail there. Exit code 1 when one survives, or can no longer be made.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
COPIED = ("dsl", "evaluator", "tests", "policies", "pyproject.toml")
MAX_SECONDS = 600


class Mutant(NamedTuple):
    """One change to a source file. old: text that stands in it exactly once. test: the file, below `tests`, that has to fail."""

    name: str
    law: str
    file: str
    test: str
    old: str
    new: str


def main(chosen: list[str]) -> int:
    """Prints a line for each mutant; the exit code."""
    rows = tomllib.loads((HERE / "mutants.toml").read_text(encoding="utf-8"))["mutant"]
    mutants = [Mutant(**row) for row in rows if not chosen or any(text in row["name"] for text in chosen)]
    with tempfile.TemporaryDirectory(prefix="remit-mutants-") as folder:
        tree = Path(folder)
        for name in COPIED:
            _copy(ROOT / name, tree / name)
        return 0 if all([_report(item, tree) for item in mutants]) else 1


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", ".hypothesis"))
    else:
        shutil.copy(source, target)


def _report(mutant: Mutant, tree: Path) -> bool:
    start = time.monotonic()
    outcome = _try(mutant, tree)
    print(f"{outcome:9} {time.monotonic() - start:5.0f} s  {mutant.law}  {mutant.name}  ({mutant.test})", flush=True)
    return outcome == "killed"


def _try(mutant: Mutant, tree: Path) -> str:
    """`killed`, `SURVIVED`, or `STALE` when the text to change is not there exactly once."""
    path = tree / mutant.file
    text = path.read_text(encoding="utf-8")
    if text.count(mutant.old) != 1:
        return "STALE"
    path.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")
    try:
        return "SURVIVED" if _passes(mutant.test, tree) else "killed"
    finally:
        path.write_text(text, encoding="utf-8")


def _passes(test: str, tree: Path) -> bool:
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", f"tests/{test}"]
    command.append("--hypothesis-profile=hunting")
    try:
        done = subprocess.run(command, cwd=tree, capture_output=True, timeout=MAX_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return False
    if done.returncode not in (0, 1):
        raise SystemExit(f"the tests could not run:\n{done.stdout.decode()}{done.stderr.decode()}")
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
