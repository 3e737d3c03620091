"""Policy files: where they are, what they hold, which tier they may claim and whether they are trusted.

Explicit paths stand for themselves and may claim any tier. Without any, policies are looked for in the places of `Places`. This is on
the path of every hook start, so it imports nothing that is slow to load. It reads files; it understands nothing in them.
"""

from __future__ import annotations

import os
import stat

from remit.regular_files import read_seen
from remit_dsl.diagnostics import Diagnostic
from remit_dsl.program import TIERS
from remit_dsl.records import NamedTuple
from remit_dsl.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

SUFFIX = ".remit"
MAX_FILE_BYTES = 16 * 1024 * 1024
MAX_TOTAL_BYTES = 64 * 1024 * 1024
MAX_FILES = 10_000
MAX_FOLDERS = 10_000
MAX_DEPTH = 32
MAX_LOOKS = 5  # at policies that change while they are read

# Nothing goes on from one line to the next but statements, so that a line that begins with `#` is a comment wherever it stands.
# Without those lines no two comments follow each other, and the other expression reads nothing more than a few times.
_COMMENT_LINE = r"(?m)^[^\S\n]*+#[^\n]*+"

# `data NAME from "file"`, also with comments between the words. It may find some in comments too: then a file is read in vain.
_DATA = r'\bdata(?:\s|#[^\n]*+\n)++[A-Za-z_][A-Za-z0-9_.-]*+(?:\s|#[^\n]*+\n)++from(?:\s|#[^\n]*+\n)*+("(?:[^"\\\n]++|\\[^\n])*+")'


class PolicyFile(NamedTuple):
    """One policy file as found. name: its path below the root that it was found in; the rest as in remit_dsl.policy.PolicySource."""

    name: str
    path: str
    text: str
    tier: str
    trusted: bool
    claims: tuple[str, ...]
    data: tuple[tuple[str, str], ...]


class Places(NamedTuple):
    """Where policies are looked for: of the organisation, of the user, of the projects that contain the working folder; and where
    the user's pins of trusted projects are kept."""

    org: str
    user: str
    projects: tuple[str, ...]
    state: str


class Discovery(NamedTuple):
    """What was found, and why it must not be used: any problem means that some policy could not be read."""

    files: tuple[PolicyFile, ...]
    problems: tuple[Diagnostic, ...]
    sources: dict[str, Source]


def default_places(project: str, environment: Mapping[str, str]) -> Places:
    """The places for a working folder (XDG Base Directory Specification 0.8 for the user's)."""
    home = environment.get("HOME") or os.path.expanduser("~")
    config = environment.get("XDG_CONFIG_HOME", "")
    state = environment.get("XDG_STATE_HOME", "")
    return Places(
        "/etc/remit",
        os.path.join(config if config.startswith("/") else os.path.join(home, ".config"), "remit"),
        tuple(_project_folders(project, home)),
        os.path.join(state if state.startswith("/") else os.path.join(home, ".local", "state"), "remit"),
    )


def _project_folders(start: str, home: str) -> Iterator[str]:
    """`.remit` in the folder and all above it, nearest first, up to the home folder. All of them count: a project inside a
    project cannot shake off what the outer one forbids."""
    folder = os.path.realpath(start)
    home = os.path.realpath(home)
    while folder not in ("/", home):
        candidate = os.path.join(folder, SUFFIX)
        if _may_be_folder(candidate):
            yield candidate
        folder = os.path.dirname(folder)


def _may_be_folder(path: str) -> bool:
    """Whether a folder is there, or something that cannot be looked at: a link that leads nowhere, or whatever is behind a folder that
    was closed. Reading it says why it cannot be used; passing it by would lose what it forbids."""
    try:
        return stat.S_ISDIR(os.stat(path).st_mode)
    except OSError:
        return _may_be_there(path)


def _may_be_there(path: str) -> bool:
    """Whether something is there, or it cannot be known that nothing is."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def find_policies(paths: Sequence[str], places: Places) -> Discovery:
    """The policy files at `paths`, or those in `places` when no path is given; with every problem met on the way.

    What is found stood there at one time: when a link or a file is another one after everything was read, all of it is read again.
    """
    for _ in range(MAX_LOOKS):
        search = _look(paths, places)
        if search.still_holds():
            return search.result()
    search.problem("E501", ", ".join(paths) or places.org, "the policies change all the time while they are read")
    return search.result()


def _look(paths: Sequence[str], places: Places) -> _Search:
    search = _Search()
    if paths:
        for path in paths:
            search.root(path, "user", TIERS)
    else:
        search.optional(places.org, "org", TIERS)
        search.optional(places.user, "user", ("user", "session"))
        for folder in places.projects:
            search.project(folder, places.state)
    if not search.files and not search.problems:
        where = ", ".join([places.org, places.user, *places.projects])
        search.problem("E502", where, "no policy found", "name a file or folder, or put one there")
    return search


def _identity(path: str) -> tuple[int, ...]:
    """Which file or folder a path leads to, and which content of it; () for none."""
    try:
        return _identity_of(os.stat(path))
    except OSError:
        return ()


def _identity_of(found: os.stat_result) -> tuple[int, ...]:
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


def _listed(folder: str) -> tuple[os.stat_result, list[str]]:
    """A folder and the names in it, of one and the same folder: the path may lead elsewhere in between. Raises OSError."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        return os.fstat(handle), sorted(os.listdir(handle))
    finally:
        os.close(handle)


class _Search:
    """Files and problems met so far."""

    def __init__(self) -> None:
        self.files: list[PolicyFile] = []
        self.problems: list[Diagnostic] = []
        self.sources: dict[str, Source] = {}
        self._seen: set[str] = set()
        self._folders: set[tuple[int, int]] = set()
        self._bytes = 0
        self._looked: dict[str, tuple[int, ...]] = {}

    def still_holds(self) -> bool:
        """Whether all that was looked at is still what it was."""
        return all([_identity(path) == found for path, found in self._looked.items()])

    def problem(self, code: str, name: str, message: str, help_text: str = "", offset: int = 0) -> None:
        self.problems.append(Diagnostic(code, message, help_text, name, offset, offset))

    def result(self) -> Discovery:
        """What was found; files of one name are told apart by their paths."""
        names = [file.name for file in self.files]
        files = [f._replace(name=f.path) if names.count(f.name) > 1 else f for f in self.files] if names else []
        sources = {**self.sources, **{file.name: Source(file.name, file.text) for file in files}}
        return Discovery(tuple(files), tuple(self.problems), sources)

    def optional(self, root: str, tier: str, claims: tuple[str, ...]) -> None:
        """A place that need not exist; what does exist there must be readable."""
        if _may_be_there(root):
            self._folder(root, tier, True, claims)

    def project(self, folder: str, state: str) -> None:
        """A project's folder: trusted if its content is what the user has pinned."""
        from remit.trust import is_pinned

        before = len(self.files)
        self._folder(folder, "project", False, ("project",))
        found = self.files[before:]
        if found and is_pinned(folder, [(f.name, f.text, f.data) for f in found], state):
            self.files[before:] = [file._replace(trusted=True) for file in found]

    def root(self, path: str, tier: str, claims: tuple[str, ...]) -> None:
        """A file or folder named by the user; it must exist and hold a policy."""
        before = len(self.files), len(self.problems)
        if os.path.isdir(path):
            self._folder(path, tier, True, claims)
            if before == (len(self.files), len(self.problems)):
                self.problem("E502", path, f"no policy found: the folder holds no `*{SUFFIX}` file")
        else:
            self._file(path, os.path.basename(path), tier, True, claims)

    def _folder(self, root: str, tier: str, trusted: bool, claims: tuple[str, ...]) -> None:
        for path in self._walk(root, (), 0):
            if len(self.files) >= MAX_FILES:
                self.problem("E504", root, f"more than {MAX_FILES} policy files")
                return
            self._file(path, os.path.relpath(path, root), tier, trusted, claims)

    def _walk(self, folder: str, above: tuple[tuple[int, int], ...], depth: int) -> Iterator[str]:
        """Policy files below a folder, sorted; of a folder that links lead to as well, once. Hidden entries do not count: mounted
        volumes keep their versions in such."""
        self._looked[folder] = _identity(folder)
        try:
            found, names = _listed(folder)
            self._looked[folder] = _identity_of(found)
            identity = (found.st_dev, found.st_ino)
            if identity in above or depth > MAX_DEPTH:
                self.problem("E505", folder, "the folder contains itself, or is nested too deep")
                return
            if not self._enter(folder, identity):
                return
        except OSError as error:
            self.problem("E501", folder, f"the folder cannot be read: {error.strerror}")
            return
        for name in names:
            path = os.path.join(folder, name)
            if name.startswith("."):
                continue
            if self._is_folder(path):
                yield from self._walk(path, (*above, identity), depth + 1)
            elif name.endswith(SUFFIX):
                yield path

    def _is_folder(self, path: str) -> bool:
        """Whether an entry is a folder; a problem where that cannot be seen, unless it is a file by its name, or gone."""
        try:
            return stat.S_ISDIR(os.stat(path).st_mode)
        except OSError as error:
            if not path.endswith(SUFFIX) and _may_be_there(path):
                self.problem("E501", path, f"it cannot be seen whether this is a folder: {error.strerror}")
            return False

    def _enter(self, folder: str, identity: tuple[int, int]) -> bool:
        """Whether the folder is new and may be looked at. Past the limit the first is reported, and none is."""
        if identity in self._folders or len(self._folders) > MAX_FOLDERS:
            return False
        self._folders.add(identity)
        if len(self._folders) > MAX_FOLDERS:
            self.problem("E504", folder, f"more than {MAX_FOLDERS} folders")
        return len(self._folders) <= MAX_FOLDERS

    def _count(self, content: bytes, name: str) -> None:
        """Takes note of what was read; past the limit, once, with a problem."""
        before, self._bytes = self._bytes, self._bytes + len(content)
        if before <= MAX_TOTAL_BYTES < self._bytes:
            self.problem("E504", name, f"the policies and their data are longer than {MAX_TOTAL_BYTES} bytes together")

    def _file(self, path: str, name: str, tier: str, trusted: bool, claims: tuple[str, ...]) -> None:
        real = os.path.realpath(path)
        if real in self._seen or self._bytes > MAX_TOTAL_BYTES:
            return
        self._seen.add(real)
        text = self._read(path, name)
        if text is not None:
            data = tuple(sorted(self._data(path, text).items()))
            self.files.append(PolicyFile(name, path, text, tier, trusted, claims, data))

    def _read(self, path: str, name: str) -> str | None:
        self._looked[path] = _identity(path)
        try:
            content, found = read_seen(path, MAX_FILE_BYTES)
            self._looked[path] = _identity_of(found)
        except OSError as error:
            code = "E505" if error.errno == _TOO_MANY_LINKS else "E501"
            self.problem(code, name, f"the file cannot be read: {error.strerror or error}")
            return None
        self._count(content, name)
        if len(content) > MAX_FILE_BYTES:
            self.problem("E504", name, f"the file is longer than {MAX_FILE_BYTES} bytes", "split it into several files")
            return None
        try:
            return content.decode("utf-8").replace("\r\n", "\n")
        except UnicodeDecodeError as error:
            self.sources[name] = Source(name, content.decode("utf-8", "replace"))
            offset = len(content[: error.start].decode("utf-8"))
            self.problem("E503", name, f"the file is not UTF-8: byte {error.start}", "save it as UTF-8", offset)
            return None

    def _data(self, path: str, text: str) -> dict[str, str]:
        """The data files that a policy names, as far as they can be read; the compiler says which are missing."""
        data: dict[str, str] = {}
        if not _may_name_data(text):  # most policies have none; and importing `re` takes as long as half of a hook
            return data
        import re

        from remit_dsl.escapes import decode_string

        for match in re.finditer(_DATA, re.sub(_COMMENT_LINE, "", text)):
            name, _ = decode_string(match.group(1))
            if self._bytes > MAX_TOTAL_BYTES:
                break
            if name.startswith("/") or "\\" in name or "\0" in name or ".." in name.split("/"):
                continue
            place = os.path.join(os.path.dirname(path), name)
            self._looked[place] = _identity(place)
            try:
                content, found = read_seen(place, MAX_FILE_BYTES)
                self._looked[place] = _identity_of(found)
                self._count(content, name)
                if len(content) <= MAX_FILE_BYTES:
                    data[name] = content.decode("utf-8")
            except (OSError, UnicodeDecodeError):
                continue
        return data


def _may_name_data(text: str) -> bool:
    """Whether a text may hold `data NAME from "file"`: a `from` with a string, a comment, or very many blanks behind it."""
    at = text.find("from") if "data" in text else -1
    while at >= 0:
        if text[at + 4 : at + 64].lstrip()[:1] in ('"', "#", ""):
            return True
        at = text.find("from", at + 1)
    return False


_TOO_MANY_LINKS = 40  # ELOOP, errno(3) on Linux
