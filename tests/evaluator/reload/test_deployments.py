"""Every way in which policies reach a machine: what comes in force, when, and what never does. Real files, real tools."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from remit.reload.status import Status
from remit.reload.swapping import Patience
from remit.reload.watched import REHASH_S, Watched
from remit_dsl.program import Program

OLD = "deny old: Foo\n"
NEW = "deny new: Foo\nask more: Bar\n"
SOON_S = 6.0


class Place:
    """A policy path that is watched, and what came in force there."""

    def __init__(self, path: Path, rehash_s: float = REHASH_S) -> None:
        self.programs: list[list[str]] = []
        self.watched = Watched(path, on_change=self._saw, rehash_s=rehash_s)

    def _saw(self, program: Program) -> None:
        self.programs.append([row[0] for row in program.tables["rules"]])

    def __enter__(self) -> Place:
        self.watched.start()
        wait_until(lambda: self.watched.status.events, 1.0)
        return self

    def __exit__(self, *_: object) -> None:
        self.watched.stop()

    @property
    def status(self) -> Status:
        return self.watched.status

    def rules_in_force(self) -> list[str]:
        return [row[0] for row in self.watched.engine.program.tables["rules"]]


def wait_until(done: Callable[[], bool], seconds: float = SOON_S) -> bool:
    until = time.monotonic() + seconds
    while not done():
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


def run(*command: str, cwd: Path) -> None:
    subprocess.run(command, cwd=cwd, check=True, capture_output=True, timeout=30)


# --- ways to deploy: each makes a place with the old policy and hands back its path and what deploys the new one -----------

Deployment = tuple[Path, Callable[[], None]]


def renamed(root: Path) -> Deployment:
    (root / "p.remit").write_text(OLD)

    def deploy() -> None:
        (root / ".p.remit.tmp").write_text(NEW)
        os.replace(root / ".p.remit.tmp", root / "p.remit")

    return root / "p.remit", deploy


def written_in_place(root: Path) -> Deployment:
    (root / "p.remit").write_text(OLD)
    return root, lambda: overwrite(root / "p.remit", NEW)


def overwrite(path: Path, text: str) -> None:
    with path.open("r+") as file:
        file.write(text)
        file.truncate()


def written_slowly(root: Path) -> Deployment:
    """Truncated, and then written in three parts; the second part is a policy by itself."""
    (root / "p.remit").write_text(OLD)

    def deploy() -> None:
        with (root / "p.remit").open("w") as file:
            for part in ("", "deny ", "new: Foo\n", "ask more: Bar\n"):
                file.write(part)
                file.flush()
                time.sleep(0.3)

    return root / "p.remit", deploy


def truncated_then_renamed(root: Path) -> Deployment:
    """Nobody has the file open while it is empty."""
    (root / "p.remit").write_text(OLD)

    def deploy() -> None:
        os.truncate(root / "p.remit", 0)
        time.sleep(0.5)
        (root / "p.remit").write_text(NEW)

    return root / "p.remit", deploy


def config_map(root: Path) -> Deployment:
    """As the kubelet writes volumes: files are links through `..data`, which is swapped."""
    (root / "..1").mkdir()
    (root / "..1" / "p.remit").write_text(OLD)
    (root / "..data").symlink_to("..1")
    (root / "p.remit").symlink_to("..data/p.remit")

    def deploy() -> None:
        (root / "..2").mkdir()
        (root / "..2" / "p.remit").write_text(NEW)
        (root / "..data_tmp").symlink_to("..2")
        os.replace(root / "..data_tmp", root / "..data")
        shutil.rmtree(root / "..1")

    return root, deploy


def config_map_file(root: Path) -> Deployment:
    _, deploy = config_map(root)
    return root / "p.remit", deploy


def current_link(root: Path) -> Deployment:
    """As Capistrano and the like: releases, and a link to the one in force."""
    for name, text in (("1", OLD), ("2", NEW)):
        (root / "releases" / name).mkdir(parents=True)
        (root / "releases" / name / "p.remit").write_text(text)
    (root / "current").symlink_to("releases/1")

    def deploy() -> None:
        (root / "next").symlink_to("releases/2")
        os.replace(root / "next", root / "current")

    return root / "current", deploy


def folder_made_again(root: Path) -> Deployment:
    folder = root / "policies"
    folder.mkdir()
    (folder / "p.remit").write_text(OLD)

    def deploy() -> None:
        shutil.rmtree(folder)
        time.sleep(0.4)
        folder.mkdir()
        (folder / "p.remit").write_text(NEW)

    return folder, deploy


def git_pull(root: Path) -> Deployment:
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    origin, clone = root / "origin", root / "clone"
    origin.mkdir()
    run("git", "init", "-q", "-b", "main", cwd=origin)
    commit(origin, OLD)
    run("git", "clone", "-q", str(origin), str(clone), cwd=root)

    def deploy() -> None:
        commit(origin, NEW)
        run("git", "pull", "-q", cwd=clone)

    return clone, deploy


def commit(folder: Path, text: str) -> None:
    (folder / "p.remit").write_text(text)
    run("git", "add", ".", cwd=folder)
    run("git", "-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-q", "-m", "x", cwd=folder)


def rsync(root: Path, *options: str) -> Deployment:
    if shutil.which("rsync") is None:
        pytest.skip("rsync is not installed")
    for name, text in (("from", NEW), ("to", OLD)):
        (root / name).mkdir()
        (root / name / "p.remit").write_text(text)
    return root / "to", lambda: run("rsync", "-a", "--checksum", *options, "from/", "to/", cwd=root)


def rsync_in_place(root: Path) -> Deployment:
    return rsync(root, "--inplace")


def rsync_deleting(root: Path) -> Deployment:
    return rsync(root, "--delete-before")


DEPLOYMENTS = (
    renamed,
    written_in_place,
    written_slowly,
    truncated_then_renamed,
    config_map,
    config_map_file,
    current_link,
    folder_made_again,
    git_pull,
    rsync,
    rsync_in_place,
    rsync_deleting,
)


@pytest.mark.parametrize("way", DEPLOYMENTS)
def test_a_change_is_in_force_soon_and_nothing_between(way: Callable[[Path], Deployment], tmp_path: Path) -> None:
    path, deploy = way(tmp_path)
    with Place(path) as place:
        deploy()
        assert wait_until(lambda: place.rules_in_force() == ["new", "more"])
        assert place.programs == [["old"], ["new", "more"]]
        assert wait_until(lambda: not place.status.problems, 1.0)


@pytest.mark.usefixtures("blind")
@pytest.mark.parametrize("way", DEPLOYMENTS)
def test_without_events_the_timer_finds_the_same(way: Callable[[Path], Deployment], tmp_path: Path) -> None:
    path, deploy = way(tmp_path)
    with Place(path, rehash_s=0.2) as place:
        assert not place.status.events
        deploy()
        assert wait_until(lambda: place.rules_in_force() == ["new", "more"])
        assert place.programs == [["old"], ["new", "more"]]


def test_the_timer_alone_is_in_time() -> None:
    assert REHASH_S + Patience().wary_s < SOON_S


@pytest.mark.parametrize("swap", [True, False])
def test_the_second_change_is_seen_as_the_first_was(swap: bool, tmp_path: Path) -> None:
    """The watch is set up anew: after a link was swapped, and after a folder was made again. The timer does not help here."""
    path, deploy = current_link(tmp_path) if swap else folder_made_again(tmp_path)
    with Place(path, rehash_s=60) as place:
        deploy()
        assert wait_until(lambda: place.rules_in_force() == ["new", "more"])
        (path / "q.remit").write_text("deny last: Foo\n")
        assert wait_until(lambda: sorted(place.rules_in_force()) == ["last", "more", "new"])


@pytest.mark.usefixtures("blind")
def test_other_content_of_the_same_size_and_time_is_seen(tmp_path: Path) -> None:
    """Network file systems keep whole seconds."""
    path = tmp_path / "p.remit"
    path.write_text("deny a: Foo\n")
    os.utime(path, (1_000, 1_000))
    with Place(path, rehash_s=0.2) as place:
        path.write_text("deny b: Foo\n")
        os.utime(path, (1_000, 1_000))
        assert wait_until(lambda: place.rules_in_force() == ["b"])


@pytest.mark.parametrize("events", [True, False])
def test_data_of_a_policy_changes(events: bool, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    if not events:
        request.getfixturevalue("blind")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "d.json").write_text('{"on": ["a"]}')
    (tmp_path / "p.remit").write_text('data d from "sub/d.json"\ndeny x: Foo when "b" in data.d.on\n')
    with Place(tmp_path / "p.remit", rehash_s=60 if events else 0.2) as place:
        before = place.status.revision
        (tmp_path / "sub" / "d.json").write_text('{"on": ["b"]}')
        assert wait_until(lambda: place.status.revision != before)


# --- what must not come in force -------------------------------------------------------------------------------


def test_other_files_that_change_all_the_time_do_not_keep_it_waiting(tmp_path: Path) -> None:
    (tmp_path / "p.remit").write_text(OLD)
    ended = threading.Event()

    def write() -> None:
        while not ended.wait(0.005):
            (tmp_path / "log").write_text(str(time.monotonic()))

    thread = threading.Thread(target=write)
    thread.start()
    try:
        with Place(tmp_path) as place:
            overwrite(tmp_path / "p.remit", NEW)
            assert wait_until(lambda: place.rules_in_force() == ["new", "more"])
    finally:
        ended.set()
        thread.join()


def test_while_the_folder_is_gone_the_last_good_policy_stays_and_status_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "policies"
    folder.mkdir()
    (folder / "p.remit").write_text(OLD)
    with Place(folder) as place:
        shutil.rmtree(folder)
        assert wait_until(lambda: place.status.counts["failed"] == 1)
        assert place.rules_in_force() == ["old"]
        assert place.status.problems[0].at == folder.name
        folder.mkdir()
        (folder / "p.remit").write_text(OLD)
        assert wait_until(lambda: not place.status.problems)
        assert place.programs == [["old"]]


def test_a_broken_policy_is_named_by_file_and_line_and_counted_once(tmp_path: Path) -> None:
    (tmp_path / "p.remit").write_text(OLD)
    with Place(tmp_path, rehash_s=0.1) as place:
        overwrite(tmp_path / "p.remit", "# once\n" + "deny a: Foo(\n")
        assert wait_until(lambda: place.status.counts["failed"] == 1)
        assert [(item.code, item.at) for item in place.status.problems] == [("E104", "p.remit:2")]
        assert place.rules_in_force() == ["old"]
        age = place.status.age_s
        time.sleep(0.5)
        assert place.status.counts["failed"] == 1
        assert age is not None
        assert (place.status.age_s or 0) > age + 0.4  # nobody has seen that the files are what is in force


def test_a_file_that_was_emptied_takes_nothing_away(tmp_path: Path) -> None:
    """A full disk leaves that behind."""
    (tmp_path / "p.remit").write_text(OLD)
    with Place(tmp_path) as place:
        os.truncate(tmp_path / "p.remit", 0)
        assert wait_until(lambda: place.status.counts["failed"] == 1)
        assert place.rules_in_force() == ["old"]
        assert place.status.problems[0].at == "p.remit:1"


def test_a_file_that_is_taken_away_goes_out_of_force_but_not_at_once(tmp_path: Path) -> None:
    (tmp_path / "p.remit").write_text(OLD)
    (tmp_path / "q.remit").write_text("ask q: Bar\n")
    with Place(tmp_path) as place:
        (tmp_path / "p.remit").unlink()
        time.sleep(0.8)
        assert place.rules_in_force() == ["old", "q"]
        assert wait_until(lambda: place.rules_in_force() == ["q"])


def test_a_file_that_cannot_be_read_any_more(tmp_path: Path) -> None:
    path = tmp_path / "p.remit"
    path.write_text(OLD)
    with Place(tmp_path) as place:
        path.unlink()
        os.mkfifo(path)
        assert wait_until(lambda: place.status.counts["failed"] == 1)
        assert place.status.problems[0].code == "E501"
        assert place.rules_in_force() == ["old"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every file")
def test_a_file_without_permission_to_read(tmp_path: Path) -> None:
    (tmp_path / "p.remit").write_text(OLD)
    with Place(tmp_path) as place:
        (tmp_path / "p.remit").chmod(0)
        assert wait_until(lambda: place.status.counts["failed"] == 1)
        assert place.rules_in_force() == ["old"]
        (tmp_path / "p.remit").chmod(0o644)
        assert wait_until(lambda: not place.status.problems)
