from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from remit_calls import Remit

UGLY = 'policy   a.b\n# why\ndeny x:Bash( rm * )   because   "no"\n'


@pytest.fixture
def neat(remit: Remit) -> str:
    return remit("fmt", "-", stdin=UGLY.encode()).out


@pytest.fixture
def ugly(tmp_path: Path) -> Path:
    path = tmp_path / "ugly.remit"
    path.write_text(UGLY)
    path.chmod(0o640)
    return path


def test_standard_input_to_standard_output(remit: Remit, neat: str) -> None:
    assert neat != UGLY
    assert "# why" in neat
    done = remit("fmt", "-", stdin=neat.encode())
    assert (done.code, done.out) == (0, neat)


def test_files_are_rewritten_and_keep_their_mode(remit: Remit, ugly: Path, neat: str) -> None:
    done = remit("fmt", "ugly.remit")
    assert (done.code, done.out) == (0, "formatted ugly.remit\n")
    assert ugly.read_text() == neat
    assert stat.S_IMODE(ugly.stat().st_mode) == 0o640
    assert os.listdir(ugly.parent) == ["ugly.remit"]
    assert remit("fmt", "ugly.remit").out == ""


def test_a_link_stays_a_link(remit: Remit, tmp_path: Path, ugly: Path, neat: str) -> None:
    link = tmp_path / "link.remit"
    link.symlink_to(ugly)
    remit("fmt", "link.remit")
    assert link.is_symlink()
    assert ugly.read_text() == neat


def test_check_writes_nothing(remit: Remit, ugly: Path) -> None:
    done = remit("fmt", "--check", "ugly.remit")
    assert (done.code, done.out) == (1, "would format ugly.remit\n")
    assert ugly.read_text() == UGLY


def test_diff_writes_nothing(remit: Remit, ugly: Path) -> None:
    done = remit("fmt", "--diff", "ugly.remit")
    assert done.code == 1
    assert "-policy   a.b\n+policy a.b\n" in done.out
    assert ugly.read_text() == UGLY


def test_folders_are_searched(remit: Remit, tmp_path: Path, ugly: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "x.remit").write_text(UGLY)
    (tmp_path / "deep" / "x.txt").write_text(UGLY)
    done = remit("fmt", "--json", "--check")
    assert {item["file"] for item in done.json} == {"./ugly.remit", "./deep/x.remit"}
    assert all(item["changed"] for item in done.json)


def test_what_does_not_parse_is_left_alone(remit: Remit, tmp_path: Path, ugly: Path) -> None:
    broken = tmp_path / "broken.remit"
    broken.write_text("denny x\n")
    done = remit("fmt", "broken.remit", "ugly.remit")
    assert done.code == 2
    assert "broken.remit:1:1" in done.out
    assert broken.read_text() == "denny x\n"
    assert ugly.read_text() != UGLY  # the others are formatted all the same


def test_line_ends_of_other_systems_are_a_difference(remit: Remit, tmp_path: Path, neat: str) -> None:
    path = tmp_path / "crlf.remit"
    path.write_bytes(neat.replace("\n", "\r\n").encode())
    assert remit("fmt", "--check", "crlf.remit").code == 1
    remit("fmt", "crlf.remit")
    assert path.read_bytes() == neat.encode()


def test_text_that_is_not_utf8(remit: Remit, tmp_path: Path) -> None:
    (tmp_path / "latin.remit").write_bytes(b'policy x "\xe9"\n')
    done = remit("fmt", "latin.remit")
    assert done.code == 2
    assert "not UTF-8 at byte 10" in done.err


def test_a_failed_write_leaves_the_file(remit: Remit, ugly: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("remit.cli.fmt.os.fchmod", full)
    done = remit("fmt", "ugly.remit")
    assert done.code == 2
    assert "No space left" in done.err
    assert ugly.read_text() == UGLY
    assert os.listdir(ugly.parent) == ["ugly.remit"]


@pytest.mark.parametrize("arguments", [[], ["--json"]])
def test_one_bad_file_does_not_keep_the_others(remit: Remit, tmp_path: Path, ugly: Path, arguments: list[str]) -> None:
    (tmp_path / "latin.remit").write_bytes(b'policy x "\xe9"\n')
    (tmp_path / "broken.remit").write_text("denny x\n")
    done = remit("fmt", "gone.remit", ".", *arguments)
    assert done.code == 2
    assert ugly.read_text() != UGLY
    if arguments:
        wrong = {item["file"] for item in done.json if "error" in item}
        assert wrong == {"gone.remit", "./latin.remit", "./broken.remit"}


def test_what_is_found_and_is_no_file_of_the_folder_is_skipped(remit: Remit, tmp_path: Path) -> None:
    (tmp_path / "out.txt").write_text(UGLY)
    folder = tmp_path / "folder"
    folder.mkdir()
    os.mkfifo(folder / "pipe.remit")
    (folder / "link.remit").symlink_to(tmp_path / "out.txt")
    done = remit("fmt", "folder")
    assert done.code == 0
    assert "skipped folder/pipe.remit" in done.err
    assert "skipped folder/link.remit" in done.err
    assert (tmp_path / "out.txt").read_text() == UGLY
    assert remit("fmt", "folder/pipe.remit").code == 2


def test_names_of_one_file_stay_names_of_one_file(remit: Remit, tmp_path: Path, ugly: Path) -> None:
    os.link(ugly, tmp_path / "other.remit")
    remit("fmt", "ugly.remit")
    assert ugly.read_text() == (tmp_path / "other.remit").read_text() != UGLY


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_file_stays_its_owners(remit: Remit, ugly: Path) -> None:
    os.chown(ugly, 4711, -1)
    remit("fmt", "ugly.remit")
    assert ugly.read_text() != UGLY
    assert ugly.stat().st_uid == 4711


def test_standard_input_as_json(remit: Remit, neat: str) -> None:
    done = remit("fmt", "--json", "-", stdin=UGLY.encode())
    assert done.json == [{"file": "<stdin>", "changed": True, "text": neat}]
