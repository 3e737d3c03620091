"""Finding policy files: what counts as one, what makes reading them fail, whom they belong to."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from remit import policy_files
from remit.policy_files import Discovery, Places, default_places, find_policies
from remit.regular_files import read_seen
from remit.trust import digest_of, is_pinned, pin, read_pins, unpin


def write(path: Path, content: str | bytes = "deny A\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


NOWHERE = Places("/nowhere", "/nowhere", (), "/nowhere")


def find(*paths: Path) -> Discovery:
    return find_policies([str(path) for path in paths], NOWHERE)


def names(found: Discovery) -> list[str]:
    assert found.problems == ()
    return [file.name for file in found.files]


def codes(found: Discovery) -> list[str]:
    return [problem.code for problem in found.problems]


def test_folders_are_searched_in_order(tmp_path: Path) -> None:
    for name in ("b.remit", "a/z.remit", "a/b/c.remit", "notes.txt", ".hidden.remit", ".git/x.remit"):
        write(tmp_path / name)
    assert names(find(tmp_path)) == ["a/b/c.remit", "a/z.remit", "b.remit"]


def test_a_file_is_taken_whatever_it_is_called(tmp_path: Path) -> None:
    assert names(find(write(tmp_path / "policy.txt"))) == ["policy.txt"]


def test_a_file_reached_twice_counts_once(tmp_path: Path) -> None:
    file = write(tmp_path / "a.remit")
    (tmp_path / "b.remit").symlink_to(file)
    assert names(find(tmp_path, file)) == ["a.remit"]


def test_a_mounted_volume_with_its_versions_counts_once(tmp_path: Path) -> None:
    write(tmp_path / "..2026" / "a.remit")
    (tmp_path / "..data").symlink_to("..2026")
    (tmp_path / "a.remit").symlink_to("..data/a.remit")
    assert names(find(tmp_path)) == ["a.remit"]


def test_names_that_are_equal_are_told_apart(tmp_path: Path) -> None:
    one, two = write(tmp_path / "one" / "a.remit"), write(tmp_path / "two" / "a.remit", "deny B\n")
    found = find(one, two)
    assert names(found) == [str(one), str(two)]
    assert {source.text for source in found.sources.values()} == {"deny A\n", "deny B\n"}


def test_line_ends_are_normal(tmp_path: Path) -> None:
    assert find(write(tmp_path / "a.remit", b"deny A\r\ndeny B\r\n")).files[0].text == "deny A\ndeny B\n"


def test_what_is_not_there(tmp_path: Path) -> None:
    assert codes(find(tmp_path / "missing")) == ["E501"]
    assert codes(find(tmp_path)) == ["E502"]
    assert codes(find()) == ["E502"]


def test_not_utf8_says_where(tmp_path: Path) -> None:
    found = find(write(tmp_path / "a.remit", "deny A\nd\u00e9ny ".encode() + b"\xff"))
    assert codes(found) == ["E503"]
    problem = found.problems[0]
    assert found.sources["a.remit"].position(problem.start) == (2, 6)


def test_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("remit.policy_files.MAX_FILE_BYTES", 10)
    assert codes(find(write(tmp_path / "a.remit", "x" * 10))) == []
    assert codes(find(write(tmp_path / "b.remit", "x" * 11))) == ["E504"]


def test_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("remit.policy_files.MAX_FILES", 2)
    for number in range(4):
        write(tmp_path / f"{number}.remit")
    assert codes(find(tmp_path)) == ["E504"]


def test_circles(tmp_path: Path) -> None:
    write(tmp_path / "a.remit")
    (tmp_path / "loop").symlink_to(tmp_path)
    assert codes(find(tmp_path)) == ["E505"]
    (tmp_path / "self.remit").symlink_to(tmp_path / "self.remit")
    assert codes(find(tmp_path / "self.remit")) == ["E505"]


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.remit")
    assert codes(find(tmp_path)) == ["E501"]


def test_a_dangling_link_is_an_error(tmp_path: Path) -> None:
    write(tmp_path / "a.remit")
    (tmp_path / "b.remit").symlink_to("gone")
    assert codes(find(tmp_path)) == ["E501"]


def test_a_folder_that_cannot_be_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str) -> list[str]:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(os, "listdir", refuse)
    assert codes(find(tmp_path)) == ["E501"]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ('data d from "d.json"', {"d.json": "{}"}),
        ('data # why\n  d # what\n from\n "d.json"', {"d.json": "{}"}),
        ('data d from "sub/e.json"', {"sub/e.json": "[]"}),
        ('data d from "../out.json"', {}),
        ('data d from "/etc/hostname"', {}),
        ('data d from "missing.json"', {}),
        ('data d from "sub"', {}),
        ('data d from "latin.json"', {}),
    ],
)
def test_data_files_come_along(tmp_path: Path, statement: str, expected: dict[str, str]) -> None:
    write(tmp_path / "out.json", "1")
    write(tmp_path / "p" / "d.json", "{}")
    write(tmp_path / "p" / "sub" / "e.json", "[]")
    write(tmp_path / "p" / "latin.json", b'"\xe9"')
    found = find(write(tmp_path / "p" / "a.remit", statement + "\n"))
    assert dict(found.files[0].data) == expected


# --- places ----------------------------------------------------------------------------------------------------


def test_places_follow_the_environment(tmp_path: Path) -> None:
    (tmp_path / "home" / "w" / "deep").mkdir(parents=True)
    for folder in (tmp_path / "home", tmp_path / "home" / "w", tmp_path / "home" / "w" / "deep"):
        (folder / ".remit").mkdir()
    environment = {"HOME": str(tmp_path / "home"), "XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "relative"}
    found = default_places(str(tmp_path / "home" / "w" / "deep"), environment)
    assert found.org == "/etc/remit"
    assert found.user == "/c/remit"
    assert found.state == str(tmp_path / "home" / ".local" / "state" / "remit")
    assert [os.path.relpath(folder, tmp_path) for folder in found.projects] == ["home/w/deep/.remit", "home/w/.remit"]


def test_a_place_that_exists_must_be_readable(tmp_path: Path) -> None:
    user = write(tmp_path / "user" / "a.remit").parent
    (tmp_path / "org").write_text("not a folder")
    assert codes(find_policies([], Places(str(tmp_path / "org"), str(user), (), ""))) == ["E501"]
    assert codes(find_policies([], Places(str(tmp_path / "none"), str(user), (), ""))) == []


# --- trust -----------------------------------------------------------------------------------------------------


def project(tmp_path: Path) -> Places:
    write(tmp_path / "w" / ".remit" / "a.remit", 'data d from "d.json"\nallow A\n')
    write(tmp_path / "w" / ".remit" / "d.json", "{}")
    return Places(str(tmp_path / "org"), str(tmp_path / "user"), (str(tmp_path / "w" / ".remit"),), str(tmp_path / "s"))


def trust(places: Places) -> None:
    files = find_policies([], places).files
    pin(places.projects[0], digest_of([(f.name, f.text, f.data) for f in files]), places.state)


def trusted(places: Places) -> list[bool]:
    return [file.trusted for file in find_policies([], places).files]


def test_a_project_is_trusted_once_it_is_pinned(tmp_path: Path) -> None:
    places = project(tmp_path)
    assert trusted(places) == [False]
    trust(places)
    assert trusted(places) == [True]
    assert unpin(places.projects[0], places.state)
    assert not unpin(places.projects[0], places.state)
    assert trusted(places) == [False]


@pytest.mark.parametrize(
    ("name", "content"), [("a.remit", "allow A, B\n"), ("b.remit", "allow B\n"), ("d.json", "[]"), ("sub/c.remit", "")]
)
def test_any_change_ends_trust(tmp_path: Path, name: str, content: str) -> None:
    places = project(tmp_path)
    trust(places)
    write(tmp_path / "w" / ".remit" / name, content)
    assert not any(trusted(places))


def test_pins_of_somebody_else_do_not_count(tmp_path: Path) -> None:
    places = project(tmp_path)
    trust(places)
    (tmp_path / "s" / "trusted.json").chmod(0o666)
    assert trusted(places) == [False]


@pytest.mark.parametrize("content", ["", "[]", "{", '{"x": 1}', '{"x":' + "[" * 100_000])
def test_damaged_pins_trust_nothing(tmp_path: Path, content: str) -> None:
    write(tmp_path / "trusted.json", content).chmod(0o600)
    assert read_pins(str(tmp_path)) == {}
    assert not is_pinned("/w", [], str(tmp_path))


def test_pins_are_the_users_alone(tmp_path: Path) -> None:
    pin("/w", "sha256:0", str(tmp_path / "s"))
    assert (tmp_path / "s").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "s" / "trusted.json").stat().st_mode & 0o777 == 0o600
    assert read_pins(str(tmp_path / "s")) == {"/w": "sha256:0"}


def test_pins_are_no_link(tmp_path: Path) -> None:
    pin("/w", "sha256:0", str(tmp_path))
    (tmp_path / "trusted.json").rename(tmp_path / "other")
    (tmp_path / "trusted.json").symlink_to(tmp_path / "other")
    assert read_pins(str(tmp_path)) == {}


# --- bounds ----------------------------------------------------------------------------------------------------


def test_every_folder_is_visited_once(tmp_path: Path) -> None:
    """Two links in each folder to the next one are 2^30 ways to the last."""
    for number in range(31):
        folder = tmp_path / f"d{number}"
        folder.mkdir()
        for name in "xy":
            (folder / name).symlink_to(tmp_path / f"d{number + 1}")
    (tmp_path / "d31").mkdir()
    write(tmp_path / "d31" / "a.remit")
    found = find(tmp_path / "d0")
    assert (len(found.files), found.problems) == (1, ())


def test_too_many_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("remit.policy_files.MAX_FOLDERS", 3)
    for number in range(9):
        (tmp_path / f"d{number}").mkdir()
    assert codes(find(tmp_path))[:1] == ["E504"]


def test_too_much_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("remit.policy_files.MAX_TOTAL_BYTES", 20)
    for number in range(9):
        write(tmp_path / f"{number}.remit")
    found = find(tmp_path)
    assert codes(found) == ["E504"]
    assert len(found.files) == 3  # what comes after is not even read


def test_comments_about_data_cost_no_more_than_others(tmp_path: Path) -> None:
    write(tmp_path / "d.json", "{}")
    write(tmp_path / "a.remit", "# data\n" * 100_000 + '  # data x from "no"\ndata d\n# between\nfrom "d.json"\n')
    start = time.monotonic()
    found = find(tmp_path)
    assert time.monotonic() - start < 5
    assert [dict(file.data) for file in found.files] == [{"d.json": "{}"}]


def _releases(folder: Path) -> None:
    for name in ("one", "two"):
        (folder / name).mkdir()
        for file in ("a.remit", "b.remit"):
            (folder / name / file).write_text(f"policy {name}.{file[0]}\n", encoding="utf-8")
    (folder / "current").symlink_to("one")


def test_two_releases_are_never_mixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _releases(tmp_path)
    swapped: list[str] = []

    def swapping(path: str, limit: int) -> tuple[bytes, os.stat_result]:
        content = read_seen(path, limit)
        if not swapped:  # the link leads elsewhere between the first file and the second
            (tmp_path / "next").symlink_to("two")
            (tmp_path / "next").rename(tmp_path / "current")
            swapped.append(path)
        return content

    monkeypatch.setattr(policy_files, "read_seen", swapping)
    found = find_policies([str(tmp_path / "current")], NOWHERE)
    assert [file.text.split()[1] for file in found.files] == ["two.a", "two.b"]


def test_policies_that_never_keep_still_are_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _releases(tmp_path)
    count = iter(range(1000))

    def rewriting(path: str, limit: int) -> tuple[bytes, os.stat_result]:
        content = read_seen(path, limit)
        Path(path).write_text(f"policy x{next(count)}\n" * 2, encoding="utf-8")
        return content

    monkeypatch.setattr(policy_files, "read_seen", rewriting)
    found = find_policies([str(tmp_path / "one")], NOWHERE)
    assert [item.code for item in found.problems][-1] == "E501"


@pytest.fixture
def as_a_user() -> Iterator[Path]:
    """A folder, and nobody's rights on it but its owner's, who is not root."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        user = 12345 if os.geteuid() == 0 else os.geteuid()
        os.chown(folder, user, -1)
        before = os.geteuid()
        os.seteuid(user)
        try:
            yield Path(folder)
        finally:
            for closed in ("home/.config", "shop"):
                os.chmod(Path(folder) / closed, 0o755)
            os.seteuid(before)


@pytest.mark.parametrize("closed", ["home/.config", "shop"])
def test_closing_a_folder_above_hides_no_policy(as_a_user: Path, closed: str) -> None:
    """As `chmod 0 ~/.config`, or `chmod a-x ..` in a project, would."""
    write(as_a_user / "home/.config/remit/a.remit")
    write(as_a_user / "shop/.remit/b.remit")
    (as_a_user / "shop/app").mkdir()
    (as_a_user / closed).chmod(0o600)
    places = default_places(str(as_a_user / "shop/app"), {"HOME": str(as_a_user / "home")})
    assert set(codes(find_policies([], places._replace(org="/nowhere")))) == {"E501"}


def test_a_link_that_leads_back_again_does_not_mix_what_it_led_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for version in ("1", "2"):
        for name in ("a", "b"):
            write(tmp_path / version / f"{name}.remit", f"deny A{version}\n")
    link = tmp_path / "in-force"
    link.symlink_to("1")
    reading = read_seen
    left = ["b.remit"]

    def away_and_back(path: str, limit: int) -> tuple[bytes, os.stat_result]:
        away = os.path.basename(path) in left
        if away:
            left.clear()
            link.unlink()
            link.symlink_to("2")
        found = reading(path, limit)
        if away:
            link.unlink()
            link.symlink_to("1")
        return found

    monkeypatch.setattr(policy_files, "read_seen", away_and_back)
    assert {file.text for file in find(link).files} == {"deny A1\n"}
    assert left == []


def test_a_project_folder_that_is_a_link_to_nowhere_is_reported(tmp_path: Path) -> None:
    for target in (".remit", "/nowhere/at/all"):
        link = tmp_path / target.strip("/").replace("/", "-") / ".remit"
        link.parent.mkdir()
        link.symlink_to(target)
        places = default_places(str(link.parent), {"HOME": "/nowhere"})
        assert codes(find_policies([], places._replace(org="/nowhere", user="/nowhere"))) == ["E501"]


def test_a_folder_of_policies_that_is_a_link_to_nowhere_is_reported(tmp_path: Path) -> None:
    write(tmp_path / "a.remit")
    (tmp_path / "team").symlink_to("/nowhere/at/all")
    assert codes(find(tmp_path)) == ["E501"]
