"""Path patterns that are filed later are found, and lose nothing of what was filed at once."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from remit_dsl import PolicySource, Source, compile_report
from remit_dsl.index import build_index, path_refs, with_path_patterns

RULES = """\
use std
deny a: fs.read(/etc/secret/**), fs.read(**/*.pem), Read(/srv/**) because "no"
deny b: fs.read(/srv/b), fs.write(/srv/b) because "no"
ask c: mcp__files__*(/opt/x) because "no"
"""
# A pattern, and a path that it matches.
ADDED = [
    pytest.param(["/", ["run", "secret", 2]], "/run/secret/x", id="words"),
    pytest.param(["/", ["srv", "b"]], "/srv/b", id="words that others have"),
    pytest.param(["/", ["Run", "SECRET"]], "/run/secret", id="another case"),
    pytest.param(["/", [2, [0, ".key"]]], "/a/b.key", id="an ending"),
    pytest.param(["/", [[0, "x"], "deep"]], "/ax/deep", id="a glob and a word"),
    pytest.param(["/", [2]], "/a/b", id="anything"),
]
PATHS = ["/run/secret/x", "/a/b.key", "/etc/secret", "/etc/secret/a.pem", "/srv/b", "/srv", "/", "/x.pem"]


@pytest.fixture(scope="module")
def rules() -> list[Any]:
    program = compile_report([PolicySource(Source("x.remit", RULES))]).program
    assert program is not None
    found: list[Any] = program.tables["rules"]
    return found


def refs_of(index: dict[str, Any], path: str) -> set[tuple[str, int, int]]:
    """What a look-up of the path gives in each part of the index."""
    buckets = [*index["caps"].items(), *index["subject"].items()]
    return {(name, at, place) for name, bucket in buckets for at, place in path_refs(bucket, (path,))}


def targets_of(rules: list[Any]) -> list[tuple[int, int]]:
    """The targets that take path patterns."""
    places = [(at, place) for at, row in enumerate(rules) for place in range(len(row[3]))]
    return [(at, place) for at, place in places if _takes_paths(rules[at][3][place])]


def _takes_paths(target: list[Any]) -> bool:
    return target[0] == "path" or (target[0] == "cap" and str(target[1]).startswith("fs."))


@pytest.mark.parametrize(("pattern", "path"), ADDED)
def test_a_pattern_is_found_and_nothing_is_lost(rules: list[Any], pattern: list[Any], path: str) -> None:
    index = build_index(rules)
    before = copy.deepcopy(index)
    assert len(targets_of(rules)) >= 5
    for at, place in targets_of(rules):
        target = rules[at][3][place]
        later = with_path_patterns(index, [(target, [at, place], [pattern])])
        assert index == before
        assert not isinstance(target[1], str) or (target[1], at, place) in refs_of(later, path)
        assert all(refs_of(index, other) <= refs_of(later, other) for other in PATHS)
        assert {**later, "caps": 0, "subject": 0} == {**index, "caps": 0, "subject": 0}


def test_several_targets_at_once(rules: list[Any]) -> None:
    added = [(rules[at][3][place], [at, place], [["/", ["new", "place"]]]) for at, place in targets_of(rules)]
    found = refs_of(with_path_patterns(build_index(rules), added), "/new/place")
    assert {(target[1], *ref) for target, ref, _ in added if isinstance(target[1], str)} <= found


def test_what_takes_tools_by_a_glob_is_found_by_any_call(rules: list[Any]) -> None:
    globs = [[at, place] for at, place in targets_of(rules) if not isinstance(rules[at][3][place][1], str)]
    index = build_index(rules)
    later = with_path_patterns(index, [(rules[at][3][place], [at, place], [["/", ["x"]]]) for at, place in globs])
    assert later == index
    assert all(ref in index["tool_any"] for ref in globs)
