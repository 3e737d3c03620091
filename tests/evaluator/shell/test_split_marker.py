"""What really ran must have been seen or declined: scripts run by the installed shells around programs that leave a mark."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from random import Random

import pytest
from shell_texts import PROGRAMS, script

from remit.shell import Partial, split
from remit.shell.braces import expand

# The attacks that parsers are known to fall for; `m1` runs in each of them.
ATTACKS = (
    "m0 'a'$(m1)'b'",
    "m0 ${x:-$(m1)}",
    "cat <<E\n$(m1)\nE",
    "m0 $(m0\nm1)",
    "m0 $(m0 # )\nm1)",
    "$'m1'",
    "$'\\x6d1'",
    "m\\1",
    "m''1",
    "m\\\n1",
    "m0 & m1",
    "m0 \"it's $(m1) isn't\"",
    "m0 <<E; m1\nx\nE",
    "m0 $(( $(m1) ))",
    "m0 >&2&m1",
    ">/dev/null m1",
    ">&-m1",
    "time m1",
    "! { m1; }",
    "f() { m1; }; f",
    "if m0; then :; else m1; fi",
    "case a in a) m1;; esac",
    "for x in $(m1); do :; done",
    "x=1 m1",
    "x=$(m1)",
    "a[$(m1)]=1",
    "a=(1 $(m1))",
    "[[ a == $(m1) ]]",
    "m0 2&>1 | m1",
    'm0 "$\\\n(m1)"',
    "tim\\\ne m1",
    "A\\\n=1 m1",
    "{m1,a}",
    "m0 <<< $(m1)",
    "m0 <(m1)",
    "x='a[$(m1)]'; (( x ))",
    "(( a[\\$(m1)] ))",
    "m0 $[ $(m1) ]",
    "m0 `m0 \\`m1\\``",
    "coproc m1; wait",
    "m0 $((m0);(m1))",
    "m0 #\\\nm1",
    "m0 a#;m1",
    "((m0);(m1))",
)
# In dash these read differently than in bash, and run `m1`.
DASH_ATTACKS = ("m0 $'a\\' ; m1 #'", "m0 x &>/dev/null m1", "[[ a == b || m1 ]]", "((m1))", "m0 a>&x; m1")


class Ground:
    """A folder with the marking programs, and the shells that are installed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.runs = 0
        programs = folder / "bin"
        programs.mkdir()
        for name in PROGRAMS:
            marker = programs / name
            marker.write_text(
                f"#!{shutil.which('sh')}\n"
                's=$(printf "%s\\037" "${0##*/}" "$@" .)\nprintf "%s\\036" "$s" >> "$MARKS"\nexit 1\n'
            )
            marker.chmod(0o755)
        self.environment = {"PATH": str(programs), "HOME": str(folder)}

    def ran(self, shell: str, text: str) -> list[list[str]]:
        """What ran: program and arguments. Empty when it does not end in time."""
        # A file per run: what an earlier script left in the background may still be writing.
        self.runs += 1
        log = self.folder / f"marks-{self.runs}"
        # A session of its own: whatever the script leaves running, loops in the background too, ends with the run.
        process = subprocess.Popen(
            [shell, "-c", text],
            env={**self.environment, "MARKS": str(log)},
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return []
        finally:
            _end(process)
        marks = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
        return [mark.split("\x1f")[:-2] for mark in marks.split("\x1e") if mark]


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends the script's session. Once it is over itself, what it left in the background has half a second to leave its mark."""
    until = time.monotonic() + 0.5
    with contextlib.suppress(ProcessLookupError):
        while process.poll() is not None and time.monotonic() < until:
            os.killpg(process.pid, 0)
            time.sleep(0.002)
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    return Ground(tmp_path_factory.mktemp("marker"))


def shell_path(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def unseen(text: str, dialect: str, ran: list[list[str]]) -> list[list[str]]:
    """What ran although the splitter neither saw nor declined it."""
    result = split(text, dialect)
    if result.opaque:
        return []
    seen = [[word for part in command.argv for word in expand(part)] for command in result.commands if command.argv]
    if any(argv and isinstance(argv[0], Partial) for argv in seen):
        return []
    known = [argv for argv in seen if not any(isinstance(word, Partial) for word in argv)]
    open_ended = {argv[0] for argv in seen if argv and argv not in known}
    return [argv for argv in ran if argv not in known and argv[0] not in open_ended]


@pytest.mark.parametrize("text", ATTACKS)
def test_attacks_on_bash(ground: Ground, text: str) -> None:
    ran = ground.ran(shell_path("bash"), text)
    assert any(argv[0] == "m1" for argv in ran) or split(text).opaque
    assert unseen(text, "bash", ran) == []


@pytest.mark.parametrize("text", [*ATTACKS, *DASH_ATTACKS])
def test_attacks_on_dash(ground: Ground, text: str) -> None:
    assert unseen(text, "sh", ground.ran(shell_path("dash"), text)) == []


@pytest.mark.parametrize(("shell", "dialect"), [("bash", "bash"), ("dash", "sh")])
def test_generated_scripts(ground: Ground, shell: str, dialect: str) -> None:
    path, marks = shell_path(shell), 0
    for seed in range(150):
        text = script(Random(seed))
        if split(text, dialect).opaque or "&\n" in text or " & " in text:
            continue
        ran = ground.ran(path, text)
        marks += len(ran)
        assert unseen(text, dialect, ran) == [], text
    assert marks >= 20
