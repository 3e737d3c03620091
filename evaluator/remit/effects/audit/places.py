"""Where the log of an account is, and whether a file there can be believed."""

from __future__ import annotations

import os
import pwd

from remit.effects.audit.head_file import head_path
from remit.regular_files import check_alone, prepare_database

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

    Raises OSError where it, or a file that belongs to it, is a link, no regular file, or not this account's alone, or where others may
    write its folder: they could put another one there.
    """
    prepare_database(path)
    check_alone(head_path(path))
