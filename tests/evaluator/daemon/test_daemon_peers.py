"""Who is at the other end of a Unix socket."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import pytest
from daemon_process import Daemon

from remit.daemon.peers import Peer, is_own, peer_of

NOBODY = 65534
ASK = """\
import os, socket, sys
os.setgid({uid}); os.setuid({uid})
connection = socket.socket(socket.AF_UNIX)
connection.settimeout(60)
connection.connect(sys.argv[1])
try:
    connection.sendall(b"GET /livez HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n")
    print(len(connection.recv(4096)))
except OSError:
    print(0)
"""


def test_the_kernel_says_who_it_is() -> None:
    one, other = socket.socketpair(socket.AF_UNIX)
    with one, other:
        assert peer_of(one) == Peer(os.getpid(), os.geteuid(), os.getegid())
        assert is_own(peer_of(one))


def test_on_tcp_nobody_says_it() -> None:
    with socket.socket(socket.AF_INET) as connection:
        assert peer_of(connection) is None
    assert not is_own(None)


def test_another_account_is_no_friend() -> None:
    assert not is_own(Peer(1, NOBODY if os.geteuid() != NOBODY else 1234, 0))
    assert is_own(Peer(1, 0, 0))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_another_account_is_cut_off_even_where_modes_let_it_in() -> None:
    with Daemon() as daemon:
        daemon.root.chmod(0o755)
        for path in (daemon.socket, daemon.admin):
            path.chmod(0o666)
            for uid, answered in ((NOBODY, False), (0, True)):
                done = subprocess.run(
                    [sys.executable, "-c", ASK.format(uid=uid), str(path)],
                    capture_output=True, text=True, timeout=60, check=True,
                )  # fmt: skip
                assert (int(done.stdout) > 0) is answered
