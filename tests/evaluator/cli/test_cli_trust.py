from __future__ import annotations

import json
from pathlib import Path

import pytest
from remit_calls import Remit

from remit.policy_files import default_places

POLICY = """\
policy shop.agents for project
use std

deny no-force-push: Bash(git push -f *)

allow building: Bash(make *),
  Bash(ninja *)
default allow fs.read(./**)
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A project, at work in a folder below it."""
    folder = tmp_path / "home" / "shop"
    (folder / "src").mkdir(parents=True)
    (folder / ".remit").mkdir()
    (folder / ".remit" / "policy.remit").write_text(POLICY)
    return folder


def decision(remit: Remit, command: str) -> str:
    return str(remit("decide", "--json", "--command", command).json["decision"])


def test_trust_lets_a_project_loosen(remit: Remit, shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shop / "src")
    assert (decision(remit, "make"), decision(remit, "git push -f")) == ("ask", "deny")
    done = remit("trust", "--yes")
    assert done.code == 0
    assert done.out.endswith(f"trusted {shop}/.remit\n")
    assert (decision(remit, "make"), decision(remit, "git push -f")) == ("allow", "deny")
    assert remit("trust", "--remove").out == f"no longer trusted: {shop}/.remit\n"
    assert decision(remit, "make") == "ask"
    assert remit("trust", "--remove").out == f"was not trusted: {shop}/.remit\n"


def test_it_shows_whole_statements_and_only_those_that_loosen(remit: Remit, shop: Path) -> None:
    done = remit("trust", str(shop), "--json").json
    assert done["loosens"] == [
        {"at": "policy.remit:6", "statement": "allow building: Bash(make *),\n  Bash(ninja *)"},
        {"at": "policy.remit:8", "statement": "default allow fs.read(./**)"},
    ]
    assert "  policy.remit:6  allow building: Bash(make *), Bash(ninja *)\n" in remit("trust", str(shop), "--yes").out


def test_what_a_higher_tier_forbids_is_not_gained(
    remit: Remit, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    org = tmp_path / "etc" / "remit"
    org.mkdir(parents=True)
    (org / "policy.remit").write_text("policy org.base for org\nuse std\nlower tiers may deny, ask\n")
    for user in ("remit.cli.trust", "remit.loader"):
        monkeypatch.setattr(f"{user}.default_places", lambda *at: default_places(*at)._replace(org=str(org)))
    assert remit("trust", str(shop), "--json").json["loosens"] == []
    assert "would loosen nothing\n" in remit("trust", str(shop), "--yes").out


def test_the_nearest_project_counts_alone(remit: Remit, shop: Path) -> None:
    inner = shop / "src" / ".remit"
    inner.mkdir()
    (inner / "policy.remit").write_text("policy inner for project\nuse std\nallow Bash(tool *)\n")
    shown = remit("trust", str(shop / "src"), "--yes", "--json").json
    assert shown["folder"] == str(inner)
    assert [item["statement"] for item in shown["loosens"]] == ["allow Bash(tool *)"]
    assert remit("trust", "--list").out == f"{inner}: trusted\n1 project\n"


def test_a_change_ends_trust(remit: Remit, shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shop)
    remit("trust", "--yes")
    assert remit("trust", "--list").out == f"{shop}/.remit: trusted\n1 project\n"
    policy = shop / ".remit" / "policy.remit"
    policy.write_text(policy.read_text() + "allow Bash(curl *)\n")
    assert remit("trust", "--list").out == f"{shop}/.remit: changed since it was trusted\n1 project\n"
    assert remit("trust", "--json").json["state"] == "changed since it was trusted"
    assert decision(remit, "make") == "ask"
    policy.unlink()
    (shop / ".remit").rmdir()
    assert remit("trust", "--list", "--json").json == [{"folder": f"{shop}/.remit", "state": "missing"}]
    assert remit("trust", "--remove").out.startswith("no longer trusted")


def test_data_files_are_part_of_it(remit: Remit, shop: Path) -> None:
    policy = shop / ".remit" / "policy.remit"
    policy.write_text(
        'policy shop for project\nuse std\ndata team from "team.json"\n'
        "allow Bash(make *) when request.user in data.team.users\n"
    )
    data = shop / ".remit" / "team.json"
    data.write_text(json.dumps({"users": ["ada"]}))
    shown = remit("trust", str(shop), "--yes", "--json").json
    assert [item["file"] for item in shown["files"]] == ["policy.remit", "team.json"]
    assert shown["state"] == "trusted"
    data.write_text(json.dumps({"users": ["ada", "mallory"]}))
    assert remit("trust", str(shop), "--json").json["state"] == "changed since it was trusted"


@pytest.mark.parametrize(("answer", "code", "state"), [(b"y\n", 0, "trusted"), (b"n\n", 2, "not trusted")])
def test_it_asks(
    remit: Remit, shop: Path, monkeypatch: pytest.MonkeyPatch, answer: bytes, code: int, state: str
) -> None:
    monkeypatch.setattr("remit.cli.trust.can_ask", lambda: True)
    done = remit("trust", str(shop), stdin=answer)
    assert done.code == code
    assert "would loosen:" in done.out
    assert remit("trust", str(shop), "--json").json["state"] == state


def test_where_nobody_can_be_asked_nothing_is_trusted(remit: Remit, shop: Path) -> None:
    done = remit("trust", str(shop), stdin=b"y\n")
    assert done.code == 2
    assert "nobody can be asked here" in done.err
    assert remit("trust", "--list").out == "0 projects\n"


def test_more_than_can_be_listed_is_said(remit: Remit, shop: Path) -> None:
    rules = "".join([f"allow Bash(tool{number} *)\n" for number in range(200)])
    (shop / ".remit" / "policy.remit").write_text(f"policy shop for project\nuse std\n{rules}")
    assert "read the files" in remit("trust", str(shop), "--yes").out
    assert remit("trust", str(shop), "--json").json["loosens"] is None


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(["nowhere"], "nowhere: there is no such folder", id="a folder that is not there"),
        pytest.param(["."], "there is no `.remit` folder in ", id="no project"),
        pytest.param(["--yes", "--remove"], "exclude each other", id="contradiction"),
        pytest.param(["broken"], "E101", id="a policy that is not right"),
        pytest.param(["bare"], "holds no policy", id="an empty folder"),
    ],
)
def test_what_cannot_be_trusted(remit: Remit, tmp_path: Path, shop: Path, arguments: list[str], said: str) -> None:
    for name, text in (("broken", "policy p for project\nallow\n"), ("bare", "")):
        (tmp_path / name / ".remit").mkdir(parents=True)
        if text:
            (tmp_path / name / ".remit" / "p.remit").write_text(text)
    user = tmp_path / "xdg_config_home" / "remit"
    user.mkdir(parents=True)
    (user / "policy.remit").write_text("policy mine for user\nuse std\n")
    done = remit("trust", *arguments)
    assert done.code == 2
    assert said in done.err
    assert remit("trust", "--list").out == "0 projects\n"
