"""Where to look for events, so that no way of deploying a policy goes unseen, and the thread that waits for them.

Watching a file tells nothing when a link on the way to it is swapped (Kubernetes' `..data`, a `current` link), and nothing any more
once its folder was removed and made again. So the folders are watched in which the links stand, and the one in which each folder
stands; and after every event it is worked out anew which these are.
"""

from __future__ import annotations

import logging
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator

from watchfiles._rust_notify import RustNotify, WatchfilesRustInternalError

# Folder -> the names in it that matter; None: all of them.
Interest = dict[str, "frozenset[str] | None"]

MAX_FOLDERS = 1_000  # inotify(7): watches are counted per user; beyond that the timer finds changes
MAX_LINKS = 40  # path_resolution(7)
MAX_DEPTH = 32

# Events are gathered for as long as others follow within a step.
DEBOUNCE_MS = 100
STEP_MS = 25
# How often it is worked out anew what to watch although nothing happened.
RENEW_S = 5.0
RETRY_S = 0.5

log = logging.getLogger("remit.reload")


def interest_in(paths: Iterable[str], data: Iterable[str] = ()) -> Interest:
    """The folders in which something happens whenever what is found at any of the paths (files, or folders of policies) changes.
    data: files that policies read. Existing folders only, MAX_FOLDERS at most."""
    search = _Search()
    for path in paths:
        search.policies(path)
    for path in data:
        search.trace(path)
    folders = sorted(search.found)[:MAX_FOLDERS]
    return {folder: None if (names := search.found[folder]) is None else frozenset(names) for folder in folders}


class _Search:
    """Folders found so far."""

    def __init__(self) -> None:
        self.found: dict[str, set[str] | None] = {}
        self._walked: set[str] = set()

    def policies(self, path: str) -> None:
        """All on the way to a policy path, and below it."""
        end = self.trace(path)
        if end is None:
            return
        if os.path.isdir(end):
            self._walk(end, 0)
        else:
            # Beside the file stand the data that it reads, also those that are not there yet.
            self._everything(os.path.dirname(end))

    def trace(self, path: str) -> str | None:
        """Follows a path link by link; its real end, or None where it leads nowhere. Each link counts where it stands, and so does
        the end, or the first part that is missing."""
        try:
            parts = deque(_parts(os.path.join(os.getcwd(), path) if not path.startswith("/") else path))
        except OSError:
            return None
        at, links = "/", 0
        while parts:
            name = parts.popleft()
            if name == "..":
                at = os.path.dirname(at)
                continue
            here = os.path.join(at, name)
            target = _link(here)
            if target is not None:
                links += 1
                self._name(at, name)
                if links > MAX_LINKS:
                    return None
                parts.extendleft(reversed(list(_parts(target))))
                at = "/" if target.startswith("/") else at
                continue
            if not parts or not os.path.isdir(here):
                self._name(at, name)
            if not os.path.lexists(here):
                return None
            at = here
        return at

    def _walk(self, folder: str, depth: int) -> None:
        if folder in self._walked or depth > MAX_DEPTH or len(self._walked) >= MAX_FOLDERS:
            return
        self._walked.add(folder)
        self._everything(folder)
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            return
        for entry in entries:
            if entry.name.startswith("."):
                continue
            if entry.is_symlink():
                end = self.trace(entry.path)
                if end is not None and os.path.isdir(end):
                    self._walk(end, depth + 1)
            elif entry.is_dir():
                self._walk(entry.path, depth + 1)

    def _everything(self, folder: str) -> None:
        self.found[folder] = None

    def _name(self, folder: str, name: str) -> None:
        names = self.found.setdefault(folder, set())
        if names is not None:
            names.add(name)


def _parts(path: str) -> Iterator[str]:
    return (part for part in path.split("/") if part not in ("", "."))


def _link(path: str) -> str | None:
    try:
        return os.readlink(path)
    except OSError:
        return None


def concerns(changes: Iterable[tuple[int, str]], interest: Interest) -> bool:
    """Whether any of the changes is at a name that matters, or at a watched folder itself."""
    for _, path in changes:
        folder, name = os.path.split(path)
        names = interest.get(folder, frozenset())
        if names is None or name in names or path in interest:
            return True
    return False


class Watcher:
    """A thread that calls `changed` when something may have happened, also each time it begins to watch anew. interest: what to watch
    now; `changed` must not wait."""

    def __init__(self, interest: Callable[[], Interest], changed: Callable[[], None]) -> None:
        self._interest, self._changed = interest, changed
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="remit-watch", daemon=True)
        self.is_watching = False

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Ends the thread; waits for that."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self._watch()
            except Exception as error:  # noqa: BLE001  (no more watches, a folder just gone, …: the timer goes on)
                self._lost(error)
        self.is_watching = False

    def _lost(self, error: Exception) -> None:
        expected = isinstance(error, OSError | WatchfilesRustInternalError)
        if self.is_watching or not expected:
            log.warning("changes are not seen as they happen (%s: %s)", type(error).__name__, error)
        self.is_watching = False
        self._stop.wait(RETRY_S)

    def _watch(self) -> None:
        """Watches until something happens that may change what is to be watched."""
        interest = self._interest()
        with RustNotify(list(interest), False, False, 0, False, True) as events:
            self.is_watching = True
            self._changed()  # what happened before it was watched
            while not self._stop.is_set():
                seen = events.watch(DEBOUNCE_MS, STEP_MS, int(RENEW_S * 1000), self._stop)
                if isinstance(seen, set):
                    if concerns(seen, interest):
                        return
                elif self._interest() != interest:
                    return
