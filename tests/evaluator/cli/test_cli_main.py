from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import version

import pytest
from remit_calls import Remit

from remit.cli.main import COMMANDS


def test_help_names_every_command_and_the_exit_codes(remit: Remit) -> None:
    done = remit("--help")
    assert done.code == 0
    listed = [line.split()[0] for line in done.out.split("Commands:")[1].splitlines() if line.strip()]
    assert listed[: len(COMMANDS)] == list(COMMANDS)
    for line in ("0  fine", "1  findings", "2  wrong usage", "3  decide: ask"):
        assert line in done.out
    assert "..." not in done.out.split("Commands:")[1]  # a sentence that is cut off says nothing


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_help(remit: Remit, name: str) -> None:
    done = remit(name, "-h")
    assert done.code == 0
    assert f"Usage: remit {name} " in done.out


def test_version(remit: Remit) -> None:
    assert remit("--version").out == f"remit {version('remit')}\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(["chekc"], "there is no command `chekc`; did you mean `check`?", id="misspelt command"),
        pytest.param(["frobnicate"], "`remit --help` lists them", id="a command like no other"),
        pytest.param(["check", "--frmat", "json"], "--frmat", id="unknown option"),
        pytest.param(["check", "--format", "xml"], "xml", id="unknown format"),
        pytest.param(["decide", "--command", "ls", "--policy", "nowhere"], "nowhere", id="missing policy"),
        pytest.param(["decide", "--command", "ls"], "no policy found", id="no policy anywhere"),
        pytest.param(["import", "claude-code", "nowhere.json"], "nowhere.json", id="missing file"),
    ],
)
def test_what_cannot_be_done_exits_with_2_and_says_why(remit: Remit, arguments: list[str], said: str) -> None:
    done = remit(*arguments)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "--frmat", "--json"], ["check", "nowhere.remit", "--json"], ["lint", "--json", "nowhere.remit"],
        ["fmt", "--json", "-", "x"], ["test", "--json", "nowhere"], ["program", "--json"],
        ["decide", "--json", "--policy", "nowhere"], ["decide", "--format", "json"], ["explain", "--json", "--command", "ls"],
        ["split", "--json"], ["import", "--json", "claude-code", "nowhere"], ["trust", "--json", "nowhere"],
        ["init", "--json", "--template", "none"],
    ],
)  # fmt: skip
def test_errors_are_json_where_results_are(remit: Remit, arguments: list[str]) -> None:
    done = remit(*arguments)
    assert done.code == 2
    assert done.json["error"]["message"]


@pytest.mark.parametrize("ending", [">/dev/full", ">&-"])
@pytest.mark.parametrize("command", [["split", "ls"], ["split", "--json", "ls"], ["completion", "bash"]])
def test_output_that_cannot_be_written(command: list[str], ending: str) -> None:
    words = ["sh", "-c", f'exec "$@" {ending}', "sh", sys.executable, "-m", "remit", *command]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("ending", ["<&-", "2>/dev/full", "2>&-"])
def test_input_or_errors_that_are_closed(policy: str, ending: str) -> None:
    words = ["sh", "-c", f'exec "$@" {ending}', "sh", sys.executable, "-m", "remit", "decide", "--policy", policy]
    done = subprocess.run(words, input="", capture_output=True, text=True, check=False)
    assert (done.returncode, "internal" in done.stderr) == (2, False)


def test_an_internal_error_is_a_sentence(remit: Remit, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr("remit.cli.check.load_text", fails)
    done = remit("check")
    assert done.code == 2
    assert done.err == "error: internal error: ZeroDivisionError: oops (remit --debug … shows where)\n"
    with pytest.raises(ZeroDivisionError):
        remit("--debug", "check")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script_calls_back(remit: Remit, shell: str) -> None:
    done = remit("completion", shell)
    assert done.code == 0
    assert f"_REMIT_COMPLETE={shell}_complete" in done.out


def test_completion_completes() -> None:
    environment = {**os.environ, "_REMIT_COMPLETE": "bash_complete", "COMP_WORDS": "remit ch", "COMP_CWORD": "1"}
    done = subprocess.run([sys.executable, "-m", "remit"], env=environment, capture_output=True, text=True, check=False)
    assert done.stdout == "plain,check\n"


def test_a_reader_that_leaves_is_no_crash(policy: str) -> None:
    command = f"{sys.executable} -m remit program --json --policy {policy} | head -c 1"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("{", "")


def test_no_colour_where_no_terminal_is(remit: Remit, policy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b" not in remit("decide", "--policy", policy, "--command", "git push -f").out
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in remit("decide", "--policy", policy, "--command", "git push -f").out


def test_colour_on_a_terminal(remit: Remit, policy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("remit.cli.output.wants_colour", lambda stream: True)
    monkeypatch.setattr("click.utils.should_strip_ansi", lambda *_: False)
    assert "\x1b[31m" in remit("decide", "--policy", policy, "--command", "git push -f").out


def test_a_package_that_is_not_installed_is_named_with_the_way_to_get_it(
    remit: Remit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "remit.cli.audit", raising=False)
    for name in [name for name in sys.modules if name.startswith("remit.effects.audit.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)  # as if it were not there
    done = remit("audit", "tail")
    assert (done.code, done.err) == (2, "error: this needs the package sqlalchemy: pip install 'remit[daemon]'\n")
