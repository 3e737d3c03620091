"""Where a log may lie, what its files look like, and that no secret is in them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from audit_log import decided, secret_texts

from remit.effects.audit.chain import Head
from remit.effects.audit.database import Database
from remit.effects.audit.head_file import head_path, read_head, write_head
from remit.effects.audit.light import append_light
from remit.effects.audit.record import body_of


def test_files_are_the_accounts_alone(tmp_path: Path) -> None:
    path = tmp_path / "log" / "decisions.db"
    database = Database(str(path))
    before = os.umask(0)
    try:
        append_light(str(path), decided())
        database.append([])
    finally:
        os.umask(before)
    assert {name.name: oct(name.stat().st_mode & 0o777) for name in path.parent.iterdir()} == {
        "decisions.db": "0o600",
        "decisions.db-wal": "0o600",
        "decisions.db-shm": "0o600",
        "decisions.db.head": "0o600",
    }
    assert oct(path.parent.stat().st_mode & 0o777) == "0o700"
    database.close()


@pytest.mark.parametrize("name", ["decisions.db", "decisions.db-wal", "decisions.db-journal", "decisions.db.head"])
def test_links_are_refused(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "log"
    folder.mkdir(mode=0o700)
    target = tmp_path / "target"
    target.write_bytes(b"")
    (folder / name).symlink_to(target)
    with pytest.raises(OSError):
        append_light(str(folder / "decisions.db"), decided())
    assert target.read_bytes() == b""


def test_a_pipe_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "decisions.db")
    with pytest.raises(OSError, match="no regular file"):
        append_light(str(tmp_path / "decisions.db"), decided())


@pytest.mark.parametrize("mode", [0o660, 0o602, 0o666])
def test_files_that_others_may_write_are_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "decisions.db"
    path.write_bytes(b"")
    path.chmod(mode)
    with pytest.raises(OSError, match="alone"):
        append_light(str(path), decided())


@pytest.mark.parametrize("mode", [0o777, 0o1777])
def test_folders_that_others_may_write_are_refused(tmp_path: Path, mode: int) -> None:
    tmp_path.chmod(mode)
    with pytest.raises(OSError, match="alone"):
        append_light(str(tmp_path / "decisions.db"), decided())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_files_of_others_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "decisions.db"
    path.write_bytes(b"")
    os.chown(path, 12345, 12345)
    try:
        os.seteuid(12346)
        with pytest.raises(OSError):
            append_light(str(path), decided())
    finally:
        os.seteuid(0)


def test_a_file_that_is_no_log_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "decisions.db"
    path.write_bytes(b"something else, longer than a header" * 10)
    path.chmod(0o600)
    with pytest.raises(OSError, match="not a database"):
        append_light(str(path), decided())
    with pytest.raises(OSError, match="not a database"):
        Database(str(path)).append([])


def test_a_log_of_a_later_version_is_refused(tmp_path: Path) -> None:
    import sqlite3

    path = str(tmp_path / "decisions.db")
    append_light(path, decided())
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(OSError, match="another version"):
        append_light(path, decided())


def test_the_head_file_never_goes_back(tmp_path: Path) -> None:
    path = head_path(str(tmp_path / "decisions.db"))
    assert read_head(path) is None
    write_head(path, Head(7, "a" * 64))
    write_head(path, Head(6, "b" * 64))
    assert read_head(path) == Head(7, "a" * 64)
    Path(path).write_text("something else")
    with pytest.raises(ValueError):
        read_head(path)


def test_no_secret_is_in_any_file(tmp_path: Path) -> None:
    path = str(tmp_path / "log" / "decisions.db")
    held = Database(path)
    held.append([])
    for text, _, _ in secret_texts():
        append_light(path, decided(text))
        append_light(path, decided(tool="mcp__notes__add", input={"text": text, "nested": [{"deep": text}]}))
        append_light(path, decided(f"cd x && {text}", cwd="/srv", labels={"l": text}, session="s"))
    written = b"".join([name.read_bytes() for name in (tmp_path / "log").iterdir()])
    assert b"git push" in written
    secrets = {secret for _, found, _ in secret_texts() for secret in found if len(secret) > 8}
    assert len(secrets) > 20
    assert [
        secret for secret in secrets if secret.encode() in written or secret.replace('"', '\\"').encode() in written
    ] == []
    held.close()


def test_reading_does_not_give_away_the_locks_of_who_writes(tmp_path: Path) -> None:
    """A process that closes the file as if nobody else used it takes its log away, and with it the records that follow."""
    path = str(tmp_path / "decisions.db")
    database = Database(path)
    database.append([body_of(decided("make 1"))])
    assert database.head().sequence == 1
    code = "import sys; from remit.effects.audit.database import Database; print(Database(sys.argv[1]).append([]).sequence)"
    for written in (1, 2):
        done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, timeout=60, check=True)
        assert int(done.stdout) == written
        database.append([body_of(decided("make 2"))])
    database.close()


@pytest.mark.parametrize(
    "url",
    [
        "postgresql+psycopg://u:hunter2@127.0.0.1:1/db", "postgresql+psycopg://127.0.0.1:1/db?user=u&password=hunter2",
        "postgresql+psycopg://127.0.0.1:1/db?password=hunter2@x", "nope://h/db?password=hunter2", "postgresql://u:hunter2@h:x/db",
    ],
)  # fmt: skip
def test_no_password_of_a_database_is_in_a_message(url: str) -> None:
    pytest.importorskip("psycopg", reason="needs the extra `postgresql`")
    with pytest.raises(OSError) as raised:
        Database(url).append([])
    assert "hunter2" not in str(raised.value)
