"""The second opinion: a command that remit's reading overlooks is seen by bashlex, and asks. Skipped where bashlex is missing."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import pytest

from remit import Engine, Request
from remit.errors import RemitError
from remit.paths import NoFiles
from remit.second_opinion import MAX_TEXT, is_installed, programs
from remit.shell import commands, splitter

pytestmark = pytest.mark.skipif(not is_installed(), reason="needs bashlex, the extra `second-opinion`")

POLICY = "use std.tools\nallow all: Bash(*)"
Split = Callable[..., commands.Script]


def decide(command: str, second_opinion: str = "on", **more: object) -> tuple[str, str, str]:
    engine = Engine.from_source(POLICY, files=NoFiles(), second_opinion=second_opinion)
    request = Request(tool="Bash", input={"command": command}, cwd="/w", workspace=["/w"], home="/h", **more)  # type: ignore[arg-type]
    verdict = engine.decide(request)
    return verdict.decision, verdict.reason.code, verdict.reason.detail


@pytest.fixture
def overlooking(monkeypatch: pytest.MonkeyPatch) -> None:
    """A splitter that loses every command but the first."""

    def broken(text: str, dialect: str = "bash") -> commands.Script:
        found = splitter.split(text, dialect)
        return found._replace(commands=found.commands[:1])

    monkeypatch.setattr("remit.observe_shell.split", broken)


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("(ls; rm x)", "rm"),
        ("echo $(rm x)", "rm"),
        ("ls && { rm x; }", "rm"),
        ("if ls; then /bin/rm x; fi", "rm"),
        ("for f in a; do ls; rm $f; done", "rm"),
        ("ls `curl u`", "curl"),
        ("diff a <(curl u)", "curl"),
        ("f() { ls; rm x; }; f", "rm"),
    ],
)
@pytest.mark.usefixtures("overlooking")
def test_what_a_broken_splitter_overlooks_asks(command: str, program: str) -> None:
    assert decide(command) == ("ask", "uncertain", program)
    assert decide(command, "auto") == ("ask", "uncertain", program)
    assert decide(command, "off")[0] == "allow"


@pytest.mark.usefixtures("overlooking")
def test_the_exit_holds_for_it_as_well() -> None:
    """Where nobody can be asked, and where a mode only reads, it is denied; no mode lifts it."""
    assert decide("(ls; rm x)", interactive=False)[0] == "deny"
    assert decide("(ls; rm x)", mode="bypass")[0] == "ask"


@pytest.mark.parametrize(
    "command",
    [
        "(ls; rm x)",
        "echo $(date) `id`",
        "for f in a b; do wc -l $f; done",
        "if true; then ls; else pwd; fi",
        "i=0; ((i++)); echo $((i + 1))",
        "cat <<'E'\nrm x\nE",
        "(cat <<E\nrm x\nE\n)",
        "echo a;# rm x",
        "[[ -f x ]] && ls",
        "case x in a) ls;; esac",
        "f() { ls; }; f",
        "time ls; ! ls",
        "sudo -u bob (ls)",
        "bash -c 'rm x'; (ls)",
        "$'ls' x; (ls)",
    ],
)
def test_where_both_see_the_same_nothing_changes(command: str) -> None:
    assert decide(command, "on") == decide(command, "off")


@pytest.mark.parametrize("text", ["", "#", "(", "$(", "'", "if", "a" * (MAX_TEXT + 1), "(" * 2000, "\x00", "case x in"])
def test_it_never_raises(text: str) -> None:
    assert isinstance(programs(text), tuple)


def test_it_is_bounded_in_time() -> None:
    """Beyond the bound it is not asked, and below nothing takes long."""
    start = time.perf_counter()
    decide("(ls); " * (MAX_TEXT // 6))
    decide("(ls); " * MAX_TEXT)
    assert time.perf_counter() - start < 3


def test_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """An unknown one is refused; `on` without bashlex is an error when the engine is made, `auto` is silent."""
    with pytest.raises(ValueError, match="auto, on, off"):
        Engine.from_source(POLICY, second_opinion="maybe")
    monkeypatch.setattr("remit.second_opinion.find_spec", lambda name: None)
    monkeypatch.setitem(sys.modules, "bashlex", None)
    with pytest.raises(RemitError, match="second-opinion"):
        Engine.from_source(POLICY, second_opinion="on")
    assert decide("(ls; rm x)", "auto")[0] == "allow"
