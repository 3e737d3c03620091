from __future__ import annotations

from pathlib import Path

import pytest
from remit_calls import Remit

WRONG = 'policy team.x\ndeny bad: Bash(rm *) when comand.program == "rm"\n'


@pytest.fixture
def wrong(tmp_path: Path) -> str:
    path = tmp_path / "wrong.remit"
    path.write_text(WRONG)
    return "wrong.remit"


def test_a_right_policy(remit: Remit, policy: str) -> None:
    done = remit("check", policy)
    assert (done.code, done.out) == (0, "1 policy: 0 errors, 0 warnings\n")


def test_policy_option_is_a_path_too(remit: Remit, policy: str, wrong: str) -> None:
    assert remit("check", "--policy", policy).code == 0
    assert remit("check", "--policy", policy, wrong).code == 1


def test_text_shows_the_place(remit: Remit, wrong: str) -> None:
    done = remit("check", wrong)
    assert done.code == 1
    assert "unknown fact `comand.program`" in done.out
    assert "wrong.remit:2:27" in done.out
    assert "did you mean `command.program`?" in done.out


@pytest.mark.parametrize("arguments", [["--json"], ["--format", "json"]])
def test_json(remit: Remit, wrong: str, arguments: list[str]) -> None:
    done = remit("check", wrong, *arguments)
    assert done.code == 1
    assert [item["line"] for item in done.json if item["severity"] == "error"] == [2]


def test_sarif(remit: Remit, wrong: str) -> None:
    done = remit("check", wrong, "--format", "sarif")
    assert done.code == 1
    assert done.json["version"] == "2.1.0"
    assert done.json["runs"][0]["results"][0]["level"] in ("error", "warning")


def test_github(remit: Remit, wrong: str) -> None:
    done = remit("check", wrong, "--format", "github")
    assert done.code == 1
    assert "::error file=wrong.remit,line=2,col=27," in done.out


def test_every_file_of_a_folder_is_checked(remit: Remit, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.remit").write_text("policy a\ndenny x\n")
    (folder / "deep" / "b.remit").write_text("policy b\naks x\n")
    (folder / "deep" / "c.txt").write_text("no policy")
    done = remit("check", "many", "--json")
    assert {item["file"] for item in done.json} == {"a.remit", "deep/b.remit"}


def test_a_file_that_is_not_there(remit: Remit) -> None:
    done = remit("check", "nowhere.remit")
    assert (done.code, done.out) == (2, "")
    assert "E501" in done.err


LIMITED = """\
policy l.x for org
use std
tool mcp__my-srv__t { subject path: path does fs.read }
deny no-rm: Bash(rm *)
ask publishing: Bash(git push *)
allow known: Bash(make *)
deny no-search: WebSearch
deny my-server: mcp__my-srv__*, mcp__gh__x, mcp__*__y
shadow ask trial: Bash(make *)
"""


@pytest.mark.parametrize(
    ("agent", "codes"),
    [
        ("claude-code", []),
        ("gemini", []),
        ("codex", ["A801", "A802", "A803"]),
        ("copilot", ["A804"]),
        ("cursor", ["A801", "A804", "A804"]),
        ("opencode", ["A801", "A802", "A804"]),
    ],
)
def test_what_cannot_hold_on_an_agent(remit: Remit, tmp_path: Path, agent: str, codes: list[str]) -> None:
    (tmp_path / "l.remit").write_text(LIMITED, encoding="utf-8")
    done = remit("check", "l.remit", "--agent", agent, "--json")
    assert done.code == 0
    assert [item["code"] for item in done.json if item["code"].startswith("A")] == codes
    gap = "write_stdin" in remit("check", "l.remit", "--agent", agent).err
    assert gap is (agent == "codex")
