"""Where text and words lead, on real folders with links, and compared with the operating system."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remit.facts import MAYBE, NO, YES
from remit.files import GivenFiles, NoFiles, RealFiles
from remit.paths import find_roots, match_path, resolve, resolve_word
from remit.roots import Roots
from remit.shell.words import Hole, Partial, Word
from remit_dsl.patterns import PathPattern, parse_path_pattern

ROOTS = Roots("/w", "/home/me", ("/w",))
NOTHING = NoFiles()
X = Hole("param", "$X", "X", False)
STAR = Hole("glob", "*", "", True)
HOME = Hole("tilde", "~", "", False)


def word(*parts: str | Hole) -> Partial:
    return Partial(parts, "source")


def pattern(text: str) -> PathPattern:
    found = parse_path_pattern(text)
    assert isinstance(found, PathPattern)
    return found


@pytest.fixture
def farm(tmp_path: Path) -> Path:
    """w/ with files and links of all kinds; h/ as a home."""
    base = tmp_path.resolve()
    for folder in ("w/src", "w/deep/er", "h/.ssh", "other"):
        (base / folder).mkdir(parents=True)
    for file in ("w/.env", "w/src/a.py", "h/.ssh/id", "other/x"):
        (base / file).touch()
    links = {
        "w/src/to_env": "../.env",
        "w/to_deep": "deep/er",
        "w/to_other": str(base / "other"),
        "w/chain": "to_other",
        "w/loop": "loop2",
        "w/loop2": "loop",
        "w/dangling": "nothing/here",
        "w/to_file": "src/a.py",
    }
    for name, target in links.items():
        (base / name).symlink_to(target)
    return base


def farm_roots(farm: Path) -> Roots:
    return find_roots(f"{farm}/w", f"{farm}/h", (), RealFiles())


# --- as text -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("a/b", "/w/a/b"),
        ("./a/./b/", "/w/a/b"),
        ("../a", "/a"),
        ("../../../a", "/a"),
        ("a/../b", "/w/b"),
        ("", "/w"),
        (".", "/w"),
        ("/", "/"),
        ("//etc//x", "/etc/x"),
        ("~", "/home/me"),
        ("~/x", "/home/me/x"),
        ("~/../x", "/home/x"),
        ("~+/x", "/w/x"),
        ("a~", "/w/a~"),
        ("/proc/self/cwd/x", "/proc/self/cwd/x"),
    ],
)
def test_spelling(text: str, path: str) -> None:
    fact = resolve(text, ROOTS, NOTHING)
    assert fact.paths[0] == path
    assert fact.source == text


@pytest.mark.parametrize(
    ("text", "suffix"),
    [
        ("a\0b", ""),
        ("x" * 4096, ""),
        ("é" * 2048, ""),
        ("\ud800", ""),
        ("~other/x", "/x"),
        ("~-/x/../y/z", "/y/z"),
    ],
)
def test_text_that_names_no_path_that_can_be_told(text: str, suffix: str) -> None:
    fact = resolve(text, ROOTS, NOTHING)
    assert (fact.paths, fact.prefix, fact.suffix) == ((), "", suffix)


def test_a_relative_path_in_a_folder_that_is_not_known() -> None:
    fact = resolve("a/../b/c", ROOTS.seen_from(""), NOTHING)
    assert (fact.paths, fact.suffix) == ((), "/b/c")


def test_no_home() -> None:
    assert resolve("~/x", Roots("/w", "", ("/w",)), NOTHING).paths == ()


# --- through links -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        pytest.param("src/a.py", ["w/src/a.py"], id="no link"),
        pytest.param("src/to_env", ["w/src/to_env", "w/.env"], id="relative link"),
        pytest.param("to_other/x", ["w/to_other/x", "other/x"], id="absolute link on the way"),
        pytest.param("chain/x", ["w/chain/x", "other/x"], id="link to a link"),
        pytest.param("to_deep/../x", ["w/x", "w/deep/x"], id="dots after a link are physical"),
        pytest.param("to_deep/new", ["w/to_deep/new", "w/deep/er/new"], id="a file that is not there yet"),
        pytest.param("dangling", ["w/dangling", "w/nothing/here"], id="dangling"),
        pytest.param("dangling/x", ["w/dangling/x", "w/nothing/here/x"], id="below a dangling link"),
        pytest.param("to_deep/../../to_file", ["to_file", "w/to_file", "w/src/a.py"], id="the link's own place too"),
        pytest.param("to_file/x", ["w/to_file/x", "w/src/a.py/x"], id="below a file"),
        pytest.param("/proc/self/cwd/.env", [None, "w/.env"], id="own working directory"),
        pytest.param("/proc/thread-self/root/proc/self/cwd/.env", [None, "w/.env"], id="own root"),
        pytest.param("~/.ssh/id", ["h/.ssh/id"], id="home"),
    ],
)
def test_links(farm: Path, text: str, paths: list[str | None]) -> None:
    wanted = tuple([text if path is None else f"{farm}/{path}" for path in paths])
    assert resolve(text, farm_roots(farm), RealFiles()).paths == wanted


@pytest.mark.parametrize(
    "text",
    [
        "loop",
        "loop/x",
        "/proc/1/cwd/x",
        "/proc/1/root",
        "/proc/self/exe",
        "/proc/self/fd/7",
        "/dev/fd/9",
        "/proc/self/task/1/cwd",
    ],
)
def test_places_that_cannot_be_told(farm: Path, text: str) -> None:
    assert resolve(text, farm_roots(farm), RealFiles()).paths == ()


@pytest.mark.parametrize("text", ["/dev/stdin", "/dev/stderr", "/dev/null", "/proc/self/fd/1", "/proc/1/status"])
def test_standard_descriptors_and_plain_process_files(text: str) -> None:
    assert resolve(text, ROOTS, GivenFiles([], {})).paths == (text,)


def test_too_many_links() -> None:
    files = GivenFiles(["/l0"], {f"/l{at}": f"l{at - 1}" for at in range(1, 60)})
    assert resolve("/l40", ROOTS, files).paths[-1] == "/l0"
    assert resolve("/l41", ROOTS, files).paths == ()


def test_a_link_that_cannot_be_read() -> None:
    class Broken(GivenFiles):
        def readlink(self, path: str) -> str | None:
            raise OSError(5, "Input/output error")

    assert resolve("x", ROOTS, Broken([], {})).paths == ()


def test_roots_have_both_spellings(farm: Path) -> None:
    roots = find_roots(f"{farm}/w/to_deep", f"{farm}/w/to_other", (f"{farm}/w/chain",), RealFiles())
    assert roots.homes[0] == f"{farm}/other"
    assert roots.workspace == (f"{farm}/w/chain", f"{farm}/other")
    inside = resolve(f"{farm}/w/chain/x", roots, RealFiles())
    assert match_path(pattern("./**"), inside, roots, False, False) == YES


names = st.sampled_from(["a", "b", "c", "d"])
walks = st.lists(st.sampled_from(["a", "b", "c", "d", "..", "."]), min_size=1, max_size=5).map("/".join)


@settings(max_examples=60)
@given(st.lists(st.tuples(names, names, st.sampled_from(["file", "folder", "link"]), walks), max_size=8), walks)
def test_real_spelling_agrees_with_the_operating_system(rows: list[tuple[str, str, str, str]], walk: str) -> None:
    """On random farms of links; where the system finds a loop, so do we."""
    with tempfile.TemporaryDirectory() as made:
        base = os.path.realpath(made)
        for folder, name, kind, target in rows:
            place = os.path.join(base, folder)
            if not os.path.lexists(place):
                os.mkdir(place)
            path = os.path.join(place, name) if os.path.isdir(place) and not os.path.islink(place) else place + name
            if not os.path.lexists(path):
                if kind == "link":
                    os.symlink(target, path)
                elif kind == "folder":
                    os.mkdir(path)
                else:
                    Path(path).touch()
        fact = resolve(walk, Roots(base, "", (base,)), RealFiles())
        full = os.path.join(base, walk)
        try:
            real = os.path.realpath(full, strict=True)
        except OSError as error:
            loops = error.errno == errno.ELOOP
            real = os.path.realpath(full) if fact.paths and not loops else ""
        assert (fact.paths[-1] if fact.paths else "") == real


# --- words ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given_word", "prefix", "suffix"),
    [
        pytest.param(word(X, "/x.py"), "", "/x.py", id="the end is known"),
        pytest.param(word(X, ".py"), "", ".py", id="the end of a name is known"),
        pytest.param(word(X, "/a/../b/./c"), "", "/b/c", id="dots in the end"),
        pytest.param(word(X, "./y"), "", "/y", id="the hole may make it two dots"),
        pytest.param(word(X, ".."), "", "", id="climbs"),
        pytest.param(word("/etc/", X), "", "", id="what follows may climb"),
        pytest.param(word("src/", STAR), "/w/src/", "", id="a glob cannot climb"),
        pytest.param(word("src/te", STAR, ".py"), "/w/src/te", ".py", id="a glob in a name"),
        pytest.param(word("/", STAR, "/x"), "/", "/x", id="a glob on the way"),
        pytest.param(word(STAR), "/w/", "", id="a glob alone"),
        pytest.param(word(".", STAR), "", "", id="a glob that spells a dot may climb"),
        pytest.param(word(STAR, "/../x"), "", "/x", id="climbs behind a glob"),
        pytest.param(word(Hole("glob", "@(..)", "", True), "/x"), "", "/x", id="extended glob"),
        pytest.param(word(STAR, "/", X), "", "", id="a glob and worse"),
    ],
)
def test_words_with_holes(given_word: Word, prefix: str, suffix: str) -> None:
    fact = resolve_word(given_word, ROOTS, NOTHING, {})
    assert (fact.paths, fact.prefix, fact.suffix) == ((), prefix, suffix)


@pytest.mark.parametrize(
    ("given_word", "path"),
    [
        pytest.param(word(HOME, "/x"), "/home/me/x", id="tilde"),
        pytest.param(word(Hole("param", "$D", "D", False), "/x"), "/opt dir/x", id="variable"),
        pytest.param(word(Hole("param", "$E", "E", True), "/x"), "/opt/x", id="variable that does not split"),
    ],
)
def test_holes_that_are_filled(given_word: Word, path: str) -> None:
    assert resolve_word(given_word, ROOTS, NOTHING, {"D": "/opt dir", "E": "/opt"}).paths == (path,)


def test_a_value_that_splits_is_not_filled_in() -> None:
    split = word(Hole("param", "$D", "D", True), "/x")
    assert resolve_word(split, ROOTS, NOTHING, {"D": "/opt dir"}).paths == ()
    assert resolve_word(split, ROOTS, NOTHING, {"D": "/o*"}).paths == ()
    assert resolve_word(split, ROOTS, NOTHING, {"D": ""}).paths == ()


def test_a_quoted_tilde_counts_in_both_readings() -> None:
    assert resolve_word("~/x", ROOTS, NOTHING, {}).paths == ("/home/me/x", "/w/~/x")


def test_a_glob_in_a_folder_that_is_not_known() -> None:
    fact = resolve_word(word(STAR, "/x"), ROOTS.seen_from(""), NOTHING, {})
    assert (fact.paths, fact.prefix, fact.suffix) == ((), "", "/x")


@pytest.mark.parametrize(
    ("parts", "rule", "truth"),
    [
        pytest.param(("src/", STAR), "**/.env", MAYBE, id="a link that the glob finds"),
        pytest.param(("src/a", STAR), "**/.env", NO, id="a link that it does not find"),
        pytest.param((STAR, "/x"), "/**/other/**", MAYBE, id="a linked folder on the way"),
        pytest.param(("loo", STAR), "/etc/**", MAYBE, id="a loop"),
        pytest.param(("deep/", STAR), "/etc/**", NO, id="no links"),
    ],
)
def test_what_a_glob_finds_behind_links(farm: Path, parts: tuple[str | Hole, ...], rule: str, truth: int) -> None:
    roots = farm_roots(farm)
    fact = resolve_word(Partial(parts, "s"), roots, RealFiles(), {})
    assert match_path(pattern(rule), fact, roots, True, False) == truth


def test_a_folder_too_large_to_look_at() -> None:
    files = GivenFiles([f"/w/big/{at}" for at in range(1200)], {"/w/big/zzz": "/etc/passwd"})
    fact = resolve_word(word("big/", STAR), ROOTS, files, {})
    assert match_path(pattern("/etc/passwd"), fact, ROOTS, True, False) == MAYBE
    assert match_path(pattern("./**"), fact, ROOTS, False, False) == MAYBE


@given(st.text(max_size=30))
def test_resolution_is_total(text: str) -> None:
    for files in (NOTHING, GivenFiles([], {}), RealFiles()):
        for path in resolve(text, ROOTS, files).paths:
            assert path == "/" or (path[0] == "/" and not {"", ".", ".."} & set(path[1:].split("/")))
