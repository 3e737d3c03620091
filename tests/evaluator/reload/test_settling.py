"""Whether changed files look complete."""

from __future__ import annotations

from pathlib import Path

import pytest

from remit.policy_files import PolicyFile
from remit.reload.settling import being_written, changed_paths, emptied, looks_partial

BEFORE = "deny a: Foo\nask b: Bar\n"


def file(text: str, path: str = "/p.remit", data: tuple[tuple[str, str], ...] = ()) -> PolicyFile:
    return PolicyFile(path[1:], path, text, "user", True, (), data)


@pytest.mark.parametrize(
    ("text", "partial"),
    [
        (BEFORE, False),
        ("deny a: Foo\nask c: Bar\n", False),
        (BEFORE + "deny c: Foo\n", False),
        ("ask b: Bar\n", False),
        ("", True),
        (" \n", True),
        ("deny a: Foo\nask c: B", True),
        ("deny a: Foo\n", True),
    ],
)
def test_what_a_file_looks_like_in_the_middle_of_being_written(text: str, partial: bool) -> None:
    assert looks_partial([file(text)], [file(BEFORE)]) is partial


def test_a_file_that_is_gone_may_come_back() -> None:
    one, two = file(BEFORE), file(BEFORE, "/q.remit")
    assert looks_partial([one], [one, two])
    assert not looks_partial([one, two], [one])
    assert looks_partial([], [])


def test_data_that_are_gone_may_come_back() -> None:
    assert looks_partial([file(BEFORE)], [file(BEFORE, data=(("d.json", "{}"),))])


def test_what_changed() -> None:
    one, two = file(BEFORE), file(BEFORE, "/x/q.remit", (("d.json", "{}"),))
    assert changed_paths([one, two], [one]) == ["/x/q.remit", "/x/d.json"]


def test_emptied_is_what_held_something() -> None:
    full, blank = file(BEFORE), file(" \n")
    assert emptied([blank], [full]) == [blank]
    assert emptied([blank], [blank]) == []
    assert emptied([blank], []) == []


def test_an_open_file_is_being_written(tmp_path: Path) -> None:
    path = tmp_path / "p"
    path.write_text(BEFORE)
    assert not being_written(str(path))
    with path.open("a"):
        if not being_written(str(path)):
            pytest.skip("this file system does not tell")
    assert not being_written(str(path))
    with path.open():
        assert not being_written(str(path))


def test_what_cannot_be_opened_is_not_being_written(tmp_path: Path) -> None:
    assert not being_written(str(tmp_path / "none"))
