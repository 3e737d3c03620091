"""The built wheel, installed alone, run from a folder with a foreign evaluator.py and dsl.py (.ci/run sets that up)."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path, PurePosixPath

import pytest

REPOSITORY = Path(__file__).parents[2]
SOURCES = {"remit": REPOSITORY / "evaluator" / "remit", "remit_dsl": REPOSITORY / "dsl" / "remit_dsl"}

pytestmark = pytest.mark.skipif("REMIT_WHEEL" not in os.environ, reason="tests the installed wheel: run .ci/run")


def shipped() -> set[PurePosixPath]:
    """The wheel's files, without what pip adds and without metadata."""
    files = [PurePosixPath(file) for file in distribution("remit").files or []]
    return {file for file in files if file.parts[0] in SOURCES and file.suffix != ".pyc"}


@pytest.mark.parametrize("name", SOURCES)
def test_imported_from_the_environment(name: str) -> None:
    origin = importlib.import_module(name).__file__
    assert origin is not None
    assert Path(origin).is_relative_to(sys.prefix)


@pytest.mark.parametrize("name", ["evaluator", "dsl"])
def test_the_users_modules_stay_theirs(name: str) -> None:
    assert importlib.import_module(name).OWNER == "user"


def test_wheel_holds_all_sources_and_data() -> None:
    expected = {
        PurePosixPath(name, path.relative_to(folder).as_posix())
        for name, folder in SOURCES.items()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert shipped() == expected


def test_wheel_holds_nothing_else() -> None:
    top = {PurePosixPath(file).parts[0] for file in distribution("remit").files or []}
    assert {name for name in top if not name.startswith(("..", "remit-"))} == set(SOURCES)


@pytest.mark.parametrize("name", SOURCES)
def test_types_are_declared(name: str) -> None:
    assert PurePosixPath(name, "py.typed") in shipped()


@pytest.mark.parametrize("script", [False, True], ids=["module", "script"])
def test_command_starts(script: bool) -> None:
    command = [str(Path(sys.executable).with_name("remit"))] if script else [sys.executable, "-m", "remit"]
    done = subprocess.run([*command, "--help"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "hook" in done.stdout
