"""JSON by the interpreter's own parts: the values and the complaints of `json`."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit_dsl.json_text import Reading, loads, quoted

TEXTS = [
    '{"a": [1, 2.5, -0.0, 1e5, true, false, null, "é\\u00e9"]}', " [1]\n", "\t1\r\n", "NaN", "-Infinity", '"\\ud800"', "{}", "",
    "  ", "{}{}", "[1,]", "[1] x", "nul", '{"a" 1}', "{'a': 1}", "1e999", '"\x01"', "9" * 5000, "[" * 100_000, "-", '"a', "\ufeff1",
    "[1\x0b]", "1\x0b", "\xa01", "01", "+1", ".5", '{"a": 1, "a": 2}', '"\\x"', "{1: 2}",
]  # fmt: skip


def outcome(read: Any, text: str) -> str:
    try:
        return repr(read(text))
    except (ValueError, RecursionError) as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("text", TEXTS)
def test_it_reads_as_json_does(text: str) -> None:
    assert outcome(loads, text) == outcome(json.loads, text)


@given(st.text(alphabet='[]{},:"\\ \n0123456789.eE+-truefalsnN\x0bé'))
def test_it_reads_anything_as_json_does(text: str) -> None:
    assert outcome(loads, text) == outcome(json.loads, text)


@given(st.text())
def test_it_quotes_as_json_does(text: str) -> None:
    assert quoted(text) == json.dumps(text)


def test_values_are_made_as_asked() -> None:
    reading = Reading(pairs=tuple, real=lambda digits: f"real {digits}", constant=lambda name: f"constant {name}")
    assert loads('{"a": 1.5, "a": NaN}', reading) == (("a", "real 1.5"), ("a", "constant NaN"))


def test_a_complaint_is_made_where_json_was_not_imported() -> None:
    """The scanner of CPython 3.11 has no error of its own to raise."""
    code = "import sys; sys.path += sys.argv[1:]\nfrom remit_dsl.json_text import loads\ntry: loads('{')\nexcept ValueError as e: print(e)"
    command = [sys.executable, "-I", "-S", "-c", code, *sys.path]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said.startswith("Expecting property name enclosed in double quotes")


def test_reading_and_quoting_import_neither_json_nor_re() -> None:
    code = (
        "import sys; sys.path += sys.argv[1:]; from remit_dsl.json_text import loads, quoted; loads(quoted('a'));"
        "print({'json', 're'} & {*sys.modules})"
    )
    command = [sys.executable, "-I", "-S", "-c", code, *sys.path]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == "set()"
