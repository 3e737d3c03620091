"""Secrets are masked, wherever they stand; everything else stays readable."""

from __future__ import annotations

import time
from typing import Any

import pytest
from audit_log import secret_texts, texts
from hypothesis import given
from hypothesis import strategies as st

from remit.effects.audit.masking import MASK, Masker, masked
from remit.effects.audit.shapes import is_random, without_secrets

SECRETS = secret_texts()


@pytest.mark.parametrize(("text", "secrets", "shown"), SECRETS, ids=[text[:50] for text, _, _ in SECRETS])
def test_only_the_secret_is_masked(text: str, secrets: tuple[str, ...], shown: str) -> None:
    found = masked(text)
    assert not any(secret in found for secret in secrets)
    assert found == shown


@pytest.mark.parametrize("text", list(texts("harmless.txt")))
def test_what_is_no_secret_stays(text: str) -> None:
    assert masked(text) == text


@given(
    st.sampled_from(SECRETS),
    st.sampled_from(["", "cd x && ", "sudo ", "\n", "a | "]),
    st.sampled_from(["", " ", "\nls", " && ls"]),
)
def test_whatever_stands_around_it(row: tuple[str, tuple[str, ...], str], before: str, after: str) -> None:
    text, secrets, _ = row
    found = masked(before + text + after)
    assert not any(secret in found for secret in secrets)


@given(st.text(alphabet="ab:/@'\"\\ =-pu$\nTOKEN", max_size=200))
def test_the_cheap_look_misses_nothing_that_a_name_gives_away(text: str) -> None:
    assert masked(text) == without_secrets(text) or "token" not in text.lower()


@given(st.text(max_size=300))
def test_any_text_can_be_masked(text: str) -> None:
    assert isinstance(without_secrets(text), str)


@pytest.mark.parametrize(
    "piece",
    ["://", "a:", "token=", "token='", 'token="', "password ", "-----BEGIN ", "-----BEGIN PRIVATE KEY-----", "@", "x@", "\\",
     '\\"', "mysql ", "-p ", "login", "eyJ", "ghp_", "a.", "-u a:", "bearer ", "--token ", "a" * 40 + " ", "=>", "Aa1", "'"],
)  # fmt: skip
def test_time_grows_with_the_length_only(piece: str) -> None:
    def seconds(size: int) -> float:
        text = piece * (size // len(piece))
        started = time.perf_counter()
        without_secrets(text)
        return time.perf_counter() - started

    best = min(seconds(4_000) for _ in range(3))
    # 16 times the length: 256 times the time if it were quadratic.
    assert min(seconds(64_000) for _ in range(2)) < max(100 * best, 0.05)


VALUES: list[tuple[Any, Any]] = [
    ({"password": "x"}, {"password": MASK}),
    ({"headers": {"Authorization": "Bearer abc"}}, {"headers": {"Authorization": MASK}}),
    ({"env": {"DB_PASS": ["a", "b"]}}, {"env": {"DB_PASS": MASK}}),
    ({"args": ["--token", "abc", "x"]}, {"args": ["--token", MASK, "x"]}),
    ({"apiKey": 12345}, {"apiKey": MASK}),
    (
        {"path": "a.py", "n": 1, "f": 1.5, "no": None, "yes": True},
        {"path": "a.py", "n": 1, "f": 1.5, "no": None, "yes": True},
    ),
    ({"token": ""}, {"token": ""}),
    ({"big": 10**5000}, {"big": "…"}),
    ({"odd": object}, {"odd": "…"}),
]


@pytest.mark.parametrize(("value", "shown"), VALUES)
def test_values_by_their_names(value: Any, shown: Any) -> None:
    masker = Masker(10_000)
    assert masker.value(value, 1000) == shown
    assert masker.whole == (value == shown)


def test_values_are_bounded() -> None:
    nested: Any = "x"
    for _ in range(500):
        nested = [nested] * 2
    masker = Masker(1000)
    masker.value({"a": nested, "b": ["y" * 900] * 1000, "c": {str(n): n for n in range(5000)}}, 500)
    assert not masker.whole


def test_a_secret_that_is_cut_is_masked_first() -> None:
    text = "x" * 90 + " ghp_" + "aB3xQ9kL0m" * 4
    assert "ghp_" not in Masker(1000).text(text, 100)


def test_a_secret_at_the_place_where_reading_ends_is_not_shown() -> None:
    hidden = "DB_PASSWORD='" + "y" * 1200 + "' "
    for size in range(100, 200):
        text = hidden + "x" * size + " https://alice:Tr0ub4dor" + "z" * 700 + "@acme.example/"
        assert "Tr0ub" not in Masker(1000).text(text, 160)


def test_texts_that_the_policy_hides() -> None:
    assert masked("cat falcon/plan.md", ("falcon",)) == f"cat {MASK}/plan.md"


@pytest.mark.parametrize(
    ("run", "random"),
    [
        ("aB3xQ9kL0mZ7pRt2Wc5Yv8Nd1Hs4Jf6G", True),
        ("8843d7f92416211de9ebb963ff4ce28125932878", False),
        ("TestDecisionLogVerifies2026RecordsAfterRetention", False),
        ("a" * 40, False),
    ],
)
def test_runs_that_look_drawn_by_chance(run: str, random: bool) -> None:
    assert is_random(run) is random
