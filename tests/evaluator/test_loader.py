"""Policies from disk to program: all or nothing, what costs what, and the cache."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from remit.cache import key_of, load_cached, store
from remit.errors import LoadError
from remit.loader import Loader, program_of_text
from remit.policy_files import Places, find_policies
from remit_dsl.program import TIERS

RULE = "deny a: Bash(curl *)\nuse std\n"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "remit"


@pytest.fixture
def policies(tmp_path: Path) -> Path:
    folder = tmp_path / "policies"
    (folder / "sub").mkdir(parents=True)
    (folder / "one.remit").write_text(RULE)
    (folder / "sub" / "two.remit").write_text("ask b: Bash(wget *)\n")
    return folder


def places(tmp_path: Path, *projects: str) -> Places:
    return Places(
        str(tmp_path / "org"),
        str(tmp_path / "user"),
        tuple(str(tmp_path / p) for p in projects),
        str(tmp_path / "state"),
    )


def failure(*paths: Path) -> LoadError:
    with pytest.raises(LoadError) as caught:
        Loader([str(path) for path in paths]).load()
    return caught.value


def test_rules_say_where_they_come_from(policies: Path) -> None:
    program = Loader([str(policies)]).load()
    own = {row[0]: row[15] for row in program.tables["rules"] if not row[13].startswith("std.")}
    assert own == {"a": "one.remit:1", "b": "sub/two.remit:1"}


def test_a_broken_file_means_that_nothing_is_loaded(policies: Path) -> None:
    loader = Loader([str(policies)])
    before = loader.load()
    (policies / "sub" / "two.remit").write_text("ask b: Bash(wget *\n")
    with pytest.raises(LoadError) as caught:
        loader.load()
    assert [item.code for item in caught.value.diagnostics] == ["E104"]
    assert "sub/two.remit:1:" in str(caught.value)
    (policies / "sub" / "two.remit").write_text("ask b: Bash(wget *)\n")
    assert loader.load().revision == before.revision


def test_an_unchanged_policy_is_the_same_program(policies: Path) -> None:
    loader = Loader([str(policies)])
    assert loader.load() is loader.load()


def test_a_change_is_seen(policies: Path) -> None:
    loader = Loader([str(policies)])
    before = loader.load()
    (policies / "one.remit").write_text(RULE.replace("curl", "wget"))
    after = loader.load()
    assert after.revision != before.revision
    assert after.revision == Loader([str(policies)], cached=False).load().revision


def test_warnings_do_not_keep_a_program_from_loading(policies: Path) -> None:
    (policies / "one.remit").write_text("deny Bash(curl *)\n")
    loader = Loader([str(policies)], cached=False)
    assert loader.load().tables["notes"]
    assert [item.code for item in loader.diagnostics] == ["W605", "W605"]


def test_text_alone() -> None:
    program = program_of_text('data d from "d.json"\r\ndeny A when data.d.x\r\n', data={"d.json": '{"x": true}'})
    assert [row[15] for row in program.tables["rules"]] == ["policy.remit:2"]
    with pytest.raises(LoadError) as caught:
        program_of_text("deny fs.raed(x)\n")
    assert "E213" in str(caught.value)


# --- the cache -------------------------------------------------------------------------------------------------


def test_the_next_start_takes_the_program_from_the_cache(policies: Path, cache: Path) -> None:
    program = Loader([str(policies)]).load()
    files = find_policies([str(policies)], places(policies)).files
    kept = load_cached(files)
    assert kept is not None
    assert kept.to_json() == program.to_json()
    assert kept.revision == program.revision
    assert cache.stat().st_mode & 0o777 == 0o700
    assert [path.stat().st_mode & 0o777 for path in cache.iterdir()] == [0o600]


def test_a_cached_start_imports_neither_parser_nor_checker(policies: Path) -> None:
    Loader([str(policies)]).load()
    code = (
        "import sys; from remit.loader import Loader; Loader(sys.argv[1:]).load();"
        "print([m for m in ('lark', 'click', 'pydantic', 'remit_dsl.parser', 'remit_dsl.checker', 'dataclasses')"
        " if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(policies)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("content", ["", "{", "[]", '{"key": "x"}'])
def test_a_damaged_cache_is_not_used(policies: Path, cache: Path, content: str) -> None:
    Loader([str(policies)]).load()
    (entry,) = cache.iterdir()
    entry.write_text(content)
    files = find_policies([str(policies)], places(policies)).files
    assert load_cached(files) is None
    assert Loader([str(policies)]).load().tables["rules"]


@pytest.mark.parametrize("tables", [None, [], {}, {"rules": 1}, "deep"])
def test_a_cache_of_another_shape_is_not_used(policies: Path, cache: Path, tables: object) -> None:
    Loader([str(policies)]).load()
    (entry,) = cache.iterdir()
    head, *programs = entry.read_text().split("\n")
    changed = "[" * 100_000 if tables == "deep" else json.dumps({**json.loads(head), "tables": tables})
    entry.write_text("\n".join([changed, *programs]))
    files = find_policies([str(policies)], places(policies)).files
    assert load_cached(files) is None
    assert Loader([str(policies)]).load().tables["rules"]


@pytest.mark.parametrize("cut", [1, 100, 10_000])
def test_a_cache_entry_that_is_cut_is_not_used(policies: Path, cache: Path, cut: int) -> None:
    Loader([str(policies)]).load()
    (entry,) = cache.iterdir()
    entry.write_text(entry.read_text()[:-cut])
    assert load_cached(find_policies([str(policies)], places(policies)).files) is None


def test_a_cached_program_is_the_whole_program(policies: Path, cache: Path) -> None:
    """Also the declarations of programs, which are read one by one when a command needs them."""
    program = Loader([str(policies)]).load()
    kept = load_cached(find_policies([str(policies)], places(policies)).files)
    assert kept is not None
    assert kept.to_json() == program.to_json()
    assert [kept.spec(name) for name in program.tables["program_names"]] == [
        program.spec(name) for name in program.tables["program_names"]
    ]


@pytest.mark.parametrize("kind", ["pipe", "device", "sparse", "link"])
def test_a_cache_entry_is_a_file_of_bounded_size(policies: Path, cache: Path, kind: str, tmp_path: Path) -> None:
    Loader([str(policies)]).load()
    (entry,) = cache.iterdir()
    entry.rename(tmp_path / "kept")
    if kind == "pipe":
        os.mkfifo(entry, 0o600)
    elif kind == "sparse":
        entry.touch(0o600)
        os.truncate(entry, 6 << 30)
    else:
        entry.symlink_to("/dev/zero" if kind == "device" else tmp_path / "kept")
    assert load_cached(find_policies([str(policies)], places(policies)).files) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize(
    ("policy", "entry", "believed"),
    [(0, 0, True), (4711, 0, True), (4711, 4711, True), (0, 4711, False), (None, 4711, False)],
)
def test_who_stored_it_counts(policies: Path, cache: Path, policy: int | None, entry: int, believed: bool) -> None:
    """Policies of root are not replaced by what a user stored."""
    Loader([str(policies)]).load()
    for owner, path in zip((policy or 0, 4711 if policy is None else policy), policies.rglob("*.remit"), strict=True):
        os.chown(path, owner, -1)
    os.chown(next(cache.iterdir()), entry, -1)
    found = load_cached(find_policies([str(policies)], places(policies)).files)
    assert (found is not None) == believed


@pytest.mark.skipif(os.geteuid() != 0, reason="only root stores for all")
def test_root_stores_for_all_what_all_may_read(
    policies: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir(0o755)
    monkeypatch.setattr("remit.cache.SHARED", str(shared))
    Loader([str(policies)]).load()
    assert [path.stat().st_mode & 0o777 for path in shared.iterdir()] == [0o644]
    assert not cache.exists()
    files = find_policies([str(policies)], places(policies)).files
    assert load_cached(files) is not None
    shared.chmod(0o777)
    assert load_cached(files) is None
    shared.chmod(0o755)
    (policies / "one.remit").chmod(0o600)
    assert store(files, program_of_text(RULE))
    assert len(list(cache.iterdir())) == 1


def test_a_cache_of_another_format_is_not_used(policies: Path, cache: Path) -> None:
    Loader([str(policies)]).load()
    (entry,) = cache.iterdir()
    head, *programs = entry.read_text().split("\n")
    entry.write_text("\n".join([json.dumps({**json.loads(head), "format": -1}), *programs]))
    assert load_cached(find_policies([str(policies)], places(policies)).files) is None


@pytest.mark.parametrize("mode", [0o770, 0o707])
def test_a_cache_that_others_can_write_to_is_not_used(policies: Path, cache: Path, mode: int) -> None:
    Loader([str(policies)]).load()
    cache.chmod(mode)
    files = find_policies([str(policies)], places(policies)).files
    assert load_cached(files) is None
    assert not store(files, program_of_text(RULE))


def test_a_cache_that_is_a_link_is_not_used(policies: Path, cache: Path, tmp_path: Path) -> None:
    Loader([str(policies)]).load()
    cache.rename(tmp_path / "elsewhere")
    cache.symlink_to(tmp_path / "elsewhere")
    assert load_cached(find_policies([str(policies)], places(policies)).files) is None


def test_the_key_covers_all_that_matters(policies: Path) -> None:
    (file, other) = find_policies([str(policies)], places(policies)).files
    variants = [
        (file, other), (file,), (file._replace(text="x"), other), (file._replace(tier="org"), other),
        (file._replace(trusted=False), other), (file._replace(name="y"), other), (file._replace(claims=("org",)), other),
        (file._replace(data=(("a", "b"),)), other), (file._replace(data=(("ab", ""),)), other),
    ]  # fmt: skip
    keys = [key_of(variant) for variant in variants]
    assert len(set(keys)) == len(keys)
    assert key_of((other, file)) == keys[0]


def test_old_programs_are_dropped(policies: Path, cache: Path) -> None:
    for number in range(40):
        files = [file._replace(text=str(number)) for file in find_policies([str(policies)], places(policies)).files]
        assert store(files, program_of_text("deny A\n"))
    assert len(list(cache.iterdir())) == 32


# --- tiers -----------------------------------------------------------------------------------------------------


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_places_give_tiers(tmp_path: Path) -> None:
    write(tmp_path / "org" / "o.remit", "deny o: A\n")
    write(tmp_path / "org" / "t.remit", "policy t for team\ndeny t: A\n")
    write(tmp_path / "user" / "u.remit", "policy u for org\ndeny u: A\n")
    write(tmp_path / "user" / "s.remit", "policy s for session\ndeny s: A\n")
    write(tmp_path / "p" / ".remit" / "p.remit", "policy p for user\ndeny p: A\nallow q: B\n")
    loader = Loader(places=places(tmp_path, "p/.remit"), cached=False)
    rules = {row[0]: row[14] for row in loader.load().tables["rules"]}
    assert rules == {"o": "org", "t": "team", "u": "user", "s": "session", "p": "project"}
    assert [item.code for item in loader.diagnostics] == ["W603", "W601", "W603"]


def test_explicit_paths_may_claim_any_tier(tmp_path: Path) -> None:
    for tier in TIERS:
        write(tmp_path / "x" / f"{tier}.remit", f"policy {tier} for {tier}\ndeny {tier}: A\n")
    write(tmp_path / "x" / "none.remit", "deny none: A\n")
    rules = {row[0]: row[14] for row in Loader([str(tmp_path / "x")]).load().tables["rules"]}
    assert rules == {**{tier: tier for tier in TIERS}, "none": "user"}


def test_no_policy_anywhere(tmp_path: Path) -> None:
    with pytest.raises(LoadError) as caught:
        Loader(places=places(tmp_path)).load()
    assert [item.code for item in caught.value.diagnostics] == ["E502"]


def test_what_is_unreadable_is_an_error(tmp_path: Path) -> None:
    assert [item.code for item in failure(tmp_path / "missing.remit").diagnostics] == ["E501"]
