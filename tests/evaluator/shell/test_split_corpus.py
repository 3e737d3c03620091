"""The corpus of shell texts, and the installed bash as witness that they are what they claim to be."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest
from cases import CORPUS, Case, Golden, read_cases

from remit.shell import Script, split
from remit.shell.constructs import CONSTRUCTS
from remit.shell.fast import fast
from remit.shell.parser import parse

CASES = read_cases(CORPUS / "bash" / "commands.txt")
BASH = shutil.which("bash")


def shown(script: Script) -> str:
    lines = [json.dumps([str(word) for word in command.argv]) for command in script.commands if command.argv]
    return "\n".join(
        [*lines, *(f"! {piece.construct}" for piece in script.opaque), *(f"= {f}" for f in script.functions)]
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_commands(case: Case, golden: Golden) -> None:
    golden(case, shown(split(case.given)))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_bash_takes_the_text_as_the_case_says(case: Case) -> None:
    if BASH is None:
        pytest.skip("bash is not installed")
    checked = subprocess.run([BASH, "-n", "-c", case.given], capture_output=True, check=False, timeout=10)
    refused = checked.returncode != 0 and "here-document" not in checked.stderr.decode()
    assert refused == ("(invalid)" in case.name), checked.stderr


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_fast_path_gives_what_the_grammar_gives(case: Case) -> None:
    for text in (case.given, *case.given.split("\n"), *case.given.split(";")):
        plain = fast(text)
        assert plain is None or plain == parse(text, "bash")


def test_declined_constructs_are_in_the_vocabulary() -> None:
    declined = {piece.construct for case in CASES for piece in split(case.given).opaque}
    assert declined <= CONSTRUCTS
    assert len(declined) >= 12
