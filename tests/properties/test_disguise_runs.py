"""L4 with bash itself as the judge: whatever disguise makes a denied command run, the call that holds it is never allowed.

A denied program that leaves a mark is put behind several layers at once, and the text is run by the installed bash in an empty folder. What
left a mark must have been denied or asked about; what left none says nothing.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
from pathlib import Path
from random import Random

import pytest

from remit import Engine, Request
from remit.paths import NoFiles

BASH = shutil.which("bash")
pytestmark = pytest.mark.skipif(BASH is None, reason="needs bash")

ENGINE = Engine.from_source(
    "use std.tools\ndeny denied: Bash(m1 *)\nallow all: Bash(*)", files=NoFiles(), second_opinion="off"
)
# How the command is spelled.
SPELLINGS = (
    "m1 x",
    "'m1' x",
    'm""1 x',
    "\\m1 x",
    "m\\\n1 x",
    "$'m1' x",
    "$'\\x6d1' x",
    "m1",
    "{m1,x}",
    "P=m1; $P x",
    "P='m1 x'; $P",
    'P=(m1 x); "${P[@]}"',
    "${Q:-m1} x",
    "$(echo m1) x",
    "printf -v P m1; $P x",
    "read P <<< m1; $P x",
    "declare -n R=P; P=m1; $R x",
    "A=1 m1 x",
    "> out m1 x",
    "m1 x 2>&1",
    "command m1 x",
    "exec m1 x",
    "hash -r; m1 x",
    'set -- m1 x; "$@"',
    "for P in m1; do $P x; done",
)
# What may stand around a text; `{0}` is the text, `{1}` the text as one quoted word.
LAYERS = (
    "( {0} )",
    "{{ {0}\n}}",
    "true && {{ {0}\n}}",
    "false || {{ {0}\n}}",
    "true; {0}",
    "true & {0}",
    "true | {{ {0}\n}}",
    "if true; then {0}\nfi",
    "for i in 1; do {0}\ndone",
    "while true; do {0}\nbreak; done",
    "case x in x) {0}\n;; esac",
    "f() {{ {0}\n}}; f",
    "! {{ {0}\n}}",
    "time {{ {0}\n}}",
    "echo $( {0}\n)",
    'echo "$( {0}\n)"',
    "cat <( {0}\n)",
    "echo ${{Z:-$( {0}\n)}}",
    "cat <<E\n$( {0}\n)\nE",
    "[[ -n $( {0}\n) ]]",
    "(( $( {0}\n) + 1 ))",
    "x=$( {0}\n) true",
    "x=( $( {0}\n) )",
    "bash -c {1}",
    "bash -ec {1}",
    "bash --norc -c {1}",
    "bash +e -c {1}",
    "eval {1}",
    "bash <<< {1}",
    "bash <<'E'\n{0}\nE",
    "echo {1} | bash",
    "source /dev/stdin <<< {1}",
    "trap {1} EXIT",
    "env bash -c {1}",
    'env -i PATH="$PATH" MARK="$MARK" bash -c {1}',
    "nice timeout 5 bash -c {1}",
    "nohup bash -c {1}",
    "echo x | xargs -I@ bash -c {1}",
    "find . -maxdepth 0 -exec bash -c {1} \\;",
    'x={1}; bash -c "$x"',
    'x={1}; eval "$x"',
    "export x={1}; bash -c 'eval \"$x\"'",
    "git -c alias.a=!{1} a",
    "GIT_PAGER={1} git -p --version",
    "python3 -c 'import os, sys; os.system(sys.argv[1])' {1}",
    "awk -v c={1} 'BEGIN {{ system(c) }}'",
    "shopt -s expand_aliases\nalias a={1}\na",
    "PS4='$( {0}\n)'; set -x; true",
    'PROMPT_COMMAND={1}; eval "$PROMPT_COMMAND"',
    "x='a[$( {0}\n)]'; (( x ))",
    "x='a[$( {0}\n)]'; let x",
    "x='a[$( {0}\n)]'; [[ $x -eq 1 ]]",
    "x='a[$( {0}\n)]'; declare -i y=x",
    "echo 'a[$( {0}\n)]' > d; read -r x < d; echo $((x))",
    "mapfile -C {1} -c 1 z <<< y",
    "coproc {{ {0}\n}}; wait",
)
RUNS = 220


class Ground:
    """A folder in which the denied program leaves its mark, whatever calls it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        programs = folder / "bin"
        programs.mkdir()
        marker = programs / "m1"
        marker.write_text('#!/bin/sh\necho ran >> "$MARK"\n')
        marker.chmod(0o755)
        self.mark = folder / "mark"
        self.environment = {"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(folder), "MARK": str(self.mark)}

    def runs(self, text: str) -> bool:
        """Whether the text runs the denied program."""
        assert BASH is not None
        self.mark.unlink(missing_ok=True)
        work = self.folder / "work"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        process = subprocess.Popen(
            [BASH, "-c", text],
            env=self.environment,
            cwd=work,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=5)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return self.mark.exists()


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    return Ground(tmp_path_factory.mktemp("disguise"))


def decide(text: str) -> str:
    return ENGINE.decide(Request("Bash", {"command": text}, "/w", ("/w",), "/h", mode="bypass")).decision


def around(layer: str, text: str) -> str:
    return layer.format(text, shlex.quote(text))


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_each_spelling(ground: Ground, spelling: str) -> None:
    """It runs, so that it counts, and is not allowed."""
    assert ground.runs(spelling)
    assert decide(spelling) != "allow"


@pytest.mark.parametrize("layer", LAYERS)
def test_each_layer(ground: Ground, layer: str) -> None:
    """What runs within is not allowed. (A few layers run nothing with some versions of their programs.)"""
    text = around(layer, "m1 x")
    assert not ground.runs(text) or decide(text) != "allow", text


def test_layers_upon_layers(ground: Ground) -> None:
    """Two or three at once, chosen by chance that is the same each time; most of them run, else nothing would be shown."""
    chance, ran = Random(7), 0
    for _ in range(RUNS):
        text = chance.choice(SPELLINGS)
        for layer in chance.choices(LAYERS, k=chance.choice((1, 2, 2, 3))):
            text = around(layer, text)
        # A look at the decision first: bash is asked only where it would tell something.
        if decide(text) == "allow":
            assert not ground.runs(text), text
        else:
            ran += 1
    assert ran > RUNS * 0.9
