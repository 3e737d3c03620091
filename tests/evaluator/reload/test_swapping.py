"""One try after the other, without threads: what comes in force and what is said of it."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from remit.engine import Engine
from remit.files import RealFiles
from remit.loader import Loader, program_of_text
from remit.reload.swapping import Patience, Swapper
from remit.request import Request
from remit_dsl.program import Program

AT_ONCE = Patience(0.0, 0.0, 0.2)
RULE = "deny a: Foo\n"


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    path = tmp_path / "p.remit"
    path.write_text(RULE)
    return path


def swapper_of(path: Path, patience: Patience = AT_ONCE) -> Swapper:
    return Swapper(Loader([str(path)]), patience, threading.Event())


def tried(swapper: Swapper, *, asked: bool = False) -> str:
    attempt = swapper.attempt(asked=asked, changed=lambda program: None)
    return "" if attempt is None else attempt.result


def test_what_a_try_comes_to(policy: Path) -> None:
    swapper = swapper_of(policy)
    assert tried(swapper) == "changed"
    assert tried(swapper) == ""
    assert tried(swapper, asked=True) == "unchanged"
    policy.write_text("deny a Foo(\n")
    assert tried(swapper) == "failed"
    assert tried(swapper) == ""
    assert tried(swapper, asked=True) == "failed"
    policy.write_text(RULE)
    assert tried(swapper) == "unchanged"
    assert swapper.status(events=True).counts == {"changed": 1, "unchanged": 2, "failed": 2}


def test_other_words_of_the_same_meaning_are_no_change(policy: Path) -> None:
    swapper = swapper_of(policy)
    tried(swapper)
    since = swapper.status(events=True).since
    policy.write_text("deny   a:   Foo\n")
    assert tried(swapper) == "unchanged"
    assert tried(swapper) == ""
    assert swapper.status(events=True).since == since


def test_without_policies_there_is_no_engine_until_there_are(tmp_path: Path) -> None:
    swapper = swapper_of(tmp_path / "p.remit")
    assert tried(swapper) == "failed"
    assert swapper.engine is None
    status = swapper.status(events=False).to_json()
    assert (status["revision"], status["age_s"], status["events"]) == ("", None, False)
    assert status["problems"][0]["code"] == "E501"
    (tmp_path / "p.remit").write_text(RULE)
    assert tried(swapper) == "changed"
    assert swapper.engine is not None


def test_a_failure_of_the_machine_leaves_the_last_good_program(policy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    swapper = swapper_of(policy)
    tried(swapper)
    revision = swapper.status(events=True).revision
    policy.write_text("deny b: Foo\n")
    with monkeypatch.context() as patch:
        patch.setattr(Loader, "compile", lambda *_: (_ for _ in ()).throw(MemoryError()))
        assert tried(swapper) == "failed"
    assert "MemoryError" in swapper.status(events=True).problems[0].message
    with monkeypatch.context() as patch:
        patch.setattr(Loader, "find", lambda *_: (_ for _ in ()).throw(RecursionError()))
        assert tried(swapper, asked=True) == "failed"
    assert swapper.status(events=True).revision == revision
    assert tried(swapper, asked=True) == "changed"


def test_files_that_never_settle_are_given_up_for_now(policy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    swapper = swapper_of(policy, Patience(0.05, 0.05, 0.3))
    tried(swapper)
    find, number = Loader.find, iter(range(10_000))

    def restless(loader: Loader) -> object:
        policy.write_text(f"deny r{next(number)}: Foo\n")
        return find(loader)

    with monkeypatch.context() as patch:
        patch.setattr(Loader, "find", restless)
        assert tried(swapper) == "failed"
    assert "keep changing" in swapper.status(events=True).problems[0].message
    assert tried(swapper) == "changed"


def test_nothing_comes_in_force_while_its_file_is_open_for_writing(policy: Path) -> None:
    swapper = swapper_of(policy, Patience(0.0, 0.0, 0.2))
    tried(swapper)
    with policy.open("a") as file:
        file.write("ask b: Bar\n")
        file.flush()
        if tried(swapper) == "changed":
            pytest.skip("this file system does not tell")
    assert tried(swapper) == "changed"


def test_what_is_compiled_is_what_was_looked_at(policy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that changes after it has settled is not read again: the change will be seen, and settle, by itself."""
    swapper = swapper_of(policy)
    tried(swapper)
    compile_files = Loader.compile

    def late(loader: Loader, files: object) -> Program:
        policy.write_text("deny late: Foo\n")
        return compile_files(loader, files)  # type: ignore[arg-type]

    policy.write_text("deny b: Foo\n")
    with monkeypatch.context() as patch:
        patch.setattr(Loader, "compile", late)
        assert tried(swapper) == "changed"
    assert swapper.engine is not None
    assert [row[0] for row in swapper.engine.program.tables["rules"]] == ["b"]
    assert tried(swapper) == "changed"
    assert [row[0] for row in swapper.engine.program.tables["rules"]] == ["late"]


def test_a_link_that_rules_lead_through_is_followed_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("remit.reload.swapping.LINKS_S", 0.0)
    policy = tmp_path / "p.remit"
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    (tmp_path / "link").symlink_to("one")
    policy.write_text(f"use std\ndeny x: fs.read({tmp_path}/link/**)\ndefault allow\n")
    swapper = swapper_of(policy)
    tried(swapper)
    assert swapper.engine is not None

    def decision() -> str:
        assert swapper.engine is not None
        return swapper.engine.decide(Request("Read", {"file_path": f"{tmp_path}/two/f"}, cwd="/")).decision

    assert decision() == "allow"
    os.unlink(tmp_path / "link")
    (tmp_path / "link").symlink_to("two")
    assert tried(swapper) == ""
    assert decision() == "deny"


def test_a_call_under_way_keeps_its_program() -> None:
    """The program is swapped while the engine looks at a file for the call."""
    old, new = (program_of_text(f'use std\ndeny {name}: fs.read(/**) because "{name}"\n') for name in ("old", "new"))

    class Swapping(RealFiles):
        swapped = False

        def readlink(self, path: str) -> str | None:
            if not self.swapped:
                self.swapped = True  # swapping looks at links as well
                engine.put_in_force(new)
            return super().readlink(path)

    files = Swapping()
    files.swapped = True
    engine = Engine(old, files=files)
    files.swapped = False
    verdict = engine.decide(Request("Read", {"file_path": "/etc/hosts"}, cwd="/"))
    assert engine.program.revision == new.revision
    assert (verdict.revision, verdict.reason.rule) == (old.revision, "old")
