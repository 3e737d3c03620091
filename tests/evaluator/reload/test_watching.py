"""Which folders are watched for which names."""

from __future__ import annotations

import logging
import os
import threading
from pathlib import Path

import pytest

from remit.reload.watching import Watcher, concerns, interest_in


def seen(root: Path, *paths: str, data: tuple[str, ...] = ()) -> dict[str, object]:
    """The interest below the root, by relative folder; names sorted, `*` for all."""
    found = interest_in([str(root / path) for path in paths], [str(root / path) for path in data])
    return {
        os.path.relpath(folder, root): "*" if names is None else sorted(names)
        for folder, names in found.items()
        if folder.startswith(str(root))
    }


def test_a_folder_and_those_below_it_but_not_hidden_ones(tmp_path: Path) -> None:
    (tmp_path / "policies" / "team").mkdir(parents=True)
    (tmp_path / "policies" / ".git").mkdir()
    assert seen(tmp_path, "policies") == {".": ["policies"], "policies": "*", "policies/team": "*"}


def test_beside_a_file_its_data_may_appear(tmp_path: Path) -> None:
    (tmp_path / "p.remit").touch()
    assert seen(tmp_path, "p.remit") == {".": "*"}


def test_each_link_counts_where_it_stands(tmp_path: Path) -> None:
    for folder in ("a", "b/releases/1"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "a" / "current").symlink_to("../b/current")
    (tmp_path / "b" / "current").symlink_to(tmp_path / "b" / "releases" / "1")
    assert seen(tmp_path, "a/current") == {
        "a": ["current"],
        "b": ["current"],
        "b/releases": ["1"],
        "b/releases/1": "*",
    }


def test_links_in_a_folder_lead_out_of_it(tmp_path: Path) -> None:
    for folder in ("policies", "shared", "files"):
        (tmp_path / folder).mkdir()
    (tmp_path / "files" / "p.remit").touch()
    (tmp_path / "policies" / "team").symlink_to("../shared")
    (tmp_path / "policies" / "p.remit").symlink_to("../files/p.remit")
    assert seen(tmp_path, "policies") == {
        ".": ["policies", "shared"],
        "files": ["p.remit"],
        "policies": "*",
        "shared": "*",
    }


def test_what_is_missing_appears_below_what_is_there(tmp_path: Path) -> None:
    assert seen(tmp_path, "a/b/p.remit") == {".": ["a"]}
    (tmp_path / "link").symlink_to("gone")
    assert seen(tmp_path, "link") == {".": ["gone", "link"]}


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert seen(tmp_path, "a") == {".": ["a", "b"]}
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "self").symlink_to("../c")
    assert seen(tmp_path, "c") == {".": ["c"], "c": "*"}


def test_data_in_other_folders(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "p.remit").touch()
    assert seen(tmp_path, "p.remit", data=("sub/d.json",)) == {".": "*", "sub": ["d.json"]}


@pytest.mark.parametrize(
    ("path", "matters"), [("/a/p", True), ("/a/q", False), ("/b/anything", True), ("/c/p", False), ("/b", True)]
)
def test_changes_at_names_that_matter(path: str, matters: bool) -> None:
    assert concerns([(1, path)], {"/a": frozenset("p"), "/b": None}) is matters


def test_a_change_is_told_and_watching_goes_on(tmp_path: Path) -> None:
    told = threading.Semaphore(0)
    watcher = Watcher(lambda: {str(tmp_path): None}, told.release)
    watcher.start()
    try:
        assert told.acquire(timeout=2)  # it watches
        for name in "abc":
            (tmp_path / name).touch()
            assert told.acquire(timeout=2)
    finally:
        watcher.stop()
    assert not watcher.is_watching


def test_a_failure_is_logged_and_tried_again(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = threading.Semaphore(0)

    def interest() -> dict[str, frozenset[str] | None]:
        asked.release()
        raise RuntimeError("a mistake")

    monkeypatch.setattr("remit.reload.watching.RETRY_S", 0.01)
    watcher = Watcher(interest, lambda: None)
    with caplog.at_level(logging.WARNING):
        watcher.start()
        for _ in range(3):
            assert asked.acquire(timeout=2)
        watcher.stop()
    assert "a mistake" in caplog.text
