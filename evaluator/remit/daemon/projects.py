"""Engines of a daemon that was started without policies of its own: for each project those that a hook would find there.

The files are looked at anew for every call, as a hook process would; what they compile to is kept while they stay the same.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict

from remit.engine import Engine
from remit.loader import Loader
from remit.policy_files import PolicyFile, default_places
from remit_dsl.program import Program

# More projects than that compile theirs anew, or read them from the cache on disk.
KEPT_PROJECTS = 64
# An engine knows where the links in a policy's paths lead when it is made; they may lead elsewhere later.
LINKS_KEPT_S = 1.0


class Project:
    """The engine of one project, remade when its policies change."""

    def __init__(self, folder: str, home: str) -> None:
        self._folder, self._home = folder, home
        self._places = default_places(folder, {"HOME": home})
        self._loader = Loader(places=self._places)
        self._lock = threading.Lock()
        self._made: tuple[Program, float, Engine] | None = None

    def engine(self) -> Engine:
        """The engine of the policies as they are now. Raises LoadError."""
        with self._lock:
            places = default_places(self._folder, {"HOME": self._home})
            if places != self._places:  # a folder of policies has appeared, or is gone
                self._places, self._loader = places, Loader(places=places)
            program, now = self._loader.load(), time.monotonic()
            if self._made is None or self._made[0] is not program or now - self._made[1] > LINKS_KEPT_S:
                self._made = (program, now, Engine(program))
            return self._made[2]

    def files(self) -> tuple[PolicyFile, ...]:
        """The policy files as they are now. Raises LoadError."""
        self.engine()
        with self._lock:
            return self._loader.files


class Projects:
    """Projects by folder. Thread-safe. home: that of the account whose policies and pins count."""

    def __init__(self, home: str) -> None:
        self._home = home
        self._kept: OrderedDict[str, Project] = OrderedDict()
        self._lock = threading.Lock()

    def engine(self, folder: str) -> Engine:
        """The engine for calls of this project. Raises LoadError when any of its policies is not right."""
        return self._project(folder).engine()

    def files(self, folder: str) -> tuple[PolicyFile, ...]:
        """The policy files of this project. Raises LoadError, as `engine` does."""
        return self._project(folder).files()

    def _project(self, folder: str) -> Project:
        with self._lock:
            project = self._kept.get(folder)
            if project is None:
                project = self._kept[folder] = Project(folder, self._home)
            self._kept.move_to_end(folder)
            while len(self._kept) > KEPT_PROJECTS:
                self._kept.popitem(last=False)
        return project
