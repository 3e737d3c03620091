"""The threads around it all: calls, signals, listeners, and processes that share the files."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from remit.engine import Engine
from remit.errors import LoadError
from remit.reload.status import Attempt
from remit.reload.watched import Watched
from remit_dsl.program import Program

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    path = tmp_path / "policies" / "p.remit"
    path.parent.mkdir()
    path.write_text("deny a: Foo\n")
    return path


@pytest.mark.usefixtures("blind")
def test_reload_waits_for_what_came_of_it(policy: Path) -> None:
    with Watched(policy, rehash_s=60) as watched:
        policy.write_text("deny b: Foo\n")
        attempt = watched.reload()
        assert attempt is not None
        assert attempt.result == "changed"
        assert attempt.revision == watched.engine.program.revision == watched.status.revision
        policy.write_text("deny b: Foo(\n")
        attempt = watched.reload()
        assert attempt is not None
        assert (attempt.result, attempt.problems[0].at) == ("failed", "p.remit:1")
        assert "p.remit:1:" in str(attempt.error)


@pytest.mark.usefixtures("blind")
def test_a_signal_reloads(policy: Path) -> None:
    with Watched(policy, rehash_s=60) as watched:
        before = signal.signal(signal.SIGHUP, watched.request_reload)
        try:
            policy.write_text("deny b: Foo\n")
            signal.raise_signal(signal.SIGHUP)
            until = time.monotonic() + 2
            while watched.status.counts["changed"] < 2 and time.monotonic() < until:
                time.sleep(0.01)
        finally:
            signal.signal(signal.SIGHUP, before)
        assert watched.engine.program.tables["rules"][0][0] == "b"


def test_the_engine_stays_the_same_and_goes_on_after_the_end(policy: Path) -> None:
    with Watched(policy) as watched:
        engine = watched.engine
        policy.write_text("deny b: Foo\n")
        watched.reload()
        assert watched.engine is engine
    policy.write_text("deny c: Foo\n")
    assert watched.reload() is None
    assert engine.program.tables["rules"][0][0] == "b"


def test_without_policies_the_engine_says_why(tmp_path: Path) -> None:
    watched = Watched(tmp_path / "none")
    with pytest.raises(LoadError):
        _ = watched.engine
    with watched, pytest.raises(LoadError) as caught:
        _ = watched.engine
    assert caught.value.diagnostics[0].code == "E501"


def test_listeners_hear_of_everything_and_may_fail(policy: Path, caplog: pytest.LogCaptureFixture) -> None:
    heard: list[str] = []

    def changed(program: Program) -> None:
        heard.append(program.revision)
        raise RuntimeError("a mistake")

    def tried(attempt: Attempt) -> None:
        heard.append(attempt.result)
        raise RuntimeError("a mistake")

    with Watched(policy, on_change=changed, on_attempt=tried) as watched:
        watched.reload()
        assert heard == [watched.status.revision, "changed", "unchanged"]
    assert caplog.text.count("what follows a reload failed") == 3


@pytest.mark.usefixtures("blind")
def test_a_mistake_on_the_way_does_not_end_the_watch(policy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Watched(policy, rehash_s=60) as watched:
        with monkeypatch.context() as patch:
            patch.setattr("remit.reload.swapping.LINKS_S", 0.0)
            patch.setattr(type(watched.engine), "put_in_force", lambda *_: (_ for _ in ()).throw(MemoryError()))
            assert watched.reload() is None
        attempt = watched.reload()
        assert attempt is not None
        assert attempt.result == "unchanged"


def test_it_can_be_stopped_without_having_been_started(policy: Path) -> None:
    Watched(policy).stop()


def test_policies_that_nobody_named_are_found_and_watched(
    policy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config" / "remit").mkdir(parents=True)
    (tmp_path / "config" / "remit" / "mine.remit").write_text("deny mine: Foo\n")
    with Watched() as watched:
        (tmp_path / "config" / "remit" / "mine.remit").write_text("deny yours: Foo\n")
        until = time.monotonic() + 6
        while watched.engine.program.tables["rules"][0][0] != "yours" and time.monotonic() < until:
            time.sleep(0.01)
        assert watched.engine.program.tables["rules"][0][0] == "yours"


@contextmanager
def process(path: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, str(Path(__file__).with_name("watching_process.py")), str(path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    ) as started:
        try:
            yield started
        finally:
            started.kill()


def line_of(started: subprocess.Popen[str]) -> str:
    assert started.stdout is not None
    ready, _, _ = select.select([started.stdout], [], [], 15)
    return started.stdout.readline() if ready else ""


def test_two_processes_agree(policy: Path) -> None:
    with process(policy.parent) as one, process(policy.parent) as two:
        before = line_of(one), line_of(two)
        assert before[0].startswith("sha256:")
        assert before[0] == before[1]
        policy.write_text("deny b: Foo\n")
        after = line_of(one), line_of(two)
        assert after[0].startswith("sha256:")
        assert after[0] == after[1] != before[0]


def test_the_host_says_what_engine_it_wants(policy: Path) -> None:
    class Own(Engine):
        pass

    with Watched(policy, make=Own) as watched:
        assert isinstance(watched.engine, Own)
