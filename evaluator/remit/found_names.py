"""Names of files that a command finds in a folder and hands to another one: `find … -exec`, `find … | xargs`, `grep -rl … | xargs`.

What is known of them is one word: a place below the folder, and the end that a filter asks for. Where a name could be read as something
else than one file below the folder (an option, two words, the folder itself), nothing is known, and the answer is None.
"""

from __future__ import annotations

from remit.accesses import Places
from remit.facts import Analysis, Inner, RoleUse, Unit
from remit.shell.words import Hole, Partial, Word
from remit_dsl.globs import glob_matches, parse_glob

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_NAMES = 2000
# Any depth; and any text in a name, a leading dot too, which the star of a shell does not find.
_DEEP = Hole("glob", "**", "", True)
_TEXT = Hole("glob", "…", "", True)
_FINDERS = frozenset(("find", "gfind", "bfs"))
_GREPS = frozenset(("grep", "egrep", "fgrep", "ggrep"))
_XARGS = frozenset(("xargs", "gxargs"))
# Tests of find(1) that only narrow what is found when they stand side by side, and what prints a name and nothing else.
_NARROWING = frozenset(
    ("-name", "-iname", "-path", "-type", "-size", "-mtime", "-mmin", "-newer", "-maxdepth", "-mindepth", "-perm", "-empty",
     "-user", "-group", "-print", "-print0", "-exec", "-a", "-and")
)  # fmt: skip
# Options of grep(1) beside which `-l` prints the names of files, one a line.
_LISTING = frozenset(
    ("-l", "-r", "-i", "-w", "-x", "-E", "-F", "-P", "-G", "-I", "-s", "-e", "-Z", "--include", "--exclude-dir")
)
# Options of xargs(1) that change neither where names come from nor what a name is.
_HANDING = frozenset(("-0", "-r", "-n", "-P", "-t", "-x", "-I", "-L"))
# What parts or unites names for xargs(1) without -0.
_PARTING = frozenset(" \t\n\v\f\r\"'\\")


def handed_words(item: Inner, unit: Unit, before: Unit | None, places: Places) -> tuple[tuple[Word, ...], ...] | None:
    """The commands that `unit` may run as `item`, with the names it finds, or is handed by the command `before` it in a pipe."""
    analysis = unit.analysis
    if analysis is None or not unit.known or unit.assignments:
        return None
    if unit.program in _FINDERS:
        return _executed(item, unit, analysis, places)
    if unit.program in _XARGS and before is not None:
        return _appended(item, analysis, before, places)
    return None


def _executed(item: Inner, unit: Unit, analysis: Analysis, places: Places) -> tuple[tuple[Word, ...], ...] | None:
    starter = max([option.place for option in analysis.options if option.place < item.place], default=0)
    if unit.argv[starter] != "-exec":  # -execdir names files as they are seen from their own folders
        return None
    name = _found(unit, starter, places)
    return None if name is None else (_replaced(item.words, "{}", name),)


def _appended(item: Inner, analysis: Analysis, before: Unit, places: Places) -> tuple[tuple[Word, ...], ...] | None:
    given = {option.name: option.value for option in analysis.options}
    name = _printed(before, places) if _HANDING.issuperset(given) else None
    if name is None:
        return None
    parted = "-0" in given
    if parted != _is_parted(before) or not _are_plain(name, places, parted):
        return None
    if "-I" in given:
        return (_replaced(item.words, str(given["-I"]), name),)
    with_name = (*item.words, name)
    return (with_name,) if "-r" in given else (with_name, item.words)  # without input it runs once, without a name


def _replaced(words: tuple[Word, ...], placeholder: str, name: Word) -> tuple[Word, ...]:
    """The words, where those that are the placeholder and nothing else are the name."""
    alone = (Hole("unknown", placeholder, "", False),)
    return tuple([name if isinstance(word, Partial) and word.parts == alone else word for word in words])


# --- what is found -------------------------------------------------------------------------------------------


def _printed(before: Unit, places: Places) -> Partial | None:
    """What the lines that a command prints are, if each is the name of a file that it found."""
    analysis = before.analysis
    if analysis is None or not before.known or before.assignments:
        return None
    names = [option.name for option in analysis.options]
    if before.program in _FINDERS:
        ends = [option.place for option in analysis.options if option.name in ("-print", "-print0", "-exec")]
        return None if "-exec" in names else _found(before, min(ends, default=len(before.argv)), places)
    if before.program in _GREPS and "-l" in names and "-r" in names and _LISTING.issuperset(names):
        bare = any(use.kind == "read" and use.place == 0 for use in analysis.roles)
        if bare and not (len(places.cwds) == 1 and not places.has_options(places.cwds[0])):
            return None  # names that are printed without a folder in front may look like options
        return _below(analysis, "", places)
    return None


def _is_parted(before: Unit) -> bool:
    """Whether a NUL byte ends every name that is printed."""
    options = before.analysis.options if before.analysis is not None else ()
    names = {option.name for option in options}
    return "-print0" in names or "-Z" in names


def _found(unit: Unit, until: int, places: Places) -> Partial | None:
    """What `find` finds by the tests that stand before the word `until`, as it is spelled there."""
    analysis = unit.analysis
    assert analysis is not None
    if not all(option.sure and option.name in _NARROWING for option in analysis.options):
        return None
    if any(word in ("!", "(", ")", ",", "-o", "-or", "-not") for word in unit.argv[1:]):
        return None
    tests = {option.name: option.value for option in analysis.options if option.place < until}
    ends = [option.value for option in analysis.options if option.name == "-name" and option.place < until]
    end = ends[0] if ends and type(ends[0]) is str and not set(ends[0]) & set("?[\\/") else ""
    if tests.get("-type") != "f" and not end:
        return None
    return _below(analysis, end, places, tests.get("-type") == "f")


def _below(analysis: Analysis, end: str, places: Places, files_only: bool = True) -> Partial | None:
    """A name below the one folder that a command goes through; None where the folder may be found as well."""
    roots = [use for use in analysis.roles if use.kind == "read"]
    if len(roots) != 1 or not roots[0].sure or type(roots[0].word) is not str or roots[0].word[:1] in ("", "-"):
        return None
    root = roots[0].word
    folders = places.folders(root)
    if not (files_only and _is_folder(folders, places)):
        own = root.rstrip("/").rsplit("/", 1)[-1]
        if not end or glob_matches(parse_glob(end, question=False, classes=False), own):
            return None
    return deep_word(root, end)


def _is_folder(folders: tuple[str, ...], places: Places) -> bool:
    """Whether each of them, and there is one, holds something."""
    return bool(folders) and all(any(True for _ in places.files.scan(folder)) for folder in folders)


def deep_word(root: str, end: str) -> Partial:
    """A name at any depth below `root`. end: what its last part matches, with stars that find dots too ("": anything)."""
    start = root.rstrip("/") + "/"
    if not end:
        return Partial((start, _DEEP), f"{start}**")
    parts: list[str | Hole] = []
    for number, text in enumerate(end.split("*")):
        parts += [_TEXT] if number else []
        parts += [text] if text else []
    first = parts[0]
    named = ("/" + first, *parts[1:]) if isinstance(first, str) else ("/", *parts)
    return Partial((start, _DEEP, *named), f"{start}**/{end}")


def _are_plain(name: Partial, places: Places, parted: bool) -> bool:
    """Whether xargs hands on every name below the folder as one word."""
    if parted:
        return True
    if _PARTING & set(name.prefix):
        return False
    folders = places.folders(name.prefix)
    return bool(folders) and all(_plain_below(folder, places) for folder in folders)


def _plain_below(folder: str, places: Places) -> bool:
    seen, queue = 0, [folder]
    for place in queue:
        for entry, is_folder in places.files.scan(place):
            seen += 1
            if seen > MAX_NAMES or not _PARTING.isdisjoint(entry):
                return False
            if is_folder:
                queue.append(f"{place.rstrip('/')}/{entry}")
    return True


# --- filters -------------------------------------------------------------------------------------------------


def narrowed_roles(program: str, analysis: Analysis, places: Places) -> tuple[RoleUse, ...]:
    """The roles of a command, where a tree that `grep --include` or `rg -g` narrows is what may match in it."""
    narrowing = "--include" if program in _GREPS else "-g" if program == "rg" else ""
    names = {option.name for option in analysis.options}
    ends = [option.value for option in analysis.options if option.name == narrowing]
    # Of these and `--include` the last that fits decides (grep(1)); so it is for `!` and --iglob (rg(1)).
    if not ends or not names.isdisjoint(("--exclude", "--exclude-from", "-d", "--iglob")):
        return analysis.roles
    if not all(type(end) is str and end and not set(end) & set("?[\\/{!") for end in ends):
        return analysis.roles
    return tuple(_narrowed(analysis.roles, [str(end) for end in ends], places))


def _narrowed(roles: tuple[RoleUse, ...], ends: list[str], places: Places) -> Iterator[RoleUse]:
    for use in roles:
        folders = places.folders(use.word) if use.tree and use.kind == "read" and type(use.word) is str else ()
        if _is_folder(folders, places):
            yield use._replace(tree=False)  # the folder itself
            yield from [use._replace(word=deep_word(str(use.word), end), tree=False) for end in ends]
        else:
            yield use
