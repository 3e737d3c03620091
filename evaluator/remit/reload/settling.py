"""Whether files that changed look complete. Pure, but for `being_written`.

A file that is written in place is empty, then holds a part, then all of it; a file that is unlinked and made again is missing for a
moment. Each of these could be a policy that permits more. So nothing comes in force before it has stayed the same for a while, and
for longer when it looks like a part of something.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
from collections.abc import Sequence

from remit.policy_files import PolicyFile


def looks_partial(files: Sequence[PolicyFile], before: Sequence[PolicyFile]) -> bool:
    """Whether the files may be in the middle of a change: one that was there is gone, or one is empty, ends within a line, or
    is only the beginning of what it was."""
    known = {file.path: file for file in before}
    if not files or known.keys() - {file.path for file in files}:
        return True
    return any(_looks_cut(file, known.get(file.path)) for file in files if file != known.get(file.path))


def _looks_cut(file: PolicyFile, before: PolicyFile | None) -> bool:
    text = file.text
    if not text.strip() or not text.endswith("\n"):
        return True
    if before is None:
        return False
    shorter = len(text) < len(before.text) and before.text.startswith(text)
    return shorter or {name for name, _ in before.data} - {name for name, _ in file.data} != set()


def emptied(files: Sequence[PolicyFile], before: Sequence[PolicyFile]) -> list[PolicyFile]:
    """The files in which something stood, and now stands nothing: what a full disk leaves of a file that is written in place.
    Whoever means to take a policy away removes its file."""
    known = {file.path for file in before if file.text.strip()}
    return [file for file in files if file.path in known and not file.text.strip()]


def changed_paths(files: Sequence[PolicyFile], before: Sequence[PolicyFile]) -> list[str]:
    """The policy files that differ from those before, with their data files."""
    known = {file.path: file for file in before}
    changed = [file for file in files if file != known.get(file.path)]
    data = [os.path.join(os.path.dirname(file.path), name) for file in changed for name, _ in file.data]
    return [file.path for file in changed] + data


def being_written(path: str) -> bool:
    """Whether some process has the file open for writing, as far as the system tells.

    A read lease is refused exactly then (fcntl(2), F_SETLEASE: Linux). Only the file's owner and CAP_LEASE may ask, and not every file
    system answers; then False. The lease is held for no longer than it takes to give it back.
    """
    if not hasattr(fcntl, "F_SETLEASE"):
        return False
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        # Whoever opens the file while the lease is held makes the kernel send a signal; SIGIO would end the process, this one is ignored.
        fcntl.fcntl(handle, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(handle, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except BlockingIOError:
        return True
    except OSError:
        return False
    else:
        with contextlib.suppress(OSError):
            fcntl.fcntl(handle, fcntl.F_SETLEASE, fcntl.F_UNLCK)
        return False
    finally:
        os.close(handle)
