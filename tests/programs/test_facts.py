"""What the standard library says of programs, held against the real ones: `facts.txt` is run under strace, each row in a folder of
its own.

The law: nothing that happens to a file that stands on the command line, or below a folder that does, is unseen. A row `- COMMAND`
is harmless: it ends well, writes, deletes and reaches nothing. A row `+ COMMAND` has teeth: something is written, deleted,
reached or run. `~ COMMAND` may end as it likes. `  unseen KIND PATH # why` says what no command line shows. `=== NAME` heads the rows
of a program, which are left out where it is not installed. What remit claims and does not happen is no failure; it stands in the JUnit
report (`--junitxml`).
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple, TypeAlias

import pytest
from fact_table import Row, rows
from observed import Done, contents, gaps, named_paths, overclaims, units_of, unrun
from small_world import build_world
from tracing import Seen, Trace, can_trace, trace

from remit.facts import Unit

Record: TypeAlias = Callable[[str, object], None]
TRACED = can_trace()
# A row takes up to half a second, so every eighth is run, and all of them with REMIT_FACTS=1.
STEP = 1 if os.environ.get("REMIT_FACTS") == "1" else 8
needs_trace = pytest.mark.skipif(not TRACED, reason="strace is not installed, or may not trace here")


class World(NamedTuple):
    """A folder with files of many kinds, a home beside it, and a server on the loopback interface."""

    template: Path
    port: int


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments: Any) -> None:
        """A test needs no log."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.do_GET()

    do_PUT = do_POST


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    template = tmp_path_factory.mktemp("template") / "w"
    build_world(template)
    served = str(template)
    server = ThreadingHTTPServer(("127.0.0.1", 0), lambda *given: _Quiet(*given, directory=served))
    Thread(target=server.serve_forever, daemon=True).start()
    yield World(template, server.server_address[1])
    server.shutdown()
    server.server_close()


def environment(home: Path) -> dict[str, str]:
    """Variables that keep what is run to the folder, and from asking anybody anything."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "TMPDIR": str(home.parent / "t"),
        "LC_ALL": "C.UTF-8",
        "TERM": "dumb",
        "PAGER": "cat",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_EDITOR": "true",
        "GNUPGHOME": str(home / "gnupg"),
        "no_proxy": "*",
        "npm_config_update_notifier": "false",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def run(row: Row, world: World, tmp_path: Path) -> tuple[Done, tuple[Unit, ...], Trace]:
    """Run a row in a copy of the world; what happened, and what remit says of it beforehand."""
    folder, home = tmp_path / "w", tmp_path / "home"
    shutil.copytree(world.template, folder, symlinks=True)
    home.mkdir()
    (home / "gnupg").mkdir(mode=0o700)
    (tmp_path / "t").mkdir()
    command = row.spelled(world.port, folder)
    units, named, before = units_of(command, folder, home), named_paths(command, folder), contents(folder)
    done = trace(command, folder, environment(home), tmp_path / "log")
    return Done(done.seen, folder, named, before, contents(folder)), units, done


def bites(done: Done) -> set[Seen]:
    """What was written, deleted or reached, the state of the repository aside."""
    top, kept = str(done.folder), str(done.folder / ".git")
    inside = {item for item in done.seen if (item.target + "/").startswith(top + "/")}
    changed = {item for item in inside if item.kind in ("write", "delete") and not item.target.startswith(kept)}
    return changed | {item for item in done.seen if item.kind == "connect"}


def check(row: Row, done: Done, units: tuple[Unit, ...], status: int | None) -> None:
    """The sign of a row, and the law."""
    assert status is not None, "takes too long"
    if row.sign == "-":
        assert status == 0
        assert not bites(done), "not harmless"
    elif row.sign == "+":
        runs = len({item.target for item in done.seen if item.kind == "run"}) > 1
        assert bites(done) or runs, "has no teeth"
    top = str(done.folder) + "/"
    unseen = {f"{item.kind} {item.target.removeprefix(top)}" for item in gaps(done, units)}
    unseen |= {f"run {name}" for name in unrun(done.seen, units, row.command)}
    assert unseen == set(row.unseen)
    only_reads = all(
        unit.known and unit.analysis is not None and unit.analysis.readonly and not unit.analysis.teeth
        for unit in units
    )
    if only_reads and not any(access.place == -1 and access.kind == "fs.write" for u in units for access in u.accesses):
        assert not bites(done), "what reads by nature wrote"


@needs_trace
@pytest.mark.parametrize("row", [pytest.param(row, id=f"{row.program}: {row.command}") for row in rows()[::STEP]])
def test_nothing_happens_unseen(row: Row, world: World, tmp_path: Path, record_property: Record) -> None:
    if shutil.which(row.program) is None:
        pytest.skip(f"{row.program} is not installed")
    done, units, traced = run(row, world, tmp_path)
    for claim in overclaims(done.seen, units):
        record_property("claimed and not seen", claim)
    check(row, done, units, traced.status)


def test_the_table_is_large() -> None:
    """At least 60 programs and 400 rows, and no row twice."""
    table = rows()
    assert len({row.program for row in table}) >= 60
    assert len(table) == len(set(table)) >= 400


@needs_trace
def test_what_nobody_sees_is_found(world: World, tmp_path: Path) -> None:
    """The law can fail: a command is held against what remit says of another one."""
    done, units, _ = run(Row("cp", "+", "cp a.txt out.txt"), world, tmp_path)
    top = done.folder
    other = units_of("true a.txt", top, tmp_path / "home")
    assert [item._replace(target=os.path.relpath(item.target, top)) for item in gaps(done, other)] == [
        Seen("read", "a.txt"),
        Seen("write", "out.txt"),
    ]
    assert gaps(done, units) == []
