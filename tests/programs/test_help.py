"""The options of the standard library's programs, against what `PROGRAM --help` says of them where it is installed.

Opt in with REMIT_FACTS=1: help texts differ by version. `help.txt` names where a declaration is right to differ.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fact_table import rows
from help_texts import Offered, help_text, offered
from knowledge import std_programs

DIFFERENT = Path(__file__).with_name("help.txt")
TAKES = {"none": 0, "value": 1, "optional": 2}
pytestmark = pytest.mark.skipif(os.environ.get("REMIT_FACTS") != "1", reason="opt in with REMIT_FACTS=1")


def programs() -> list[str]:
    """The declared programs that the table of facts runs anyway: asking them for help does no harm."""
    names = {row.program for row in rows()} | {row.command.split()[0] for row in rows()}
    return sorted(names & set(std_programs()))


def differences(offer: Offered, options: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Option and fault, for one line of a help text."""
    word, letter = options.get(offer.long), options.get(offer.letter)
    if word is not None and (word[1] == 1) != (offer.takes == "value"):
        yield offer.long, f"takes {offer.takes}"
    if letter is not None and (letter[1] == 1) != (offer.takes == "value"):
        yield offer.letter, f"takes {offer.takes}"
    if word is not None and letter is not None and word[0] != letter[0]:
        yield offer.letter, f"is {offer.long}"
    if word is None and letter is None and offer.takes == "value" and offer.names_something:
        yield offer.long, "is not declared, and its value names something"


@pytest.mark.parametrize("program", programs())
def test_options_are_as_the_help_says(program: str) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    level = std_programs()[program]
    options = {**level.get("options", {}), **level.get("globals", {})}
    text = help_text(program, "--help", "all") if program == "curl" else help_text(program, "--help")
    right = {line.partition(" # ")[0] for line in DIFFERENT.read_text(encoding="utf-8").splitlines()}
    found = {f"{name} {fault}" for offer in offered(text) for name, fault in differences(offer, options)}
    assert {item for item in found if f"{program} {item.partition(' ')[0]}" not in right} == set()


def test_help_texts_are_read() -> None:
    """Most of them show options in a form that is understood."""
    assert sum([any(offered(help_text(name, "--help"))) for name in programs() if shutil.which(name)]) > 60
