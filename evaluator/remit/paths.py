"""Where paths lead: text and words -> PathFact. Follows path_resolution(7); what cannot be told is left unknown."""

from __future__ import annotations

import posixpath

from remit.facts import PathFact
from remit.files import AccountFiles, FileSystem, GivenFiles, NoFiles, RealFiles
from remit.match_paths import match_path
from remit.match_words import word_glob
from remit.roots import Roots, split_path
from remit.shell.words import Hole, Partial, Word
from remit_dsl.globs import ANY_DEPTH, glob_matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

__all__ = [
    "FileSystem",
    "GivenFiles",
    "NoFiles",
    "RealFiles",
    "Roots",
    "find_roots",
    "match_path",
    "resolve",
    "resolve_word",
]

MAX_PATH_BYTES = 4096  # PATH_MAX, linux/limits.h; it counts the closing NUL
MAX_COMPONENTS = 64  # of a word with holes: patterns are compared with all of them
MAX_LINKS = 40  # path_resolution(7)
MAX_ENTRIES = 1000  # entries of folders that a shell's glob is compared with
MAX_DEEP = 2000  # entries below a folder in which links are looked for


def find_roots(cwd: str, home: str, workspace: tuple[str, ...], files: FileSystem) -> Roots:
    """Roots with both spellings, as given and real, of home and workspace (cwd when there is none). `~` in a pattern means the
    account's own home too: HOME can be set by whoever starts the agent, or by a project's settings."""
    return _FoundRoots(cwd, home, workspace or (cwd,), files)


class _FoundRoots(Roots):
    """Roots whose spellings are found when they are first asked for: most calls never ask, and links cost system calls to follow."""

    __slots__ = ("_files", "_folders", "_found_homes", "_found_workspace")

    def __init__(self, cwd: str, home: str, folders: tuple[str, ...], files: FileSystem) -> None:
        self.cwd = cwd
        self.home = home
        self._folders = folders
        self._files = files
        self._found_workspace: tuple[str, ...] | None = None
        self._found_homes: tuple[str, ...] | None = None

    @property
    def workspace(self) -> tuple[str, ...]:
        if self._found_workspace is None:
            self._found_workspace = self._spellings(self._folders)
        return self._found_workspace

    @property
    def homes(self) -> tuple[str, ...]:
        if self._found_homes is None:
            own = self._files.own_home()
            folders = (self.home, own) if own is not None and own != self.home else (self.home,)
            self._found_homes = tuple([path for path in self._spellings(folders) if path != self.home])
        return self._found_homes

    @property
    def sure_homes(self) -> tuple[str, ...]:
        if isinstance(self._files, AccountFiles):
            return self._spellings((self._files.home,))
        return super().sure_homes

    def _spellings(self, folders: tuple[str, ...]) -> tuple[str, ...]:
        bare = Roots(self.cwd, self.home, ())
        found = [path for folder in folders if folder for path in resolve(folder, bare, self._files).paths]
        return tuple(dict.fromkeys(found))


# --- plain text ----------------------------------------------------------------------------------------------


def resolve(text: str, roots: Roots, files: FileSystem, *, tilde: bool = True) -> PathFact:
    """Where `text` leads from the working directory; a leading `~` means home unless `tilde` is off.

    Its spellings: as given (`.` and `..` removed as text), real (links followed) and, where it is a link itself, that
    link's own place. None is known for text that cannot be a path, for a loop and for another process's folders.
    """
    if not _is_path(text):
        return _unknown(text)
    full = text
    if text[:1] == "~" and tilde:
        opened = _open_tilde(text, roots, files)
        if opened is None:
            return _unknown(text, _known_end("".join(text.partition("/")[1:])))
        full = opened
    elif text[:1] != "/":
        if not roots.cwd:
            return _unknown(text, _known_end("/" + text))
        full = f"{roots.cwd}/{text}"
    spelled = _clean(full)
    if type(files) is NoFiles and not spelled.startswith(("/proc/", "/dev/")):
        return PathFact((spelled,), "", "", False, text)
    real = _real_paths(full, roots, files)
    if real is None:
        return _unknown(text)
    paths = (spelled,) if real == (spelled,) else tuple(dict.fromkeys((spelled, *real)))
    return PathFact(paths, "", "", files.folds_case(spelled), text)


def _is_path(text: str) -> bool:
    if "\0" in text:
        return False
    if text.isascii():
        return len(text) < MAX_PATH_BYTES
    try:
        return len(text.encode("utf-8", "surrogateescape")) < MAX_PATH_BYTES
    except UnicodeEncodeError:
        return False


def _unknown(source: str, suffix: str = "") -> PathFact:
    return PathFact((), "", suffix, False, source)


def _open_tilde(text: str, roots: Roots, files: FileSystem) -> str | None:
    """The text with its tilde prefix replaced (bash(1) "Tilde Expansion"), or None."""
    user, slash, rest = text[1:].partition("/")
    home = roots.home if not user else roots.cwd if user == "+" else files.home_of(user)
    return f"{home}{slash}{rest}" if home else None


def _clean(path: str) -> str:
    """An absolute path with `.`, `..` and doubled slashes removed as text."""
    cleaned = posixpath.normpath(path)
    return cleaned[1:] if cleaned.startswith("//") else cleaned


def _known_end(text: str) -> str:
    """What is known of the end of a path that goes on with `text` behind a start that is not known.

    That is whole components after the last `..`; without one, the end of a component may stand before them.
    """
    first, *others = text.split("/")
    kept: list[str] = []
    for name in others:
        if name == "..":
            kept, first = [], ""
        elif name not in ("", "."):
            kept.append(name)
    if kept:
        return "/".join(["" if set(first) <= {"."} else first, *kept])
    return "" if set(first) <= {"."} else first


def _real_paths(full: str, roots: Roots, files: FileSystem) -> tuple[str, ...] | None:
    """The place of what an absolute path names, and where that leads if it is a link; None when it cannot be told."""
    pending = full.rstrip("/").split("/")[::-1]
    real, own, links = "", "", 0
    while pending:
        name = pending.pop()
        if name in ("", "."):
            continue
        if name == "..":
            real = real.rpartition("/")[0]
            continue
        here = f"{real}/{name}"
        own = own or (here if not pending else "")
        try:
            target = files.readlink(here) if not here.startswith(_SPECIAL) else _special(here, roots, files)
        except (OSError, ValueError):
            return None
        if target is None:
            real = here
            continue
        links += 1
        if links > MAX_LINKS or not target:
            return None
        real = "" if target[0] == "/" else real
        pending += target.split("/")[::-1]
    return (own or real or "/", real or "/")


_SPECIAL = ("/proc/", "/dev/")
_STANDARD = frozenset(("/dev/stdin", "/dev/stdout", "/dev/stderr"))
_OWN_PROCESS = frozenset(("self", "thread-self"))
_PROCESS_LINKS = frozenset(("cwd", "root", "exe", "fd", "task", "map_files"))


def _special(here: str, roots: Roots, files: FileSystem) -> str | None:
    """The link at `here` as the command's own process sees it (proc(5)); "" when that is not known. The standard
    descriptors are no links: whatever they are opened on was opened before."""
    if here in _STANDARD:
        return None
    if here == "/dev/fd":
        return "/proc/self/fd"
    if not here.startswith("/proc/"):
        return files.readlink(here)
    who, _, what = here[6:].partition("/")
    if who not in _OWN_PROCESS and not who.isdigit():
        return files.readlink(here)
    kind, _, rest = what.partition("/")
    if kind not in _PROCESS_LINKS or (kind == "fd" and not rest and who in _OWN_PROCESS):
        return None
    if who in _OWN_PROCESS and not rest and kind in ("cwd", "root"):
        return roots.cwd if kind == "cwd" else "/"
    return None if who in _OWN_PROCESS and kind == "fd" and rest in ("0", "1", "2") else ""


# --- words ---------------------------------------------------------------------------------------------------


def resolve_word(word: Word, roots: Roots, files: FileSystem, variables: Mapping[str, Word]) -> PathFact:
    """Where a word of a command leads. Holes are filled from `variables` and home where that is certain.

    A tilde that is plain text was quoted; as some programs open it all the same, both readings count.
    """
    if isinstance(word, Partial):
        word = _fill(word, roots, files, variables)
    if not isinstance(word, str):
        return _resolve_partial(word, roots, files)
    fact = resolve(word, roots, files, tilde=False)
    if word[:1] != "~":
        return fact
    opened = resolve(word, roots, files)
    if not fact.paths or not opened.paths:
        return _unknown(word)
    return fact._replace(paths=tuple(dict.fromkeys((*opened.paths, *fact.paths))), fold=fact.fold or opened.fold)


def _fill(word: Partial, roots: Roots, files: FileSystem, variables: Mapping[str, Word]) -> Word:
    parts: list[str | Hole] = []
    for part in word.parts:
        value: Word | None = None
        if not isinstance(part, str) and part.kind == "tilde":
            value = _open_tilde(part.text, roots, files)
        elif not isinstance(part, str) and part.kind == "param" and part.name:
            value = variables.get(part.name)
            value = None if value is not None and part.many and _splits(value) else value
        parts += [part] if value is None else [value] if isinstance(value, str) else value.parts
    if all(isinstance(part, str) for part in parts):
        return "".join([str(part) for part in parts])
    return Partial(tuple(parts), word.source)


def _splits(value: Word) -> bool:
    """Whether an unquoted value may become other words than itself (bash(1) "Word Splitting", "Pathname Expansion")."""
    return not isinstance(value, str) or not value or any(char in value for char in " \t\n*?[\\")


def _resolve_partial(word: Partial, roots: Roots, files: FileSystem) -> PathFact:
    components = _components(word)
    if len(components) > MAX_COMPONENTS or len(word.source) > MAX_PATH_BYTES:
        return _unknown(word.source)
    at = next((at for at, part in enumerate(components) if not isinstance(part, str)), 0)
    opening = "/".join([part for part in components[:at] if isinstance(part, str)])
    rest = components[at:]
    if any(_may_climb(part) for part in rest):
        return _unknown(word.source, _known_end(word.suffix))
    if at and not opening:
        opening = "/"
    start = resolve(opening, roots, files, tilde=False)
    if not start.paths:
        return _unknown(word.source, _known_end(word.suffix))
    parts = tuple([_part(part) for part in rest if part not in ("", ".")])
    shapes = [(*split_path(path), *parts) for path in start.paths]
    shapes += _behind_links(start.paths[-1], parts, roots, files)
    first = rest[0]
    prefix = f"{start.paths[0].rstrip('/')}/{first.prefix if isinstance(first, Partial) else ''}"
    return PathFact((), prefix, _known_end(word.suffix), start.fold, word.source, tuple(shapes))


def _components(word: Partial) -> list[str | Partial]:
    """The word cut at the slashes of its known text."""
    rows: list[list[str | Hole]] = [[]]
    for part in word.parts:
        if not isinstance(part, str):
            rows[-1].append(part)
            continue
        first, *others = part.split("/")
        rows[-1].append(first)
        rows += [[name] for name in others]
    return [_component([part for part in row if part != ""]) for row in rows]


def _component(row: list[str | Hole]) -> str | Partial:
    if all(isinstance(part, str) for part in row):
        return "".join([str(part) for part in row])
    return Partial(tuple(row), "".join([part if isinstance(part, str) else part.text for part in row]))


def _may_climb(component: str | Partial) -> bool:
    """Whether a component may turn out to be `..`, or to hold a slash.

    Only a plain glob cannot: it finds names, and those two only where it spells their dots (bash(1) "Pathname Expansion").
    """
    if isinstance(component, str):
        return component == ".."
    if component.prefix and set(component.prefix) == {"."}:
        return True
    holes = [part for part in component.parts if not isinstance(part, str)]
    return any(hole.kind != "glob" or "(" in hole.text or "/" in hole.text for hole in holes)


def _part(component: str | Partial) -> Any:
    if isinstance(component, str):
        return component
    stars = "".join([part if isinstance(part, str) else part.text for part in component.parts])
    return ANY_DEPTH if "**" in stars else word_glob(component)


def _behind_links(folder: str, parts: tuple[Any, ...], roots: Roots, files: FileSystem) -> list[tuple[Any, ...]]:
    """Shapes of what a glob finds behind links: where each leads; everything, if there is too much to look at."""
    found: list[tuple[Any, ...]] = []
    queue: list[tuple[str, tuple[Any, ...], bool]] = [(folder, parts, False)]
    seen = 0
    for place, ahead, linked in queue:
        if ahead[0] == ANY_DEPTH:
            below = _links_below(place, roots, files)
            if below is None:
                return [(ANY_DEPTH,)]
            found += below if not linked else [*below, (*split_path(place), ANY_DEPTH)]
            continue
        for name, is_folder in _entries(place, ahead[0], files):
            seen += 1
            if seen > MAX_ENTRIES:
                return [(ANY_DEPTH,)]
            if (is_folder is False and not linked) or not glob_matches(ahead[0], name):
                continue
            path = f"{place.rstrip('/')}/{name}"
            goals = resolve(path, roots, files).paths if is_folder is None else (path,)
            if not goals:
                return [(ANY_DEPTH,)]
            through = linked or goals[-1] != path
            if len(ahead) > 1:
                queue.append((goals[-1], ahead[1:], through))
            elif through:
                found.append(split_path(goals[-1]))
    return found


def _links_below(folder: str, roots: Roots, files: FileSystem) -> list[tuple[Any, ...]] | None:
    """Shapes of all that links below a folder lead to, and those behind them; None if there is too much to look at."""
    found: list[tuple[Any, ...]] = []
    queue, known = [folder], {folder}
    seen = 0
    for place in queue:
        for name, is_folder in files.scan(place):
            seen += 1
            path = f"{place.rstrip('/')}/{name}"
            goals = resolve(path, roots, files).paths if is_folder is None else (path,)
            if seen > MAX_DEEP or not goals:
                return None
            if is_folder is None:
                found.append((*split_path(goals[-1]), ANY_DEPTH))
            if is_folder is not False and goals[-1] not in known:
                known.add(goals[-1])
                queue.append(goals[-1])
    return found


def _entries(place: str, part: Any, files: FileSystem) -> Iterable[tuple[str, bool | None]]:
    """The entries of a folder that a part may match; a literal one is not searched for."""
    return [(part, None)] if isinstance(part, str) else files.scan(place)
