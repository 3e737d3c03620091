"""What the standard library's declarations make of real command lines: the corpus in tests/corpus/programs."""

from __future__ import annotations

import pytest
from cases import CORPUS, Case, Golden, read_cases
from knowledge import render, std_programs, words

from remit.knowledge import analyse

CASES = [case for path in sorted((CORPUS / "programs").glob("*.txt")) for case in read_cases(path)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_command_line(case: Case, golden: Golden) -> None:
    argv = words(case.given)
    golden(case, render(analyse(std_programs()[str(argv[0])], argv), argv))
