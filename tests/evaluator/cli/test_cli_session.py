from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from remit_calls import Remit, Result

from remit import Engine, Request
from remit.sessions.outcome import after, call_of
from remit.sessions.store import Store


@pytest.fixture
def session(remit: Remit, tmp_path: Path) -> Any:
    def call(*arguments: str) -> Result:
        return remit("session", *arguments, "--store", str(tmp_path / "s.db"))

    return call


def test_rules_mode_and_folders(session: Any, tmp_path: Path) -> None:
    assert session("allow", "a", "Bash(npm run *)").code == 0
    assert session("deny", "a", "fs.read(**/.env)").code == 0
    assert session("mode", "a", "plan").code == 0
    assert session("folder", "a", "sub").code == 0
    state = session("show", "a", "--json").json
    assert state["rules"] == ["allow Bash(npm run *)", "deny fs.read(**/.env)"]
    assert (state["mode"], state["directories"]) == ("plan", [str(tmp_path / "sub")])
    session("allow", "a", "Bash(npm run *)", "--remove")
    session("mode", "a", "-")
    session("folder", "a", "sub", "--remove")
    shown = session("show", "a").out
    assert shown == "session a: mode as each call says, 0 calls, 0 denials, 0 in a row\n  deny fs.read(**/.env)\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("allow", "a", "Bash("), "is no rule"),
        (("allow", "a", "Bash(x)\nallow Bash(y)"), "is not one rule"),
        (("allow", "a", "Bash(x)", "--remove"), "the session has no rule"),
        (("update", "a", "addDirectories", "--directory", "x"), "absolute"),
        (("update", "a", "addSome"), "addSome"),
        (("show", "a\x1b"), "printable"),
        (("approve", "a"), "nothing was asked about"),
    ],
)
def test_what_is_wrong_is_said_and_changes_nothing(session: Any, arguments: tuple[str, ...], said: str) -> None:
    done = session(*arguments)
    assert done.code == 2
    assert said in done.err
    assert "\x1b" not in done.err
    assert session("list", "--json").json == []


def test_an_update_is_all_or_nothing(session: Any) -> None:
    assert session("update", "a", "addRules", "--rule", "allow Bash(x)", "--rule", "nonsense").code == 2
    assert session("update", "a", "addRules", "--rule", "allow Bash(x)", "--rule", "ask Bash(y)").code == 0
    done = session("update", "a", "replaceRules", "--effect", "ask", "--rule", "ask Bash(z)", "--json")
    assert done.json["rules"] == ["allow Bash(x)", "ask Bash(z)"]


def test_an_approval_names_the_exact_call(session: Any, tmp_path: Path) -> None:
    assert session("approve", "a", "--command", "git push", "--cwd", "/w", "--seconds", "60").code == 0
    approval = Store(tmp_path / "s.db").read("a").approvals[0]
    assert approval.call == call_of(Request("Bash", {"command": "git push"}, cwd="/w"))
    assert "approved by" in session("show", "a").out


def test_cancelled_and_forgotten(session: Any) -> None:
    assert session("cancel", "a", "--json").json["cancelled"] is True
    assert session("cancel", "a", "--undo", "--json").json["cancelled"] is False
    assert json.loads(session("list", "--json").out)[0]["id"] == "a"
    assert session("forget", "a").code == 0
    assert session("forget", "a").code == 1


@pytest.mark.parametrize("link", [".remit", ".remit/accepted.remit"])
def test_a_project_does_not_say_where_its_rules_go(remit: Remit, tmp_path: Path, link: str) -> None:
    """A link to the policies of the user, say, whose rules nobody needs to trust."""
    target = tmp_path / "elsewhere"
    target.mkdir()
    (tmp_path / link).parent.mkdir(exist_ok=True)
    (tmp_path / link).symlink_to(target if link == ".remit" else target / "accepted.remit")
    done = remit("session", "update", "a", "addRules", "--rule", "allow Bash(make *)", "--to", "project")
    assert (done.code, list(target.iterdir())) == (2, [])
    assert "a link to" in done.err


def test_rules_that_outlive_the_session(remit: Remit, tmp_path: Path) -> None:
    done = remit("session", "update", "a", "addRules", "--rule", "deny Bash(make *)", "--to", "project", "--json")
    assert done.json == {"file": str(tmp_path / ".remit" / "accepted.remit"), "changed": True}
    assert remit("decide", "--command", "make x").code == 1
    remit("session", "update", "a", "removeRules", "--rule", "deny Bash(make *)", "--to", "project")
    assert remit("decide", "--command", "make x").code == 3
    assert remit("session", "update", "a", "setMode", "--mode", "plan", "--to", "user").code == 2


def asked(session_store: Path, command: str, cwd: str = "/w", **more: str) -> Request:
    call = Request("Bash", {"command": command, **more}, cwd=cwd, agent="claude-code", session="a")
    verdict = Engine.from_source("policy x\n").decide(call)
    Store(session_store).change("a", lambda state: after(state, call, verdict, 1.0))
    return call


def test_what_was_asked_about_is_approved_without_saying_it_again(session: Any, tmp_path: Path) -> None:
    first = asked(tmp_path / "s.db", "git push", description="Push it")
    second = asked(tmp_path / "s.db", "make x", cwd="/v")
    done = session("approve", "a")
    assert done.out.startswith("approved once: Bash make x  in /v\n")
    assert Store(tmp_path / "s.db").read("a").approvals[-1].call == call_of(second)
    assert session("approve", "a", "--command", "git push").out.startswith("approved once: Bash git push  in /w\n")
    assert Store(tmp_path / "s.db").read("a").approvals[-1].call == call_of(first)
    other = session("approve", "a", "--command", "git push", "--cwd", "/elsewhere")
    assert "the session was asked about no such call" in other.err
    assert Store(tmp_path / "s.db").read("a").approvals[-1].call != call_of(first)
