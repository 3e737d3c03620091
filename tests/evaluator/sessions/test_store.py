"""The store: many processes, one file, nothing lost."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.sessions.state import Approval, Asked, State, state_of, state_text
from remit.sessions.store import KEPT_SECONDS, Store, StoreError

TEXT = st.text(max_size=20)
PLACES = st.lists(TEXT, max_size=4).map(tuple)
NUMBERS = st.integers(min_value=0, max_value=2**40)
STATES = st.builds(
    State, TEXT, TEXT, PLACES, PLACES, st.lists(st.builds(Approval, TEXT, TEXT, st.floats(0, 1e10))).map(tuple),
    NUMBERS, NUMBERS, NUMBERS, NUMBERS, TEXT, PLACES, PLACES, PLACES,
    st.lists(st.builds(Asked, TEXT, TEXT, TEXT, TEXT), max_size=3).map(tuple), NUMBERS, NUMBERS, st.booleans(), st.floats(0, 1e10),
    st.floats(0, 1e10),
)  # fmt: skip


@given(STATES)
def test_a_state_reads_back_as_it_was_written(state: State) -> None:
    assert state_of(state_text(state)) == state


@pytest.mark.parametrize("text", ["", "null", "[]", "{}", '{"id":"x"}', state_text(State("x")).replace("0", '"0"', 1)])
def test_half_a_state_is_none(text: str) -> None:
    with pytest.raises(ValueError):
        state_of(text)


def called(state: State) -> State:
    return state._replace(calls=state.calls + 1)


def test_what_was_changed_is_there_for_the_next_process(tmp_path: Path) -> None:
    Store(tmp_path / "x" / "s.db").change("a", called)
    assert Store(tmp_path / "x" / "s.db").read("a").calls == 1
    assert Store(tmp_path / "x" / "s.db").read("b") == State("b")
    assert (tmp_path / "x").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "x" / "s.db").stat().st_mode & 0o777 == 0o600


def test_a_change_that_fails_stores_nothing(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.db")

    def fails(state: State) -> State:
        raise KeyError(state.id)

    with pytest.raises(KeyError):
        store.change("a", fails)
    assert store.change("a", called).calls == 1


COUNTING = """\
import sys
from remit.sessions.store import Store
for _ in range(25):
    Store(sys.argv[1]).change("a", lambda state: state._replace(calls=state.calls + 1))
"""


def test_processes_and_threads_do_not_lose_each_others_changes(tmp_path: Path) -> None:
    path = str(tmp_path / "s.db")
    store = Store(path)
    workers = [subprocess.Popen([sys.executable, "-c", COUNTING, path]) for _ in range(3)]
    threads = [threading.Thread(target=lambda: [store.change("a", called) for _ in range(25)]) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert [worker.wait(60) for worker in workers] == [0, 0, 0]
    assert store.read("a").calls == 125


def _no_database(path: Path) -> None:
    path.touch(0o600)
    path.write_bytes(b"not a database at all, but long enough to look like one" * 20)


def _writable_by_all(path: Path) -> None:
    path.touch()
    path.chmod(0o666)


def _link(path: Path) -> None:
    path.with_name("other").touch(0o600)
    path.symlink_to(path.with_name("other"))


@pytest.mark.parametrize("spoil", [_no_database, _writable_by_all, _link, Path.mkdir, os.mkfifo])
def test_a_store_that_cannot_be_trusted_is_an_error_not_an_empty_session(
    tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    spoil(tmp_path / "s.db")
    with pytest.raises(StoreError):
        Store(tmp_path / "s.db").read("a")


def test_a_spoilt_session_is_an_error(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.db")
    store.change("a", called)
    connection = sqlite3.connect(tmp_path / "s.db")
    connection.execute("UPDATE sessions SET state = '{}'")
    connection.commit()
    connection.close()
    with pytest.raises(StoreError):
        store.read("a")


def test_another_format_is_refused(tmp_path: Path) -> None:
    Store(tmp_path / "s.db").change("a", called)
    connection = sqlite3.connect(tmp_path / "s.db")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(StoreError, match="another version"):
        Store(tmp_path / "s.db").read("a")


@pytest.mark.parametrize("session", ["", "x" * 257, "a\0b", "a\nb"])
def test_ids_are_bounded_and_printable(tmp_path: Path, session: str) -> None:
    with pytest.raises(StoreError):
        Store(tmp_path / "s.db").change(session, called)


def test_sessions_end(tmp_path: Path) -> None:
    now = [1000.0]
    store = Store(tmp_path / "s.db", clock=lambda: now[0])
    store.change("old", called)
    now[0] += KEPT_SECONDS
    store.change("new", called)
    now[0] += 1
    assert store.expire() == 1
    assert [session for session, _ in store.ids()] == ["new"]
    assert store.forget("new")
    assert not store.forget("new")


def counted(path: Path) -> int:
    """What another process sees, which opens the file, uses it and closes it."""
    change = "Store(sys.argv[1]).change('a', lambda state: state._replace(calls=state.calls + 1))"
    code = f"import sys; from remit.sessions.store import Store; print({change}.calls)"
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, timeout=60, check=True)
    return int(done.stdout)


def test_another_thread_does_not_give_away_the_locks_of_this_one(tmp_path: Path) -> None:
    """A process that closes the file as if nobody else used it takes its log away, and with it what is written afterwards."""
    store = Store(tmp_path / "s.db")
    store.change("a", called)
    thread = threading.Thread(target=store.read, args=("a",))
    thread.start()
    thread.join(60)
    assert counted(tmp_path / "s.db") == 2
    assert store.change("a", called).calls == 3
    assert counted(tmp_path / "s.db") == 4


def test_a_file_that_was_replaced_is_what_counts(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.db")
    store.change("a", called)
    for name in list(tmp_path.iterdir()):
        name.unlink()
    assert counted(tmp_path / "s.db") == 1
    assert store.read("a").calls == 1


@pytest.mark.parametrize("name", ["s.db", "s.db-wal", "s.db-journal"])
def test_links_are_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).symlink_to(tmp_path / "target")
    with pytest.raises(StoreError):
        Store(tmp_path / "s.db").read("a")
    assert not (tmp_path / "target").exists()


def test_a_folder_that_others_may_write_is_refused(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    with pytest.raises(StoreError, match="alone"):
        Store(tmp_path / "open" / "s.db").read("a")
