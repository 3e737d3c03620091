"""Sockets to listen on: a Unix socket that nobody can put in another's place, TCP on the loopback or with TLS."""

from __future__ import annotations

import contextlib
import fcntl
import ipaddress
import os
import socket
import ssl
import stat
from types import TracebackType
from typing import Self

from remit.sockets import MAX_SOCKET_PATH, is_kept

BACKLOG = 2048
_PROBE_S = 1.0


class ListenError(Exception):
    """The daemon cannot listen there. The message says why, in one line."""


class UnixListener:
    """A listening Unix socket at `path`, for this account alone. Raises ListenError. A lock file beside it is held as long as it lives,
    so that of two daemons that start at once one wins."""

    def __init__(self, path: str) -> None:
        self.path = path
        _check_place(path)
        self._lock = _locked(f"{path}.lock")
        try:
            _clear(path)
            self.socket = _bound(path)
            self._identity = _identity(path)
        except BaseException:
            os.close(self._lock)
            raise

    def remove(self) -> None:
        """Take the socket away, if it is still this one: nobody can connect any more. May be called again."""
        with contextlib.suppress(OSError):
            if _identity(self.path) == self._identity:
                os.unlink(self.path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.remove()
        self.socket.close()
        os.close(self._lock)


def _check_place(path: str) -> None:
    """Raises ListenError unless the folder, made if it is not there, is one in which only this account or root can write."""
    if not path.startswith("/") or len(os.fsencode(path)) > MAX_SOCKET_PATH:
        raise ListenError(f"{path}: a socket needs an absolute path of at most {MAX_SOCKET_PATH} bytes")
    folder = os.path.dirname(path)
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        if not is_kept(os.stat(folder)):
            raise ListenError(f"{folder}: others can write there, and could put a socket of theirs in this one's place")
    except OSError as error:
        raise ListenError(f"{folder}: {error.strerror}") from None


def _locked(path: str) -> int:
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise ListenError(f"{path}: {error.strerror}") from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise ListenError(f"{path.removesuffix('.lock')}: another daemon listens there") from None
    return handle


def _clear(path: str) -> None:
    """Removes a socket that nobody answers on any more. Raises ListenError for anything else."""
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(found.st_mode):
        raise ListenError(f"{path}: something else than a socket is there")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(_PROBE_S)
        try:
            probe.connect(path)
        except ConnectionRefusedError:
            os.unlink(path)
            return
        except OSError as error:
            raise ListenError(f"{path}: {error}") from None
    raise ListenError(f"{path}: somebody answers there")


def _bound(path: str) -> socket.socket:
    """Nobody can connect before `listen`, so the mode is right before it counts."""
    bound = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        before = os.umask(0o177)
        try:
            bound.bind(path)
        finally:
            os.umask(before)
        os.chmod(path, 0o600)
        bound.listen(BACKLOG)
    except OSError as error:
        bound.close()
        raise ListenError(f"{path}: {error.strerror}") from None
    return bound


def _identity(path: str) -> tuple[int, int]:
    found = os.lstat(path)
    return found.st_dev, found.st_ino


def listen_tcp(host: str, port: int, *, encrypted: bool) -> socket.socket:
    """A listening TCP socket. Raises ListenError; without TLS for any address but the loopback's."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except OSError as error:
        raise ListenError(f"{host}:{port}: {error.strerror}") from None
    if not encrypted and not ipaddress.ip_address(str(address[0]).partition("%")[0]).is_loopback:
        raise ListenError(f"{host}: without TLS only the loopback address is served; give --tls-cert and --tls-key")
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
        bound.listen(BACKLOG)
    except OSError as error:
        bound.close()
        raise ListenError(f"{host}:{port}: {error.strerror}") from None
    return bound


def tls_context(certificate: str, key: str, client_ca: str) -> ssl.SSLContext:
    """TLS 1.2 or newer with this certificate; with `client_ca`, for clients that show one of it. Raises ListenError."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(certificate, key or None)
        if client_ca:
            context.load_verify_locations(client_ca)
            context.verify_mode = ssl.CERT_REQUIRED
    except (OSError, ssl.SSLError) as error:
        raise ListenError(f"the TLS certificate, key or CA cannot be used: {error}") from None
    return context
