from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from remit_calls import Remit

PAYLOAD: dict[str, Any] = {
    "session_id": "s",
    "transcript_path": "/home/u/.claude/projects/x/s.jsonl",
    "cwd": "/home/u/x",
    "permission_mode": "default",
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "git push -f", "description": "push"},
    "tool_use_id": "toolu_1",
}


def rows(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize(
    ("arguments", "code", "decision"),
    [
        pytest.param(["--command", "npm run build"], 0, "allow", id="allow"),
        pytest.param(["--command", "cd x && git push -f"], 1, "deny", id="deny"),
        pytest.param(["--command", "git push"], 3, "ask", id="ask"),
        pytest.param(["--tool", "Read", "--input", '{"file_path": "x.py"}'], 0, "allow", id="a tool with parameters"),
        pytest.param(["--tool", "Read", "--input", '{"file_path": "/x.py"}'], 3, "ask", id="outside of the workspace"),
        pytest.param(["--command", "deploy now"], 3, "ask", id="no label"),
        pytest.param(["--command", "deploy now", "--label", "env=prod"], 1, "deny", id="label"),
        pytest.param(["--command", "git push", "--no-interactive"], 1, "deny", id="nobody to ask"),
        pytest.param(["--command", "touch x", "--mode", "plan"], 1, "deny", id="mode"),
        pytest.param(["--command", "cat ../y/a", "--cwd", "/y/b", "--workspace", "/y"], 3, "ask", id="exec is not allowed"),
        pytest.param(["--tool", "Read", "--input", '{"file_path": "../a"}', "--cwd", "/y/b", "--workspace", "/y"], 0, "allow",
                     id="folders"),
    ],
)  # fmt: skip
def test_one_call(remit: Remit, policy: str, arguments: list[str], code: int, decision: str) -> None:
    done = remit("decide", "--policy", policy, "--json", *arguments)
    assert (done.code, done.json["decision"]) == (code, decision)


def test_text_names_the_rule_and_the_units(remit: Remit, policy: str) -> None:
    done = remit("decide", "--policy", policy, "--command", "cd x && git push -f && docker ps")
    assert done.out.startswith("deny  rule no-force-push (org.remit:4): Force pushes rewrite shared history.\n")
    assert "  deny   git push -f\n" in done.out
    assert "on trial: trial (org.remit:15) would deny" in done.out


def test_nothing_that_a_call_holds_reaches_the_terminal(remit: Remit, policy: str) -> None:
    parameters = json.dumps({"file_path": "a\x1b[2J\u202eb\nc"})
    for command in ("decide", "explain"):
        done = remit(command, "--policy", policy, "--tool", "Read", "--input", parameters)
        assert not {"\x1b", "\u202e"} & set(done.out)
    table = remit("decide", "--policy", policy, "--tool", "Read", "--input", parameters, "--format", "table")
    assert "Read(a\\u{1B}[2J\\u{202E}b c)" in table.out


def test_a_request_from_a_file(remit: Remit, policy: str, tmp_path: Path) -> None:
    request = {"tool": "Bash", "input": {"command": "deploy x"}, "labels": {"env": "prod"}, "cwd": "/x"}
    (tmp_path / "call.json").write_text(json.dumps(request))
    assert remit("decide", "--policy", policy, "call.json").code == 1
    assert remit("decide", "--policy", policy, "-", stdin=json.dumps(request).encode()).code == 1
    # What is said on the command line wins.
    assert remit("decide", "--policy", policy, "call.json", "--label", "env=test").code == 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("", "empty", id="nothing"),
        pytest.param("{", "not JSON", id="half"),
        pytest.param("[]", "not a JSON object", id="a list"),
        pytest.param('{"tool": "Bash", "tool": "Read"}', "a key is given twice", id="a key twice"),
        pytest.param('{"tool": "Bash", "inputs": {}}', "there is no field 'inputs'", id="misspelt field"),
        pytest.param('{"input": {}}', "the field tool is missing", id="no tool"),
        pytest.param('{"tool": "Bash", "input": []}', "the field input is no object", id="wrong kind"),
        pytest.param('{"tool": "Bash", "cwd": "x"}', "the field cwd is no absolute path", id="relative folder"),
        pytest.param('{"tool": "Bash", "input": {"x": NaN}}', "NaN is no JSON value", id="NaN"),
        pytest.param('{"tool": "Bash", "interactive": 1}', "neither true nor false", id="a number for a flag"),
        pytest.param('{"tool": "Bash", "session": {"approved": ["sha256:0"]}}', "no part 'approved'", id="self-approved"),
    ],
)  # fmt: skip
def test_what_is_no_request(remit: Remit, policy: str, text: str, said: str) -> None:
    done = remit("decide", "--policy", policy, "-", stdin=text.encode())
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    lines = remit("decide", "--policy", policy, "--jsonl", stdin=b"%s\n" % text.encode() if text else b"x\n")
    assert lines.code == 2
    assert rows(lines.out)[0]["decision"] == "deny"
    assert rows(lines.out)[0]["reason"]["code"] == "error"


def test_a_bad_line_does_not_stop_the_stream(remit: Remit, policy: str) -> None:
    good = b'{"tool": "Bash", "input": {"command": "npm run x"}}\n'
    huge = b'{"tool": "' + b"x" * (2 << 20) + b'"}\n'
    done = remit("decide", "--policy", policy, "--jsonl", stdin=good + b"\n" + b"nonsense\n" + huge + b"\xff\n" + good)
    answers = rows(done.out)
    assert [answer["decision"] for answer in answers] == ["allow", "deny", "deny", "deny", "allow"]
    assert "line 3: not JSON" in answers[1]["reason"]["message"]
    assert "line 4: more than" in answers[2]["reason"]["message"]
    assert done.code == 2


def test_lines_that_are_all_requests_exit_with_0(remit: Remit, policy: str, tmp_path: Path) -> None:
    (tmp_path / "calls.jsonl").write_text('{"tool": "Bash", "input": {"command": "git push -f"}}\n' * 2)
    done = remit("decide", "--policy", policy, "calls.jsonl")
    assert done.code == 0
    assert [answer["decision"] for answer in rows(done.out)] == ["deny", "deny"]


def test_hook_payloads(remit: Remit, policy: str) -> None:
    stop = {**PAYLOAD, "hook_event_name": "Stop"}
    text = "\n".join([json.dumps(PAYLOAD), json.dumps(stop)]).encode()
    done = remit("decide", "--policy", policy, "--from", "claude-code", "--jsonl", stdin=text)
    first, second = rows(done.out)
    assert first["reason"]["rule"] == "no-force-push"
    assert second["reason"]["message"] == "line 2: no decision is due at Stop"


def test_table(remit: Remit, policy: str) -> None:
    done = remit(
        "decide",
        "--policy",
        policy,
        "--from",
        "claude-code",
        "--jsonl",
        "--format",
        "table",
        stdin=json.dumps(PAYLOAD).encode(),
    )
    assert done.out == f"deny   {'git push -f':<58}  rule no-force-push (org.remit:4)\n"
    assert done.err == "0 allow, 1 deny, 0 ask\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--command", "ls", "--tool", "Bash"], "--command stands for --tool and --input"),
        (["--input", "{}"], "--input needs --tool"),
        (["--tool", "Bash", "--input", "{"], "--input: not JSON"),
        (["--command", "ls", "file.json"], "either in FILE or with"),
        (["--command", "ls", "--label", "env"], "KEY=VALUE"),
        (["--command", "ls", "--time", "garbage"], "`garbage` is no time"),
        (["--command", "", "--tool", "Bash"], "--command stands for --tool and --input"),
    ],
)
def test_usage(remit: Remit, policy: str, arguments: list[str], said: str) -> None:
    done = remit("decide", "--policy", policy, *arguments)
    assert done.code == 2
    assert said in done.err


def test_an_empty_command_is_a_call(remit: Remit, policy: str) -> None:
    done = remit(
        "decide",
        "--policy",
        policy,
        "--command",
        "",
        "--json",
        stdin=b'{"tool": "Bash", "input": {"command": "git push -f"}}',
    )
    assert done.json["decision"] != "deny"


@pytest.mark.parametrize("command", ["decide", "explain"])
def test_a_mode_that_nobody_defines_is_refused(remit: Remit, policy: str, command: str) -> None:
    done = remit(command, "--policy", policy, "--command", "ls", "--mode", "bypss")
    assert done.code == 2
    assert "the policies know no mode `bypss`; did you mean `bypass`?" in done.err
    assert remit(command, "--policy", policy, "--command", "ls", "--mode", "default").code != 2


@pytest.mark.parametrize("command", ["decide", "explain"])
def test_a_command_given_as_a_file_gets_the_right_option(remit: Remit, policy: str, command: str) -> None:
    done = remit(command, "--policy", policy, "make x")
    assert done.code == 2
    assert "a shell command is given as --command 'make x'" in done.err


@pytest.mark.parametrize("command", ["decide", "explain"])
def test_what_has_no_effect_is_noted(remit: Remit, tmp_path: Path, command: str) -> None:
    folder = tmp_path / ".remit"
    folder.mkdir()
    (folder / "p.remit").write_text(
        "policy p for project\nuse std\nuse std.reading\nallow Bash(make *)\n", encoding="utf-8"
    )
    done = remit(command, "--command", "make x")
    assert done.code == 3
    assert "2 statements without effect; `remit check` names the place and the reason" in done.err
