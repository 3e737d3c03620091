"""L6: a reload that fails leaves the last good program in force; no decision mixes two revisions."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from remit.engine import Engine
from remit.reload.swapping import Patience
from remit.reload.watched import Watched
from remit.request import Request
from remit_dsl.program import Program

RELOADS = 500
THREADS = 8
CALL = Request("Bash", {"command": "left && right"}, cwd="/", home="/")


class Releases:
    """Two files that belong together, each release in a folder of its own; a link says which is current. Every third is broken."""

    def __init__(self, root: Path) -> None:
        self.root, self.link = root, root / "current"

    def put(self, number: int) -> None:
        folder = self.root / f"r{number}"
        folder.mkdir()
        broken = "(" if self.is_broken(number) else ""
        tool = "tool Bash { subject command: shell }\n"
        (folder / "left.remit").write_text(f'{tool}deny left: Bash(left *) because "{number}"\n')
        (folder / "right.remit").write_text(f'deny right: Bash(right *{broken}) because "{number}"\n')
        (self.root / "next").symlink_to(folder.name)
        os.replace(self.root / "next", self.link)

    @staticmethod
    def is_broken(number: int) -> bool:
        return number % 3 == 2


class Callers:
    """Threads that ask the same all the time."""

    def __init__(self, engine: Engine) -> None:
        self._engine, self._stop = engine, threading.Event()
        self.seen: set[tuple[str, str, tuple[str, ...]]] = set()
        self.decisions = 0
        self._threads = [threading.Thread(target=self._ask) for _ in range(THREADS)]

    def __enter__(self) -> Callers:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _ask(self) -> None:
        while not self._stop.is_set():
            verdict = self._engine.decide(CALL)
            messages = tuple([unit.reason.message for unit in verdict.units])
            self.seen.add((verdict.decision, verdict.revision, messages))
            self.decisions += 1
            time.sleep(0.001)  # the thread that loads needs its turn


def test_no_call_sees_half_of_a_release_and_a_broken_one_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eight threads decide while 500 releases are put in place, every third of them broken."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    revisions: dict[str, str] = {}

    def changed(program: Program) -> None:
        (number,) = {row[9] for row in program.tables["rules"]}
        revisions[program.revision] = number

    releases = Releases(tmp_path)
    releases.put(0)
    with Watched(releases.link, on_change=changed, patience=Patience(0.0, 0.0, 1.0)) as watched:
        with Callers(watched.engine) as callers:
            for number in range(1, RELOADS + 1):
                _release(watched, releases, number)
        counts = watched.status.counts
    good = [str(number) for number in range(RELOADS + 1) if not releases.is_broken(number)]
    assert list(revisions.values()) == good
    assert counts["changed"] == len(good)
    assert counts["failed"] >= RELOADS + 1 - len(good)
    assert callers.decisions > RELOADS
    assert len(callers.seen) > RELOADS / 4
    for decision, revision, messages in callers.seen:
        assert decision == "deny"
        assert messages == (revisions[revision],) * 2


def _release(watched: Watched, releases: Releases, number: int) -> None:
    before = watched.status
    releases.put(number)
    watched.reload()
    after = watched.status
    if releases.is_broken(number):
        assert after.revision == before.revision
        assert after.counts["failed"] > before.counts["failed"]
        assert after.problems[0].at == "right.remit:1"
    else:
        assert after.revision != before.revision
        assert after.counts["changed"] == before.counts["changed"] + 1
        assert not after.problems
