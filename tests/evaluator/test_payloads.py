from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.payloads import MAX_DEPTH, PayloadError, read_object, read_value

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
values = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)


@given(values)
def test_json_is_read_as_it_was_written(value: Any) -> None:
    assert read_value(json.dumps(value).encode()) == value


@given(st.binary())
def test_any_bytes_give_a_value_or_a_payload_error(payload: bytes) -> None:
    try:
        read_value(payload)
        said = ""
    except PayloadError as error:
        said = str(error)
    assert "\n" not in said


@pytest.mark.parametrize(("depth", "fine"), [(MAX_DEPTH, True), (MAX_DEPTH + 1, False)])
def test_depth(depth: int, fine: bool) -> None:
    payload = b"[" * depth + b"]" * depth
    if fine:
        assert read_value(payload) is not None
    else:
        with pytest.raises(PayloadError, match="nested more than 64 deep"):
            read_value(payload)


def test_an_object_is_needed() -> None:
    assert read_object(b'{"a": 1}') == {"a": 1}
    with pytest.raises(PayloadError, match="not a JSON object"):
        read_object(b"1")
