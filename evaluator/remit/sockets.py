"""Where a daemon listens that may decide for this account, and whether a socket there can be believed.

Whoever answers on the socket decides what the agent may do. So nothing of the working directory, of the environment or of the call
names the socket, and only root or the account itself may stand behind it. On the path of every hook start: imports are few.
"""

from __future__ import annotations

import os
import stat

SYSTEM_SOCKET = "/run/remit/remit.sock"
USER_SOCKET = ".local/state/remit/remit.sock"  # below the account's home folder (passwd(5))

# sun_path of unix(7) holds 108 bytes with the final NUL.
MAX_SOCKET_PATH = 107


def socket_paths(named: str, home: str) -> tuple[str, ...]:
    """The paths to try, in order: the one that the command line names, else that of the machine, then that of the account.

    home: the home folder that the account database says, "" for none.
    """
    if named:
        return (named,)
    return (SYSTEM_SOCKET, f"{home.rstrip('/')}/{USER_SOCKET}") if home.startswith("/") else (SYSTEM_SOCKET,)


def owners() -> frozenset[int]:
    """Whom this account believes: root, and itself."""
    return frozenset({0, os.geteuid()})


def is_believed(path: str) -> bool:
    """Whether `path` is a socket, and no link to one, that belongs to root or this account, in a folder of one of these in which
    nobody else can put another in its place."""
    if len(os.fsencode(path)) > MAX_SOCKET_PATH or "\0" in path:
        return False
    try:
        found, folder = os.lstat(path), os.stat(os.path.dirname(path))
    except OSError:
        return False
    return stat.S_ISSOCK(found.st_mode) and found.st_uid in owners() and is_kept(folder)


def is_kept(folder: os.stat_result) -> bool:
    """Whether a folder belongs to root or this account and only its owner can write there."""
    return stat.S_ISDIR(folder.st_mode) and folder.st_uid in owners() and not folder.st_mode & 0o022
