"""What the splitter takes for commands is a script to bash as well: `bash -n` is asked, and what it refuses is never allowed."""

from __future__ import annotations

import shutil
import subprocess
from random import Random

import pytest
from shell_texts import script

from remit import Engine, Request
from remit.shell import split

BASH = shutil.which("bash")
ENGINE = Engine.from_source("use std.tools\nallow all: Bash(*)", second_opinion="off")
# Refused by bash, and read as commands once.
REFUSED = (
    "m1 < 2>&1",
    "m1 < \\\n2>&1",
    "m1 > 2>x",
    "m1 <<< 2>x",
    "m1 > {a}>x",
    "m1[then",
    "if a[; then m1; fi",
    "coproc f() { m1; }",
    "coproc f () { m1; }",
)
ACCEPTED = ("m1 > 2 >x", "m1 <2", "m1 >&2 >x", "m1 >&2>x", "m1 x[", "echo a[b", "coproc f { m1; }", "coproc m1 x")

pytestmark = pytest.mark.skipif(BASH is None, reason="needs bash")


def is_script(text: str) -> bool:
    """Whether bash can read the text, which it does not run."""
    done = subprocess.run(
        [str(BASH), "-n"], input=text.encode(), capture_output=True, timeout=10, check=False, start_new_session=True
    )
    return done.returncode == 0


def decision(text: str) -> str:
    return ENGINE.decide(Request("Bash", {"command": text}, "/w", ("/w",), "/h")).decision


@pytest.mark.parametrize("text", REFUSED)
def test_what_bash_refuses_is_declined(text: str) -> None:
    assert not is_script(text)
    assert split(text).opaque
    assert decision(text) != "allow"


@pytest.mark.parametrize("text", ACCEPTED)
def test_what_is_close_to_it_is_read(text: str) -> None:
    assert is_script(text)
    assert not split(text).opaque


def test_generated_scripts_are_valid_or_declined() -> None:
    """A `$((` that turns out to hold commands is left out: bash reads it twice, and differs from itself by version."""
    refused = 0
    for seed in range(700):
        text = script(Random(seed))
        if "$((" in text or "\0" in text or is_script(text):
            continue
        refused += 1
        assert split(text).opaque, (seed, text)
        assert decision(text) != "allow", (seed, text)
    assert refused >= 50
