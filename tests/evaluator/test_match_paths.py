"""Path patterns on paths: widely and narrowly, on trees, on what is only partly known."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.facts import MAYBE, NO, YES, PathFact
from remit.files import NoFiles
from remit.match_paths import match_path, parts_cover, parts_overlap
from remit.paths import resolve_word
from remit.roots import Roots
from remit.shell.words import Hole, Partial
from remit_dsl.globs import ANY
from remit_dsl.patterns import ANY_DEPTH, PathPattern, parse_path_pattern, to_json

ROOTS = Roots("/w", "/home/me", ("/w", "/mnt/w"), ("/data/me",))
HOMELESS = Roots("/w", "", ())
WORK = Roots("/w", "/home/me", ("/w",), ("/data/me",))
STAR = Hole("glob", "*", "", True)
X = Hole("param", "$X", "X", False)


def pattern(text: str) -> PathPattern:
    found = parse_path_pattern(text)
    assert isinstance(found, PathPattern)
    return found


def known(*paths: str, fold: bool = False) -> PathFact:
    return PathFact(paths, "", "", fold, "")


def truths(text: str, fact: PathFact, tree: bool = False, roots: Roots = ROOTS) -> tuple[int, int]:
    """Widely and narrowly."""
    found = pattern(text)
    return match_path(found, fact, roots, True, tree), match_path(found, fact, roots, False, tree)


@pytest.mark.parametrize(
    ("text", "path", "wide", "narrow"),
    [
        ("/etc/passwd", "/etc/passwd", YES, YES),
        ("/etc", "/etc/passwd", YES, NO),
        ("/etc/**", "/etc/a/b", YES, YES),
        ("/etc/**", "/etc", YES, YES),
        ("/etc/**", "/etcetera", NO, NO),
        ("/etc/*", "/etc/a/b", YES, NO),
        ("/", "/", YES, YES),
        ("**", "/", YES, YES),
        ("~/.ssh/**", "/home/me/.ssh/id", YES, YES),
        ("~/.ssh/**", "/data/me/.ssh/id", YES, YES),
        ("~/.ssh/**", "/home/you/.ssh/id", NO, NO),
        ("~", "/home/me", YES, YES),
        ("./src/*.py", "/w/src/a.py", YES, YES),
        ("./src/*.py", "/mnt/w/src/a.py", YES, YES),
        ("./src/*.py", "/w/src/sub/a.py", NO, NO),
        ("./**", "/w", YES, YES),
        ("./**", "/ww/a", NO, NO),
        ("**/.env", "/srv/app/.env", YES, YES),
        ("**/.env", "/srv/app/.env/below", YES, NO),
        ("**/.env", "/srv/app/x.env", NO, NO),
        (".env", "/srv/app/.env", YES, NO),
        (".env", "/w/app/.env", YES, YES),
        ("src/*.py", "/w/x/src/a.py", YES, YES),
        ("a/**/b", "/x/a/b", YES, NO),
        ("a/**/b", "/w/a/1/2/b", YES, YES),
        ("a/**/b/**/c", "/w/a/b/b/x/c", YES, YES),
        ("a/**/b/**/c", "/w/a/x/c/b", NO, NO),
    ],
)
def test_known_paths(text: str, path: str, wide: int, narrow: int) -> None:
    assert truths(text, known(path)) == (wide, narrow)


def test_one_spelling_is_enough_to_restrict_and_all_are_needed_to_permit() -> None:
    both = known("/w/link", "/etc/passwd")
    assert truths("/etc/**", both) == (YES, NO)
    assert truths("./**", both) == (YES, NO)
    assert truths("**", both) == (YES, YES)


def test_folding() -> None:
    assert truths("**/.ENV", known("/w/.env")) == (NO, NO)
    assert truths("**/.ENV", known("/w/.env", fold=True)) == (YES, YES)
    assert truths("./SRC/**", known("/W/src/a", fold=True)) == (YES, YES)
    assert match_path(pattern("./a/B"), known("/W/A", fold=True), ROOTS, True, True) == YES


def test_roots_that_are_not_known() -> None:
    for text in ("~/x", "./x"):
        assert truths(text, known("/home/me/x"), roots=HOMELESS) == (MAYBE, NO)
    assert truths("x", known("/home/me/x"), roots=HOMELESS) == (YES, NO)


@pytest.mark.parametrize(
    ("text", "path", "wide", "narrow"),
    [
        pytest.param("~/.ssh/**", "/home/me", YES, NO, id="the pattern lies in the tree"),
        pytest.param("~/.ssh/**", "/home/me/.ssh", YES, YES, id="the tree is what it names"),
        pytest.param("~/.ssh/**", "/home/you", NO, NO, id="elsewhere"),
        pytest.param("~/.ssh/id", "/", YES, NO, id="from the root"),
        pytest.param("/etc/passwd", "/etc/passwd/x", YES, NO, id="below what it names"),
        pytest.param("./src", "/w/src", YES, NO, id="permission for a folder is none for its tree"),
        pytest.param("./**", "/w/src", YES, YES, id="inside"),
        pytest.param("./*/secret", "/w/a", MAYBE, NO, id="a glob on the way"),
        pytest.param("./**/.env", "/w/a", MAYBE, NO, id="any depth on the way"),
        pytest.param("./**/.env", "/w", MAYBE, NO, id="any depth, from the anchor"),
        pytest.param("**/.env", "/w", NO, NO, id="floating: the real tree is looked at"),
        pytest.param(".env", "/w", NO, NO, id="bare: likewise"),
        pytest.param("**/secrets/*.pem", "/w/secrets", MAYBE, NO, id="floating, begun"),
        pytest.param("**/secrets/*.pem", "/w/other", NO, NO, id="floating, not begun"),
        pytest.param("**/a/**/b", "/w/a/c", MAYBE, NO, id="floating, begun further up"),
        pytest.param("**", "/", YES, YES, id="everything"),
    ],
)
def test_trees(text: str, path: str, wide: int, narrow: int) -> None:
    assert truths(text, known(path), tree=True) == (wide, narrow)


@pytest.mark.parametrize(
    ("text", "parts", "wide", "narrow"),
    [
        pytest.param("**", (X,), YES, YES, id="everything"),
        pytest.param("/etc/**", (X,), MAYBE, MAYBE, id="nothing is known"),
        pytest.param("/etc/**", ("/etc/", X), MAYBE, MAYBE, id="it may climb out"),
        pytest.param("**/.env", (X, "/.env"), YES, MAYBE, id="its end"),
        pytest.param("**/*.pem", (X, ".pem"), YES, MAYBE, id="the end of its name"),
        pytest.param("**/*.pem", (X, "/x.py"), MAYBE, MAYBE, id="it may lie below"),
        pytest.param("**/.env", (STAR,), NO, NO, id="a glob finds nothing hidden"),
        pytest.param("**/.env", ("src/", STAR), NO, NO, id="nor in a folder"),
        pytest.param("**/.env", ("src/.e", STAR), MAYBE, MAYBE, id="unless spelled"),
        pytest.param("~/.ssh/**", ("src/", STAR), NO, NO, id="a glob stays where it is"),
        pytest.param("./src/**", ("src/", STAR), YES, YES, id="inside"),
        pytest.param("./src/*.py", ("src/", STAR, ".py"), YES, YES, id="glob in glob"),
        pytest.param("./src/t*.py", ("src/", STAR, ".py"), MAYBE, MAYBE, id="glob beside glob"),
        pytest.param("./*/a", (STAR, "/a"), YES, YES, id="component by component"),
        pytest.param("./src/**", (STAR, "/a"), MAYBE, MAYBE, id="one of many folders"),
        pytest.param("src", (STAR, "/a"), MAYBE, NO, id="bare, one of many folders"),
    ],
)
def test_words_with_holes(text: str, parts: tuple[str | Hole, ...], wide: int, narrow: int) -> None:
    fact = resolve_word(Partial(parts, "s"), WORK, NoFiles(), {})
    assert truths(text, fact, roots=WORK) == (wide, narrow)


def test_a_prefix_alone() -> None:
    """As for the rest of a tree that is too large: it is below the folder, and no more is known."""
    rest = PathFact((), "/w/big/", "", False, "")
    assert truths("/etc/**", rest) == (NO, NO)
    assert truths("**/.env", rest) == (MAYBE, MAYBE)
    assert truths("./**", rest) == (YES, YES)
    begun = PathFact((), "/w/bi", "", False, "")
    assert truths("./big/**", begun) == (MAYBE, MAYBE)
    assert truths("./small/**", begun) == (NO, NO)


def test_the_tree_below_a_word_with_holes() -> None:
    fact = resolve_word(Partial(("src/", STAR), "s"), ROOTS, NoFiles(), {})
    assert match_path(pattern("**/.env"), fact, ROOTS, True, True) == NO  # the real tree tells
    assert match_path(pattern("**/src"), fact, ROOTS, True, True) == YES
    assert match_path(pattern("**/src/x/y"), fact, ROOTS, True, True) == MAYBE
    assert match_path(pattern("./src/a/.env"), fact, ROOTS, True, True) == MAYBE
    assert match_path(pattern("./src/**"), fact, ROOTS, False, True) == YES
    assert match_path(pattern("./src/*"), fact, ROOTS, False, True) == NO


# --- laws ----------------------------------------------------------------------------------------------------

names = st.sampled_from(["a", "b", "ab", ".a"])
parts = st.lists(st.one_of(names, st.just(ANY_DEPTH), st.sampled_from([("a", ANY), (ANY, "b")])), max_size=4).map(tuple)
paths = st.lists(names, max_size=4).map(lambda comps: "/" + "/".join(comps))
anchors = st.sampled_from("/~.*")
roots = st.builds(lambda cwd, home: Roots(cwd, home, (cwd,)), paths, paths)


def absolute(row: tuple[Any, ...]) -> PathPattern:
    return PathPattern("/", row)


@given(anchors, parts, paths, paths, roots, st.booleans())
def test_what_is_permitted_is_restricted(
    anchor: str, row: tuple[Any, ...], one: str, two: str, around: Roots, tree: bool
) -> None:
    """No pattern matches narrowly where it does not match widely."""
    rule, fact = PathPattern(anchor, row), known(one, two)
    narrow = match_path(rule, fact, around, False, tree)
    assert narrow <= match_path(rule, fact, around, True, tree)
    assert narrow == match_path(to_json(rule), fact, around, False, tree)


@given(parts, parts, paths)
def test_rows_against_rows(one: tuple[Any, ...], two: tuple[Any, ...], path: str) -> None:
    """A path in both is an overlap; what covers another matches all of its paths."""
    in_one, in_two = (match_path(absolute(row), known(path), ROOTS, False, False) == YES for row in (one, two))
    assert parts_overlap(one, two) == parts_overlap(two, one)
    if in_one and in_two:
        assert parts_overlap(one, two)
    if parts_cover(one, two) and in_two:
        assert in_one


@given(
    anchors,
    parts,
    st.lists(st.one_of(names, st.just("/"), st.just(X), st.just(STAR)), min_size=1, max_size=5),
    st.data(),
)
def test_answers_hold_for_every_filling(
    anchor: str, row: tuple[Any, ...], pieces: list[str | Hole], data: st.DataObject
) -> None:
    """What is said of a word with holes holds for all that it may become: holes hold anything, globs one name's letters."""
    around = Roots("/w/a", "/h", ("/w",))
    rule = PathPattern(anchor, row)
    fact = resolve_word(Partial(tuple(pieces), "s"), around, NoFiles(), {})
    plain = st.sampled_from(["a", "b", "xa"])
    anything = st.sampled_from(["", "a", "..", "/", "/h/a", "a/../../b", ".a"])
    filled = "".join([p if isinstance(p, str) else data.draw(plain if p is STAR else anything) for p in pieces])
    truth = resolve_word(filled, around, NoFiles(), {})
    for wide in (True, False):
        answer = match_path(rule, fact, around, wide, False)
        if answer != MAYBE:
            assert match_path(rule, truth, around, wide, False) == answer
