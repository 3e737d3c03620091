"""Policies at some place -> the program, all or nothing. A part of a policy is never loaded."""

from __future__ import annotations

import os

from remit.cache import load_cached, store
from remit.collection import CollectionPaused
from remit.errors import LoadError
from remit.policy_files import Discovery, Places, PolicyFile, default_places, find_policies
from remit_dsl.diagnostics import Diagnostic
from remit_dsl.program import Program
from remit_dsl.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from remit_dsl.checker import Memory
    from remit_dsl.compiler import Compilation
    from remit_dsl.policy import PolicySource


class Loader:
    """Loads the policies at `paths` (files or folders), or, without any, those of the organisation, the user and the project.

    It keeps what it knows of each file, so that loading again costs what changed. Not thread-safe.
    """

    def __init__(
        self, paths: Sequence[str] = (), *, project: str = "", places: Places | None = None, cached: bool = True
    ) -> None:
        self.paths = tuple(paths)
        self.diagnostics: tuple[Diagnostic, ...] = ()
        self.sources: Mapping[str, Source] = {}
        self._project, self._places, self._cached = project, places, cached
        self._memory: Memory | None = None
        self._last: tuple[tuple[PolicyFile, ...], Program] | None = None

    @property
    def files(self) -> tuple[PolicyFile, ...]:
        """The files as they were last loaded; none before."""
        return self._last[0] if self._last is not None else ()

    def find(self) -> Discovery:
        """The files as they are now. Raises LoadError when any cannot be read."""
        places = self._places or default_places(self._project or _working_folder(), os.environ)
        found = find_policies(self.paths, places)
        self.sources = found.sources
        if found.problems:
            raise LoadError(found.problems, found.sources)
        return found

    def load(self) -> Program:
        """The program of the files as they are now. Raises LoadError; then nothing has changed for whoever has the last one."""
        files = self.find().files
        if self._last is not None and self._last[0] == files:
            return self._last[1]
        first = self._last is None and self._cached
        program = load_cached(files) if first else None
        if program is None:
            program = self.compile(files)
            if first:
                store(files, program)
        self._last = (files, program)
        return program

    def load_with(self, extra: PolicyFile, files: Sequence[PolicyFile] | None = None) -> Program:
        """The program of the files as they were last loaded, or of `files`, together with one more. Raises LoadError."""
        if files is None:
            files = self.files if self._last is not None else self.find().files
        files = (*files, extra)
        program = load_cached(files) if self._cached else None
        if program is None:
            program = self.compile(files)
            if self._cached:
                store(files, program)
        return program

    def compile(self, files: Sequence[PolicyFile]) -> Program:
        """The program of these files, from their text. Raises LoadError."""
        done = self.report(files)
        self.diagnostics = done.diagnostics
        if done.program is None:
            raise LoadError(done.diagnostics, self.sources)
        return done.program

    def report(self, files: Sequence[PolicyFile]) -> Compilation:
        """The program, if there is one, with all that was found."""
        from remit_dsl.checker import Memory
        from remit_dsl.compiler import compile_report
        from remit_dsl.library import modules

        if self._memory is None:
            self._memory = Memory()
        self.sources = {**{source.name: source for _, source in modules()}, **self.sources}
        with CollectionPaused():
            return compile_report([policy_source(file) for file in files], self._memory)


def _working_folder() -> str:
    """The working folder; where it does not exist any more, the root, in which no project is."""
    try:
        return os.getcwd()
    except OSError:
        return "/"


def policy_source(file: PolicyFile) -> PolicySource:
    """The file in the compiler's terms."""
    from remit_dsl.policy import PolicySource

    return PolicySource(Source(file.name, file.text), file.tier, file.trusted, dict(file.data), file.claims)


def program_of_text(text: str, *, data: Mapping[str, str] | None = None, name: str = "policy.remit") -> Program:
    """The program of one policy text. Raises LoadError."""
    from remit_dsl.compiler import compile_report
    from remit_dsl.policy import PolicySource

    source = Source(name, text.replace("\r\n", "\n"))
    done = compile_report([PolicySource(source, data=data or {})])
    if done.program is None:
        raise LoadError(done.diagnostics, {name: source})
    return done.program
