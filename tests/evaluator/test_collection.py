"""The collector is off inside, and afterwards as it was."""

from __future__ import annotations

import gc

import pytest

from remit.collection import CollectionPaused


def test_it_is_off_inside_and_on_again_after() -> None:
    with CollectionPaused():
        assert not gc.isenabled()
        with CollectionPaused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_is_on_again_after_a_failure() -> None:
    with pytest.raises(ValueError, match="x"), CollectionPaused():
        raise ValueError("x")
    assert gc.isenabled()


def test_what_was_off_stays_off() -> None:
    gc.disable()
    try:
        with CollectionPaused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
