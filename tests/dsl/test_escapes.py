"""Strings of policies, decoded and encoded."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit_dsl.escapes import decode_string, encode_string


@pytest.mark.parametrize(
    ("literal", "value", "bad"),
    [
        pytest.param('""', "", [], id="empty"),
        pytest.param(r'"a\"b\\c\nd\te"', 'a"b\\c\nd\te', [], id="short escapes"),
        pytest.param(r'"\u{41}\u{1F600}\u{0}\u{10ffff}"', "A\U0001f600\x00\U0010ffff", [], id="code points"),
        pytest.param(r'"\\n"', "\\n", [], id="an escaped backslash does not begin an escape"),
        pytest.param(r'"a\qb\u{D800}\u{110000}"', "ab", [(2, 4), (5, 13), (13, 23)], id="escapes that mean nothing"),
        pytest.param(r'"\u41 \u{} \u{1234567}"', "41 {} {1234567}", [(1, 3), (6, 8), (11, 13)], id="malformed"),
    ],
)
def test_decode(literal: str, value: str, bad: list[tuple[int, int]]) -> None:
    assert decode_string(literal) == (value, tuple(bad))


@given(st.text())
def test_what_is_encoded_decodes_to_itself_and_may_stand_in_a_policy(value: str) -> None:
    literal = encode_string(value)
    assert decode_string(literal) == (value, ())
    assert re.fullmatch(r'"(?:[^"\\\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]|\\.)*"', literal)
