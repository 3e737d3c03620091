"""install, doctor, uninstall with real files and the real hook: each thing that switches a hook off is found."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from remit.installing.agents import TARGETS
from remit.installing.canary import payload, sing
from remit.installing.diagnosis import CODES, Surroundings, diagnose
from remit.installing.files import BACKUP, read, replace
from remit.installing.settings_json import SettingsError

POLICY = "policy p.x for org\nuse std\nuse std.reading\ndefault allow\n"


class Machine:
    """A home folder, a project, a policy; the hook as `remit install` writes it."""

    def __init__(self, folder: Path) -> None:
        self.home, self.project, self.policy = folder / "home", folder / "project", folder / "p.remit"
        self.home.mkdir()
        self.project.mkdir()
        self.policy.write_text(POLICY, encoding="utf-8")

    def file(self, agent: str) -> Path:
        return self.home / TARGETS[agent].user.path

    def install(self, agent: str) -> Path:
        path = str(self.file(agent))
        before = read(path)
        replace(path, before, TARGETS[agent].user.install(before, agent, ["--policy", str(self.policy)]))
        return Path(path)

    def codes(self, agent: str, **environment: str) -> list[str]:
        return [item.code for item in diagnose(agent, Surroundings(str(self.home), str(self.project), environment))]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.mark.parametrize("agent", TARGETS)
def test_the_canary_is_denied_by_an_installed_hook(machine: Machine, agent: str) -> None:
    assert machine.codes(agent) == ["D101"]
    machine.install(agent)
    assert machine.codes(agent) == []


def edit(path: Path, change: Callable[[str], str]) -> None:
    path.write_text(change(path.read_text()))


@pytest.mark.parametrize(
    ("agent", "spoil", "code"),
    [
        ("claude-code", lambda m: edit(m.file("claude-code"), lambda text: text.replace('"*"', '"Bash"')), "D103"),
        ("claude-code", lambda m: edit(m.file("claude-code"), lambda text: text.replace("10,", "2,")), "D104"),
        ("gemini", lambda m: edit(m.file("gemini"), lambda text: text.replace("10000", "10")), "D104"),
        ("claude-code", lambda m: edit(m.file("claude-code"), lambda text: text.replace('"block"', '"Block"')), "D105"),
        ("claude-code", lambda m: edit(m.file("claude-code"), lambda text: text + ","), "D102"),
        ("codex", lambda m: edit(m.file("codex"), lambda text: text.replace(sys.executable, "/nowhere/python")), "D201"),
        ("claude-code", lambda m: edit(m.policy, lambda text: text + "deny\n"), "D401"),
        ("cursor", lambda m: m.policy.unlink(), "D401"),
        ("opencode", lambda m: edit(m.file("opencode"), lambda text: text.replace('"hook", "opencode"', '"hook", "codex"')), "D501"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_hook(machine: Machine, agent: str, spoil: Callable[[Machine], None], code: str) -> None:
    machine.install(agent)
    spoil(machine)
    assert code in machine.codes(agent)


@pytest.mark.parametrize(
    ("agent", "file", "text"),
    [
        ("claude-code", "project/.claude/settings.json", '{"disableAllHooks": true}'),
        ("claude-code", "project/.claude/settings.local.json", '{"disableAllHooks": "yes"}'),
        ("copilot", "project/.claude/settings.json", '{"disableAllHooks": true}'),
        ("copilot", "project/.github/copilot/settings.json", '{"disableAllHooks": true}'),
        ("gemini", "project/.gemini/settings.json", '{"hooksConfig": {"enabled": false}}'),
        ("gemini", "project/.gemini/settings.json", '{"hooksConfig": {"disabled": ["remit"]}}'),
        ("codex", "home/.codex/config.toml", "[features]\nhooks = false\n"),
    ],
)
def test_switches(machine: Machine, tmp_path: Path, agent: str, file: str, text: str) -> None:
    machine.install(agent)
    (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / file).write_text(text)
    assert machine.codes(agent) == ["D301"]


def test_variables(machine: Machine) -> None:
    machine.install("claude-code")
    assert machine.codes("claude-code", CLAUDE_CODE_SAFE_MODE="1") == ["D302"]


def test_a_launcher_that_others_can_write(machine: Machine, tmp_path: Path) -> None:
    path = machine.install("codex")
    (tmp_path / "open").mkdir(mode=0o777)
    (tmp_path / "open").chmod(0o777)
    copy = tmp_path / "open" / "python"
    copy.symlink_to(sys.executable)
    script = tmp_path / "open" / "own"
    script.write_text("#!/bin/sh\nexec " + sys.executable + ' "$@"\n')
    script.chmod(0o755)
    edit(path, lambda text: text.replace(sys.executable, str(script)))
    assert "D202" in machine.codes("codex")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_launcher_of_somebody_else(machine: Machine, tmp_path: Path) -> None:
    path = machine.install("codex")
    folder = tmp_path / "theirs"
    folder.mkdir()
    (folder / "python").symlink_to(sys.executable)
    os.chown(folder, 12345, 12345)
    edit(path, lambda text: text.replace(sys.executable, str(folder / "python")))
    assert machine.codes("codex") == ["D202"]


def test_a_launcher_in_the_project(machine: Machine) -> None:
    path = machine.install("codex")
    python = machine.project / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    edit(path, lambda text: text.replace(sys.executable, str(python)))
    assert machine.codes("codex") == ["D203"]
    home = Surroundings(str(machine.project), str(machine.project), {})
    (machine.project / ".codex").mkdir()
    (machine.project / ".codex/hooks.json").write_text(path.read_text())
    assert diagnose("codex", home) == []


def test_every_code_is_listed_and_found_somewhere() -> None:
    found = Path(__file__).read_text()
    assert all(code in found for code in CODES)


def test_a_hook_that_says_nothing_or_hangs_has_not_denied(tmp_path: Path) -> None:
    assert sing("codex", "true", str(tmp_path)) == "the hook did not deny it"
    assert "failed" in sing("codex", "exit 3", str(tmp_path))
    assert "did not run" in sing("codex", ["/nowhere"], str(tmp_path))
    assert sing("codex", 'echo \'{"decision": "allow", "x": "RemitCanary"}\'', str(tmp_path)) != ""


# --- files -----------------------------------------------------------------------------------------------------------------


def test_the_first_content_is_kept_and_permissions_stay(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text("{}")
    path.chmod(0o600)
    replace(str(path), "{}", "one")
    replace(str(path), "one", "two")
    assert (path.read_text(), (tmp_path / f"settings.json{BACKUP}").read_text()) == ("two", "{}")
    assert path.stat().st_mode & 0o777 == 0o600
    replace(str(path), "two", "")
    assert not path.exists()


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("a")
    (tmp_path / "link").symlink_to("real")
    replace(str(tmp_path / "link"), "a", "b")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "b"


def test_what_changed_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("new")
    with pytest.raises(SettingsError, match="meanwhile"):
        replace(str(tmp_path / "x"), "old", "mine")
    assert (tmp_path / "x").read_text() == "new"


def test_a_crash_while_writing_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x").write_text("old")

    def crash(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", crash)
    with pytest.raises(SettingsError, match="No space"):
        replace(str(tmp_path / "x"), "old", "new")
    assert (tmp_path / "x").read_text() == "old"
    assert not list(tmp_path.glob(".remit-*"))


def test_two_at_once_leave_one_whole_file(tmp_path: Path) -> None:
    script = (
        "import sys\nfrom remit.installing.agents import TARGETS\nfrom remit.installing.files import read, replace\n"
        "path = sys.argv[1]\nplace = TARGETS['claude-code'].user\nbefore = read(path)\n"
        "try:\n    replace(path, before, place.install(before, 'claude-code', [sys.argv[2], '/x']))\n"
        "except Exception as error:\n    assert 'meanwhile' in str(error), error\n"
    )
    path = tmp_path / "settings.json"
    path.write_text(json.dumps({"model": "m"}))
    runs = [
        subprocess.Popen([sys.executable, "-c", script, str(path), option])
        for option in ("--home", "--log", "--socket")
    ]
    assert [run.wait(60) for run in runs] == [0, 0, 0]
    settings = json.loads(path.read_text())
    assert settings["model"] == "m"
    assert len(settings["hooks"]["PreToolUse"]) == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("theirs", ["link", "link/..", "folder/real", "folder"])
def test_what_is_in_somebody_elses_hands_is_not_written(tmp_path: Path, theirs: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/real").write_text("a")
    (tmp_path / "links").mkdir()
    (tmp_path / "links/link").symlink_to("../folder/real")
    place = {"link": "links/link", "link/..": "links"}.get(theirs, theirs)
    os.chown(tmp_path / place, 12345, 12345, follow_symlinks=False)
    way = tmp_path / "links/link"
    if theirs == "link/..":
        (tmp_path / "way").symlink_to("links")
        os.chown(tmp_path / "way", 12345, 12345, follow_symlinks=False)
        way = tmp_path / "way/link"
    with pytest.raises(SettingsError, match="alone"):
        replace(str(way), "a", "b")
    assert (tmp_path / "folder/real").read_text() == "a"


def test_a_folder_in_which_anybody_may_write_is_no_place(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o1777)
    with pytest.raises(SettingsError, match="alone"):
        replace(str(tmp_path / "open/settings.json"), "", "{}")


def test_links_that_lead_in_a_circle_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(SettingsError):
        replace(str(tmp_path / "a"), "", "{}")


@pytest.mark.parametrize("shell", [("bash", "--posix"), ("bash",), ("sh",)])
def test_functions_in_variables_do_not_answer_for_the_hook(machine: Machine, shell: tuple[str, ...]) -> None:
    """A shell that is bash defines them as it starts (bash(1), "FUNCTIONS"); a project's settings may set variables."""
    command = json.loads(machine.install("claude-code").read_text())["hooks"]["PreToolUse"][0]["hooks"][0]["command"]
    forged = {f"BASH_FUNC_{name}%%": "() { builtin echo forged; }" for name in ("printf", "echo", "out")}
    done = subprocess.run(
        [*shell, "-c", command], input=json.dumps(payload("claude-code", str(machine.project))).encode(),
        capture_output=True, env={**os.environ, **forged}, timeout=60, check=False,
    )  # fmt: skip
    assert b"forged" not in done.stdout
    assert b'"deny"' in done.stdout


def test_an_answer_that_cannot_be_passed_on_refuses(machine: Machine) -> None:
    command = json.loads(machine.install("claude-code").read_text())["hooks"]["PreToolUse"][0]["hooks"][0]["command"]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            ["sh", "-c", command], input=json.dumps(payload("claude-code", str(machine.project))).encode(), stdout=full,
            stderr=subprocess.PIPE, timeout=60, check=False,
        )  # fmt: skip
    assert done.returncode == 2


def test_a_settings_file_elsewhere(machine: Machine, tmp_path: Path) -> None:
    path = tmp_path / "elsewhere.json"
    replace(str(path), "", TARGETS["codex"].user.install("", "codex", ["--policy", str(machine.policy)]))
    around = Surroundings(str(machine.home), str(machine.project), {}, str(path))
    assert diagnose("codex", around) == []
    assert [item.code for item in diagnose("codex", around._replace(file=str(tmp_path / "none.json")))] == ["D101"]
