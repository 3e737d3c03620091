"""What a daemon is started with."""

from __future__ import annotations

import os
import pwd
from collections.abc import Mapping

from remit.effects.audit.settings import LogSettings
from remit.sockets import SYSTEM_SOCKET, USER_SOCKET
from remit_dsl.records import NamedTuple

# Requests are answered in milliseconds; whoever needs longer to send one holds a place that others could use.
READ_TIMEOUT_S = 10.0
MAX_CONNECTIONS = 2048
ADMIN_SOCKET = "admin.sock"  # beside the socket for everybody


class Options(NamedTuple):
    """policies: absolute paths, none = those that are found for each call. home: where the user's policies and pins are, "" = the
    account's home. socket, admin_socket: "" = none. listen: host and port, None = no TCP. client_ca: clients must show a certificate of
    it. sessions: the store of sessions, "" = calls are judged by themselves. max_policy_age_s: 0 = any age. log: the decision log, "" =
    none; logging: how it is kept. ship: where its records are sent, "" = nowhere; ship_token, ship_ca: for that receiver."""

    policies: tuple[str, ...] = ()
    home: str = ""
    socket: str = ""
    admin_socket: str = ""
    admin_token: bytes = b""
    listen: tuple[str, int] | None = None
    certificate: str = ""
    key: str = ""
    client_ca: str = ""
    labels: Mapping[str, str] = {}
    sessions: str = ""
    max_policy_age_s: float = 0.0
    log: str = ""
    logging: LogSettings = LogSettings()
    ship: str = ""
    ship_token: str = ""
    ship_ca: str = ""
    max_connections: int = MAX_CONNECTIONS
    read_timeout_s: float = READ_TIMEOUT_S


def account_home() -> str:
    """The home folder that the account database says (passwd(5)); "/" for an account that is not in it."""
    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return "/"


def default_socket() -> str:
    """Where hooks look for a daemon of this account: root's serves the machine."""
    return SYSTEM_SOCKET if os.geteuid() == 0 else os.path.join(account_home(), USER_SOCKET)


def default_admin_socket() -> str:
    """The admin socket of this account's daemon."""
    return os.path.join(os.path.dirname(default_socket()), ADMIN_SOCKET)


def same_place(paths: tuple[str, ...]) -> tuple[str, ...]:
    """Paths in the one spelling in which lists of them are compared."""
    return tuple([os.path.normpath(path) for path in paths])
