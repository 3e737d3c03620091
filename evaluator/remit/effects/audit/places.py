"""Where the log of an account is, and whether a file there can be believed."""

from __future__ import annotations

import os
import pwd
import stat

from remit.effects.audit.head_file import head_path

SYSTEM_LOG = "/var/lib/remit/decisions.db"
USER_LOG = ".local/state/remit/decisions.db"


def default_log() -> str:
    """The log of this account, by the account database, which no variable of a project changes; root's is that of the machine."""
    if os.geteuid() == 0:
        return SYSTEM_LOG
    try:
        home = pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        home = os.path.expanduser("~")
    return os.path.join(home, USER_LOG)


def prepare(path: str) -> None:
    """Make the file (0600, in a folder of 0700) if need be.

    Raises OSError where it is a link, no regular file, or not this account's alone, or where others may write its folder: they could
    put another one there.
    """
    folder = os.path.dirname(os.path.abspath(path))
    os.makedirs(folder, mode=0o700, exist_ok=True)
    _alone(os.stat(folder), folder)
    for name in (path, path + "-wal", path + "-shm", head_path(path)):
        flags = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
        try:
            handle = os.open(name, flags | (os.O_CREAT if name == path else 0), 0o600)
        except FileNotFoundError:
            continue
        try:
            found = os.fstat(handle)
            if not stat.S_ISREG(found.st_mode):
                raise OSError(f"{name} is no regular file")
            _alone(found, name)
        finally:
            os.close(handle)


def _alone(found: os.stat_result, name: str) -> None:
    sticky = stat.S_ISDIR(found.st_mode) and found.st_mode & stat.S_ISVTX and found.st_uid == 0
    if found.st_uid not in (0, os.geteuid()) or (found.st_mode & 0o022 and not sticky):
        raise OSError(f"{name} is not this account's alone")
