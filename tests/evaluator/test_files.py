"""The three file systems that resolution can be given."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from remit.files import GivenFiles, NoFiles, RealFiles


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "file").touch()
    (tmp_path / "link").symlink_to("sub")
    return tmp_path


def test_real_links(folder: Path) -> None:
    files = RealFiles()
    assert files.readlink(f"{folder}/link") == "sub"
    for name in ("sub", "sub/file", "nothing", "sub/file/below"):
        assert files.readlink(f"{folder}/{name}") is None


def test_nothing_is_looked_for_below_what_is_not_there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    look = os.lstat

    def noted(path: str) -> os.stat_result:
        asked.append(path)
        return look(path)

    monkeypatch.setattr(os, "lstat", noted)
    files = RealFiles()
    for name in ("nothing", "nothing/below", "nothing/below/it", "sub/file", "sub/file/below", "sub"):
        assert files.readlink(f"{folder}/{name}") is None
    assert asked == [f"{folder}/{name}" for name in ("nothing", "sub/file", "sub/file/below", "sub")]


def test_what_cannot_be_told_is_an_error(folder: Path) -> None:
    with pytest.raises(OSError, match="too long"):
        RealFiles().readlink(f"{folder}/{'x' * 300}")


def test_one_instance_sees_one_state(folder: Path) -> None:
    files = RealFiles()
    assert files.readlink(f"{folder}/link") == "sub"
    (folder / "link").unlink()
    assert files.readlink(f"{folder}/link") == "sub"
    assert RealFiles().readlink(f"{folder}/link") is None


def test_real_and_given_files_are_scanned_alike(folder: Path) -> None:
    given = GivenFiles([f"{folder}/sub/file"], {f"{folder}/link": "sub"})
    for place in (str(folder), f"{folder}/sub", f"{folder}/sub/file", f"{folder}/nothing"):
        assert sorted(RealFiles().scan(place)) == sorted(given.scan(place))
    assert sorted(given.scan(str(folder))) == [("link", None), ("sub", True)]


def test_given_links() -> None:
    files = GivenFiles([], {"/a/link": "/b"})
    assert files.readlink("/a/link") == "/b"
    assert files.readlink("/a") is None
    assert list(files.scan("/")) == [("a", True)]


def test_no_files() -> None:
    files = NoFiles()
    assert files.readlink("/x") is None
    assert list(files.scan("/")) == []
    assert files.home_of("root") is None
    assert not files.folds_case("/x")


def test_accounts() -> None:
    pwd = pytest.importorskip("pwd")
    own = pwd.getpwuid(os.getuid())
    assert RealFiles().home_of(own.pw_name) == own.pw_dir
    assert RealFiles().home_of("no such account") is None
    assert RealFiles().home_of("a\0b") is None


def test_case_folding_agrees_with_the_file_system(folder: Path) -> None:
    folds = (folder / "SUB").exists()
    assert RealFiles().folds_case(f"{folder}/sub") is folds
    assert RealFiles().folds_case(f"{folder}/sub/nothing/here") is folds


def test_two_names_that_differ_in_case_are_two_files(folder: Path) -> None:
    if (folder / "SUB").exists():
        pytest.skip("this file system folds case")
    (folder / "SUB").mkdir()
    assert not RealFiles().folds_case(f"{folder}/sub")


def test_folding_is_seen_where_both_spellings_are_one_file(folder: Path) -> None:
    """A hard link stands in for a file system that folds case."""
    if (folder / "SUB").exists():
        pytest.skip("this file system folds case")
    (folder / "sub" / "name").touch()
    os.link(folder / "sub" / "name", folder / "sub" / "NAME")
    assert RealFiles().folds_case(f"{folder}/sub/name")
