"""What the documents say that a program reads: settings that are pasted into a client, and Python that is pasted into a host."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
INTERPRETER = re.compile(r"/\S+/python\b")
POLICY = "policy org.docs for org\nuse std\ndeny no-touching: Bash(touch *)\n"


def _fences(kind: str) -> list[Any]:
    found = []
    for path in DOCUMENTS:
        text = path.read_text(encoding="utf-8")
        for fence in re.finditer(rf"^```{kind}(?: \S+)?\n([\s\S]*?)^```$", text, re.MULTILINE):
            line = text.count("\n", 0, fence.start()) + 1
            found.append(pytest.param(fence[1], id=f"{path.name}:{line}"))
    return found


def _commands(text: str) -> list[str]:
    """The hook commands of a settings file."""
    groups = json.loads(text).get("hooks", {}).get("PreToolUse", [])
    return [hook["command"] for group in groups for hook in group["hooks"]]


HOOKS = [
    pytest.param(command, id=f"{case.id} {at}")
    for case in _fences("json")
    if "PreToolUse" in str(case.values[0]) and "hooks" in json.loads(str(case.values[0]))
    for at, command in enumerate(_commands(str(case.values[0])))
]
LAUNCHERS = [case for case in HOOKS if "exit 2" in str(case.values[0])]


def _hook(command: str, folder: Path, touched: str = "touch x") -> subprocess.CompletedProcess[str]:
    """What a client sees of the command, which it gives to `sh -c`."""
    (folder / "p.remit").write_text(POLICY)
    payload = {"hook_event_name": "PreToolUse", "cwd": str(folder), "tool_name": "Bash"}
    stdin = json.dumps({**payload, "tool_input": {"command": touched}})
    return subprocess.run(["sh", "-c", command], input=stdin, capture_output=True, text=True, check=False)


def _installed(command: str, folder: Path) -> str:
    """The command with the interpreter of this test, and a policy."""
    here = f"hook claude-code --policy {shlex.quote(str(folder / 'p.remit'))}"
    replaced = INTERPRETER.sub(shlex.quote(sys.executable), command).replace("hook claude-code", here)
    assert replaced.count(sys.executable) == 1
    return replaced


def test_there_are_hooks() -> None:
    assert len(HOOKS) == 3
    assert len(LAUNCHERS) == 1


@pytest.mark.parametrize("command", HOOKS)
def test_a_hook_denies(command: str, tmp_path: Path) -> None:
    done = _hook(_installed(command, tmp_path), tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"


@pytest.mark.parametrize("command", HOOKS)
def test_a_hook_abstains(command: str, tmp_path: Path) -> None:
    done = _hook(_installed(command, tmp_path), tmp_path, "some-tool")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("command", LAUNCHERS)
@pytest.mark.parametrize(
    "interpreter",
    [
        pytest.param("/nowhere/python", id="no interpreter"),
        pytest.param("kill -9 $$; ", id="killed"),
        pytest.param("printf '{\"hookSpec'; exit 1; ", id="half an answer"),
        pytest.param("exit 1; ", id="a crash"),
    ],
)
def test_the_launcher_refuses_whatever_is_no_answer(command: str, interpreter: str, tmp_path: Path) -> None:
    broken = INTERPRETER.sub(lambda _: f"sh -c {shlex.quote(interpreter)}", command)
    done = _hook(broken, tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "the hook failed" in done.stderr


@pytest.mark.parametrize("text", _fences("python"))
def test_python_prints_what_stands_beside_it(text: str, tmp_path: Path) -> None:
    (tmp_path / "policies").symlink_to(ROOT / "policies")
    (tmp_path / "home").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", text],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path / "home")},
        capture_output=True,
        text=True,
        check=False,
    )
    expected = re.findall(r"^print\(.*\)  # (.*)$", text, re.MULTILINE)
    assert expected
    assert done.stdout.splitlines() == expected, done.stderr
