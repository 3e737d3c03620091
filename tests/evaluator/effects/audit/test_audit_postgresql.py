"""The same log in PostgreSQL, on a real server."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from audit_log import decided, secret_texts

pytest.importorskip("psycopg", reason="needs psycopg: the extra `postgresql`")

from remit.effects.audit.database import Database
from remit.effects.audit.record import body_of
from remit.effects.audit.settings import LogSettings
from remit.effects.audit.verifying import verify
from remit.effects.audit.writer import DecisionLog

SERVERS = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
NOBODY = pwd.getpwnam("nobody")  # the server runs for an account that exists, and never for root
pytestmark = pytest.mark.skipif(
    not SERVERS or (os.geteuid() == 0 and not shutil.which("setpriv")),
    reason="needs a PostgreSQL server below /usr/lib/postgresql (and setpriv for root)",
)


class Server:
    """A server of its own, on a Unix socket in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.binaries = SERVERS[-1].parent
        self._as = (
            ["setpriv", f"--reuid={NOBODY.pw_uid}", f"--regid={NOBODY.pw_gid}", "--clear-groups"]
            if os.geteuid() == 0
            else []
        )
        if self._as:
            os.chown(folder, NOBODY.pw_uid, NOBODY.pw_gid)
        made = [
            *self._as,
            str(self.binaries / "initdb"),
            "-D",
            str(folder / "data"),
            "-U",
            "remit",
            "-A",
            "trust",
            "--no-sync",
        ]
        subprocess.run(
            made, check=True, capture_output=True, timeout=120, env={"PATH": os.environ["PATH"], "LC_ALL": "C"}
        )
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"postgresql+psycopg://remit@/postgres?host={self.folder}"

    def start(self) -> None:
        options = [
            "-D",
            str(self.folder / "data"),
            "-k",
            str(self.folder),
            "-c",
            "listen_addresses=",
            "-c",
            "fsync=off",
        ]
        with (self.folder / "out").open("ab") as out:
            started = [*self._as, str(self.binaries / "postgres"), *options]
            self.process = subprocess.Popen(started, stdout=out, stderr=out, start_new_session=True)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            asked = [str(self.binaries / "pg_isready"), "-h", str(self.folder), "-q"]
            if subprocess.run(asked, check=False, timeout=20).returncode == 0:
                return
            time.sleep(0.1)
        pytest.fail((self.folder / "out").read_text())

    def stop(self) -> None:
        if self.process is not None:
            self.process.send_signal(2)  # SIGINT: fast shutdown (PostgreSQL, 19.5)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, 9)
                self.process.wait(30)
            self.process = None


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    # A socket's path has 107 bytes at most (unix(7)).
    folder = Path(tempfile.mkdtemp(prefix="remit-pg-", dir="/tmp"))
    made = None
    try:
        made = Server(folder)
        made.start()
        yield made
    finally:
        if made is not None:
            made.stop()
        shutil.rmtree(folder)


@pytest.fixture
def url(server: Server) -> str:
    database = Database(server.url)
    database.append([])
    with database._to_write() as session:
        session.run("TRUNCATE remit_records")
    database.close()
    return server.url


def findings(url: str) -> list[str]:
    return [item.kind for item in verify(Database(url, read_only=True).rows()).findings]


def test_records_of_all_kinds_are_kept(url: str) -> None:
    database = Database(url)
    odd = [decided("make \x00\x1b\ud800"), decided(session="\udfff\x00", agent="\x00"), decided(input={"x": "\x00"})]
    database.append([body_of(item) for item in [*odd, *[decided(text) for text, _, _ in secret_texts()]]])
    assert findings(url) == []
    assert database.head().sequence == len(odd) + len(secret_texts())
    database.close()


def test_many_writers_make_one_chain(url: str) -> None:
    logs = [DecisionLog(url, LogSettings(busy_s=10, wait_s=20)) for _ in range(4)]
    answers: list[str] = []

    def write(log: DecisionLog) -> None:
        answers.extend([log.settle(decided(f"make {number}")).decision for number in range(50)])

    threads = [threading.Thread(target=write, args=(log,)) for log in logs for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert [log.stop() for log in logs] == [True] * 4
    assert answers == ["allow"] * 400
    assert Database(url).head().sequence == 400
    assert findings(url) == []


def test_tampering_and_retention(url: str) -> None:
    database = Database(url)
    database.append([body_of(decided(f"make {number}")) for number in range(10)])
    database.remove(4, 5.0)
    assert findings(url) == []
    with database._to_write() as session:
        session.run("DELETE FROM remit_records WHERE sequence = 7")
    assert findings(url) == ["dropped"]
    database.close()


def test_a_server_that_goes_and_comes_back(server: Server, url: str) -> None:
    log = DecisionLog(url, LogSettings(busy_s=1, wait_s=5))
    assert log.settle(decided()).decision == "allow"
    server.stop()
    assert log.settle(decided()).decision == "ask"
    assert log.settle(decided("git push")).decision == "deny"
    assert log.problem()
    server.start()
    deadline = time.monotonic() + 20
    while log.settle(decided()).decision != "allow" and time.monotonic() < deadline:
        time.sleep(0.2)
    assert log.problem() == ""
    log.stop()
    decisions = [row.decision for row in Database(url).rows()]
    assert "deny" in decisions
    assert findings(url) == []


def test_messages_hold_no_password() -> None:
    database = Database("postgresql+psycopg://remit:Tr0ub4dor@127.0.0.1:1/none", LogSettings(busy_s=1))
    with pytest.raises(OSError) as raised:
        database.append([])
    assert "Tr0ub4dor" not in str(raised.value)
