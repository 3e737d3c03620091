"""Where the sessions of an account are kept."""

from __future__ import annotations

import os
import pwd


def default_store() -> str:
    """The store of this account: in its home folder by the account database, which no variable of a project changes."""
    try:
        home = pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        home = os.path.expanduser("~")
    return os.path.join(home, ".local", "state", "remit", "sessions.db")
