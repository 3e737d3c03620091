"""Which sockets are believed: whoever could put one there could decide what an agent may do."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from remit.sockets import SYSTEM_SOCKET, is_believed, socket_paths

NOBODY = 65534
only_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("s")  # a short name: sockets have paths of 107 bytes at most (unix(7))


@pytest.fixture
def path(folder: Path) -> Iterator[Path]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(folder / "remit.sock"))
        yield folder / "remit.sock"


@pytest.mark.parametrize(
    ("named", "home", "paths"),
    [
        pytest.param(
            "", "/home/eve", (SYSTEM_SOCKET, "/home/eve/.local/state/remit/remit.sock"), id="the usual places"
        ),
        pytest.param("", "/", (SYSTEM_SOCKET, "/.local/state/remit/remit.sock"), id="home is the root"),
        pytest.param("", "", (SYSTEM_SOCKET,), id="no home"),
        pytest.param("", "home", (SYSTEM_SOCKET,), id="a relative home"),
        pytest.param("/srv/x.sock", "/home/eve", ("/srv/x.sock",), id="named"),
    ],
)
def test_where_a_daemon_may_listen(named: str, home: str, paths: tuple[str, ...]) -> None:
    assert socket_paths(named, home) == paths


@pytest.mark.parametrize("mode", [0o700, 0o755, 0o711])
def test_a_socket_of_this_account(path: Path, mode: int) -> None:
    path.parent.chmod(mode)
    assert is_believed(str(path))


@pytest.mark.parametrize("mode", [0o770, 0o720, 0o777, 0o1777, 0o702])
def test_a_folder_that_others_can_write_to(path: Path, mode: int) -> None:
    path.parent.chmod(mode)
    assert not is_believed(str(path))


def test_what_is_no_socket(folder: Path) -> None:
    (folder / "file").touch()
    os.mkfifo(folder / "pipe")
    assert not is_believed(str(folder / "file"))
    assert not is_believed(str(folder / "pipe"))
    assert not is_believed(str(folder))
    assert not is_believed(str(folder / "nothing"))


def test_a_link_to_a_socket(path: Path) -> None:
    (path.parent / "link.sock").symlink_to(path)
    assert not is_believed(str(path.parent / "link.sock"))


@pytest.mark.parametrize("path", ["/run/\0/remit.sock", "/" + "x" * 200 + "/remit.sock", ""])
def test_paths_that_no_socket_has(path: str) -> None:
    assert not is_believed(path)


@only_root
def test_a_socket_of_somebody_else(path: Path) -> None:
    os.chown(path, NOBODY, -1)
    assert not is_believed(str(path))


@only_root
def test_a_folder_of_somebody_else(path: Path) -> None:
    os.chown(path.parent, NOBODY, -1)
    assert not is_believed(str(path))
