"""The hook as a client starts it: one process a call. Whatever goes wrong, the call must not run: exit code 2, one line on standard
error, nothing on standard output."""

from __future__ import annotations

import json
import os
import pwd
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from hook_place import HOOK, Place, make_place, patched, refused


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return make_place(tmp_path_factory.mktemp("hook"))


# --- answers ---------------------------------------------------------------------------------------------------


def test_deny_names_rule_place_and_reason_on_one_line(place: Place) -> None:
    assert place.decision(place.payload("cd x && git push -f")) == (
        "deny",
        "remit: rule no-force-push (org.remit:3): Force pushes rewrite \\u{202E} history.",
    )


def test_ask(place: Place) -> None:
    decision, why = place.decision(place.payload("git push origin main"))
    assert (decision, why) == ("ask", "remit: rule publishing (org.remit:5): Publishing leaves the machine.")


def test_allow(place: Place) -> None:
    assert place.decision(place.payload("npm run build"))[0] == "allow"


@pytest.mark.parametrize(
    "payload", [{"hook_event_name": "PostToolUse"}, {"hook_event_name": "Stop", "tool_name": None}]
)
def test_other_events_have_no_answer(place: Place, payload: dict[str, Any]) -> None:
    done = place.run(place.payload(**payload))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_where_nothing_speaks_the_client_goes_on(place: Place) -> None:
    done = place.run(place.payload("some-tool x"))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_mode_of_the_client(place: Place) -> None:
    assert place.decision(place.payload("some-tool x", permission_mode="bypassPermissions"))[0] == "allow"
    assert place.decision(place.payload("git push -f", permission_mode="bypassPermissions"))[0] == "deny"
    assert place.decision(place.payload("some-tool x", permission_mode="plan"))[0] == "deny"


def test_a_label(place: Place) -> None:
    done = place.run(place.payload("deploy x"), "--policy", str(place.policy), "--label", "env=prod")
    assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_characters_that_no_encoding_has(place: Place) -> None:
    done = place.run(place.payload().replace(b"git push -f", b"git push -f \\ud800"))
    assert done.returncode == 2 or json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] in (
        "deny",
        "ask",
    )


def test_a_permission_request_is_answered_in_its_own_shape(place: Place) -> None:
    done = place.run(place.payload(hook_event_name="PermissionRequest", tool_use_id=None))
    output = json.loads(done.stdout)["hookSpecificOutput"]
    assert output["decision"]["behavior"] == "deny"
    asked = place.run(place.payload("git push", hook_event_name="PermissionRequest", tool_use_id=None))
    assert (asked.returncode, asked.stdout) == (0, b"")  # the client asks anyway


# --- input that is none ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stdin", "said"),
    [
        pytest.param(b"", "empty", id="nothing"),
        pytest.param(b" \n", "empty", id="blanks"),
        pytest.param(b"{", "not JSON", id="half"),
        pytest.param(b"{}{}", "not JSON", id="two"),
        pytest.param(b"[]", "not a JSON object", id="a list"),
        pytest.param(b"null", "not a JSON object", id="null"),
        pytest.param(b'{"a":\0}', "not JSON", id="NUL"),
        pytest.param(b'{"a":"\xff"}', "not UTF-8", id="not UTF-8"),
        pytest.param(b'{"a":1,"a":2}', "a key is given twice", id="a key twice"),
        pytest.param(b'{"a":{"b":1,"b":2}}', "a key is given twice", id="a key twice below"),
        pytest.param(b'{"a":NaN}', "NaN is no JSON value", id="NaN"),
        pytest.param(b'{"a":-Infinity}', "-Infinity is no JSON value", id="infinity"),
        pytest.param(b'{"a":1e999}', "out of range", id="too large a number"),
        pytest.param(b'{"a":' + b"9" * 5000 + b"}", "out of range", id="too many digits"),
        pytest.param(b'{"a":' + b"[" * 100 + b"]" * 100 + b"}", "nested more than 64 deep", id="nested"),
        pytest.param(b"[" * 500_000, "nested more than 64 deep", id="nested beyond the parser"),
        pytest.param(b'{"a":"' + b"x" * (1 << 20) + b'"}', "more than 1048576 bytes", id="huge"),
    ],
)
def test_what_is_no_payload_is_refused(place: Place, stdin: bytes, said: str) -> None:
    assert said in refused(place.run(stdin))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"hook_event_name": None}, "hook_event_name"),
        ({"hook_event_name": "pretooluse"}, "unknown hook event 'pretooluse'"),
        ({"tool_name": None}, "tool_name"),
        ({"tool_name": ["Bash"]}, "tool_name"),
        ({"tool_name": "x" * 513}, "longer than 512"),
        ({"tool_input": None}, "tool_input"),
        ({"tool_input": "git push"}, "tool_input"),
        ({"cwd": None}, "cwd"),
        ({"cwd": "here"}, "cwd is no absolute path"),
        ({"cwd": "/a\0b"}, "cwd is no absolute path"),
        ({"permission_mode": 1}, "permission_mode"),
        ({"agent_id": {}}, "agent_id"),
    ],
)
def test_fields_that_are_not_as_sent_are_refused(place: Place, changes: dict[str, Any], said: str) -> None:
    assert said in refused(place.run(place.payload(**changes)))


# --- policies that are none ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(["--policy", "/nowhere"], "E501 file that cannot be read (nowhere)", id="missing"),
        pytest.param(["--policy", "policies"], "absolute path", id="relative"),
        pytest.param(["--policy"], "needs a value", id="no value"),
        pytest.param(["--label", "env"], "KEY=VALUE", id="a label without a value"),
        pytest.param(["--label", "=prod"], "KEY=VALUE", id="a label without a key"),
        pytest.param(["--polcy", "/x"], "`--polcy` is not understood", id="misspelt option"),
    ],
)
def test_policies_that_cannot_be_used(place: Place, arguments: list[str], said: str) -> None:
    assert said in refused(place.run(place.payload("npm run x"), *arguments))


@pytest.mark.parametrize("arguments", [[], ["cursor"]])
def test_an_agent_that_is_not_known(place: Place, arguments: list[str]) -> None:
    command = [*HOOK[:-1], *arguments]
    refused(place.run(place.payload(), "--policy", str(place.policy), command=command))


def test_a_broken_policy(place: Place, tmp_path: Path) -> None:
    (tmp_path / "ok.remit").write_text("policy ok\nuse std\nallow Bash(npm *)\n")
    (tmp_path / "broken.remit").write_text("policy broken\ndenny Bash(x)\n")
    assert "broken.remit" in refused(place.run(place.payload("npm x"), "--policy", str(tmp_path)))


def test_what_a_broken_file_holds_is_not_said(place: Place, tmp_path: Path) -> None:
    """A project's file may be a link to a file of secrets, and the agent's model reads standard error."""
    (tmp_path / "x.remit").write_text("\nSECRETSECRET=abc more\ndeny SECRETSECRET(\nset x = SECRETSECRET\n")
    said = refused(place.run(place.payload("npm x"), "--policy", str(tmp_path)))
    assert "E102 unknown statement (x.remit:2)" in said
    assert "SECRET" not in said


def test_a_working_folder_that_is_gone(place: Place, tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    command = ["sh", "-c", 'cd "$0" && rmdir "$0" && exec "$@"', str(tmp_path / "gone"), *HOOK]
    done = place.run(place.payload(), "--policy", str(place.policy), command=command)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b'"deny"' in done.stdout


def test_no_policy_anywhere(place: Place) -> None:
    assert "E502 no policy" in refused(place.run(place.payload(), "--label", "a=b"))


def test_a_project_cannot_permit_for_itself(place: Place, tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / ".remit").mkdir(parents=True)
    (project / ".remit" / "p.remit").write_text('policy p\nuse std\nallow Bash(*)\ndeny d: Bash(rm *) because "no"\n')
    allowed = place.run(place.payload("npm x", cwd=str(project)), "--label", "a=b")
    assert (allowed.returncode, allowed.stdout) == (0, b"")
    denied = place.run(place.payload("rm x", cwd=str(project)), "--label", "a=b")
    assert b'"deny"' in denied.stdout


# --- the cache -----------------------------------------------------------------------------------------------------


def test_a_cache_that_cannot_be_written(place: Place, tmp_path: Path) -> None:
    (tmp_path / ".cache").write_text("")
    done = place.run(place.payload(), "--policy", str(place.policy), "--home", str(tmp_path))
    assert b'"deny"' in done.stdout


@pytest.mark.parametrize("name", ["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"])
def test_variables_do_not_move_what_is_trusted(place: Place, tmp_path: Path, name: str) -> None:
    """A project's settings may set variables; a cache or a trust file that it wrote must not count."""
    lured = place._replace(environment={**place.environment, name: str(tmp_path)})
    assert lured.decision(place.payload())[0] == "deny"
    assert not list(tmp_path.iterdir())


def test_the_workspace_is_not_the_home(place: Place) -> None:
    """A project that sets HOME to a folder of its own would move what `~/…` means in the policy."""
    home = place.environment["HOME"]
    lured = place._replace(environment={**place.environment, "HOME": str(place.workspace / "home")})
    secret = f"{pwd.getpwuid(os.getuid()).pw_dir}/secret"
    call = place.payload(tool_name="Read", tool_input={"file_path": secret})
    done = lured.run(call, "--policy", str(place.policy), "--home", home)
    assert b'"deny"' in done.stdout


@pytest.mark.parametrize(
    ("tool", "given"), [("Read", {"file_path": "{}/work/secret"}), ("Bash", {"command": "cat ~/work/secret"})]
)
def test_a_home_of_a_projects_choice_allows_nothing(
    place: Place, tmp_path: Path, tool: str, given: dict[str, str]
) -> None:
    """What a policy allows below `~` is the account's, whatever HOME is."""
    policy = tmp_path / "home.remit"
    policy.write_text("policy p for org\nuse std\nallow work: fs.read(~/work/**), exec(cat)\n")
    home, elsewhere = place.environment["HOME"], str(tmp_path / "elsewhere")
    for own, decision in ((home, "allow"), (elsewhere, None)):
        told = place._replace(environment={**place.environment, "HOME": own})
        call = place.payload(tool_name=tool, tool_input={name: text.format(own) for name, text in given.items()})
        said = told.run(call, "--policy", str(policy), "--home", home).stdout
        assert (b'"allow"' in said) is (decision == "allow"), said


# --- the process ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", [">&-", ">/dev/full", "<&-"])
def test_streams_that_are_closed_or_full(place: Place, ending: str) -> None:
    command = ["sh", "-c", f'exec "$@" {ending}', "sh", *HOOK]
    done = place.run(place.payload(), "--policy", str(place.policy), command=command)
    refused(done)


def test_a_reader_that_is_gone(place: Place) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    process = subprocess.Popen(
        [*HOOK, "--policy", str(place.policy)],
        stdin=subprocess.PIPE,
        stdout=writing,
        stderr=subprocess.PIPE,
        env=place.environment,
    )
    os.close(writing)
    _, said = process.communicate(place.payload())
    assert process.returncode == 2
    assert said.count(b"\n") == 1


@pytest.mark.parametrize(
    ("code", "said"),
    [
        pytest.param("import remit.decide; remit.decide.hits_of = None", "could not be judged (TypeError)", id="a bug"),
        pytest.param("import remit.agents.claude_code as c; c.answer = None", "internal error (TypeError)", id="a bug after it"),
        pytest.param("sys.modules['remit.engine'] = None", "internal error (ModuleNotFoundError)", id="a module is missing"),
        pytest.param("sys.modules['remit.hook'] = None", "the hook cannot start", id="the hook is missing"),
        pytest.param("import remit.payloads as p; p.loads = lambda *_: bytearray(1 << 62)", "out of memory", id="memory"),
        pytest.param("import remit.hook as h; h._answer = lambda o: sys.exit(0)", "internal error (SystemExit)", id="an exit"),
    ],
)  # fmt: skip
def test_whatever_breaks_refuses(place: Place, code: str, said: str) -> None:
    assert said in refused(place.run(place.payload("npm run x"), "--policy", str(place.policy), command=patched(code)))


SLEEPY = """
import time
import remit.engine
import remit.hook
remit.hook.DEADLINE_S = 0.3
remit.engine.decide = lambda *_: time.sleep(60)
"""


def test_being_late_refuses(place: Place) -> None:
    started = time.monotonic()
    done = place.run(place.payload(), "--policy", str(place.policy), command=patched(SLEEPY))
    assert "in time" in refused(done)
    assert time.monotonic() - started < 30


def test_a_policy_that_never_ends(place: Place, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "slow.remit")
    code = "import remit.hook\nremit.hook.DEADLINE_S = 0.3"
    refused(place.run(place.payload(), "--policy", str(tmp_path), command=patched(code)))


def test_being_late_with_the_input_refuses(place: Place) -> None:
    process = subprocess.Popen(
        [*patched("import remit.hook as h; h.DEADLINE_S = 0.3"), "--policy", str(place.policy)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=place.environment,
    )  # fmt: skip
    with process:
        assert process.wait(30) == 2
        assert process.stdout is not None
        assert process.stderr is not None
        assert (process.stdout.read(), process.stderr.read()) == (b"", b"remit: the call could not be judged in time\n")


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_being_stopped_refuses(place: Place, sent: signal.Signals) -> None:
    process = subprocess.Popen(
        [*patched("import remit.hook as h; arm = h._arm; h._arm = lambda: (arm(), print('ready', file=sys.stderr, flush=True))")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=place.environment,
    )  # fmt: skip
    with process:
        assert process.stderr is not None
        assert process.stderr.readline() == b"ready\n"
        process.send_signal(sent)
        assert process.wait(30) == 2
        assert process.stderr.read() == b"remit: the hook was stopped\n"


def test_modules_of_the_workspace_are_not_imported(place: Place) -> None:
    for name in ("json", "signal", "remit", "remit_dsl", "_sha256", "encodings"):
        (place.workspace / f"{name}.py").write_text("raise SystemExit(0)\n")
    try:
        assert place.decision(place.payload())[0] == "deny"
    finally:
        for file in place.workspace.glob("*.py"):
            file.unlink()
