"""What the tests about the three systems share: their profiles as engines, and sessions over policy files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from remit import Engine, Request, Verdict
from remit.loader import Loader
from remit.paths import NoFiles
from remit.sessions.deciding import SessionEngine, loading_with
from remit.sessions.store import Store

ROOT = Path(__file__).resolve().parents[2]
PROFILES = ROOT / "policies" / "profiles"
CALL = Request("Bash", {}, cwd="/w", workspace=("/w",), home="/h")

# A command (or a tool and its parameters), and changes of the request -> the verdict.
Deciding = Callable[..., Verdict]
Profiled = Callable[..., Deciding]
Sessions = Callable[..., SessionEngine]


def request(call: str, given: dict[str, Any] | None = None, **changes: Any) -> Request:
    """A shell command, or a call of the tool that is named with these parameters."""
    if given is None:
        return CALL._replace(input={"command": call}, **changes)
    return CALL._replace(tool=call, input=given, **changes)


@pytest.fixture
def call() -> Callable[..., Request]:
    return request


@pytest.fixture
def deciding() -> Callable[[str], Deciding]:
    """Policy text -> how it decides."""

    def make(text: str) -> Deciding:
        engine = Engine.from_source(text, files=NoFiles())
        return lambda *given, **changes: engine.decide(request(*given, **changes))

    return make


@pytest.fixture
def profile() -> Profiled:
    """The name of a profile, and text of a policy beside it -> how both together decide."""

    def make(name: str, *more: str) -> Deciding:
        loaded = [(PROFILES / f"{name}.remit").read_text(encoding="utf-8"), *more]
        engine = Engine.from_source("\n".join(loaded), files=NoFiles())
        return lambda *given, **changes: engine.decide(request(*given, **changes))

    return make


@pytest.fixture
def sessions(tmp_path: Path) -> Sessions:
    """Policy text -> decisions that know their session, whose id is `s`."""

    def make(text: str, **settings: Any) -> SessionEngine:
        (tmp_path / "p.remit").write_text(text, encoding="utf-8")
        loader = Loader([str(tmp_path / "p.remit")], cached=False)
        engine = Engine(loader.load(), files=NoFiles())
        store = Store(tmp_path / "state" / "s.db")
        return SessionEngine(lambda: engine, store, loading_with(loader, store.path, NoFiles()), **settings)

    return make
