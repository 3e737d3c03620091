"""Policy text in its canonical form: examples in the corpus, laws over generated policies."""

from __future__ import annotations

import pytest
from cases import CORPUS, Case, Golden, read_cases
from hypothesis import given
from hypothesis import strategies as st
from trees import same_policy

from policies import conditions, policy_files
from remit_dsl import tree
from remit_dsl.formatter import format_source
from remit_dsl.parser import parse
from remit_dsl.source import Source
from remit_dsl.tree import Content, File, Rule

CASES = [case for path in sorted((CORPUS / "format").glob("*.txt")) for case in read_cases(path)]


def parsed(text: str) -> File:
    file, diagnostics = parse(Source("p.remit", text))
    assert diagnostics == ()
    assert file is not None
    return file


def formatted(text: str) -> str:
    result, diagnostics = format_source(Source("p.remit", text))
    assert diagnostics == ()
    assert result is not None
    return result


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_corpus(case: Case, golden: Golden) -> None:
    golden(case, formatted(case.given))


def test_text_that_does_not_parse_is_not_formatted() -> None:
    text, diagnostics = format_source(Source("p.remit", "denny A"))
    assert text is None
    assert [diagnostic.code for diagnostic in diagnostics] == ["E102"]


def test_nothing_stays_nothing() -> None:
    assert formatted("") == formatted(" \n\n") == ""


@given(policy_files())
def test_formatting_twice_changes_nothing_more(text: str) -> None:
    once = formatted(text)
    assert formatted(once) == once


@given(policy_files())
def test_the_tree_stays_the_same(text: str) -> None:
    """Save for the order of clauses, which the canonical form sets."""
    assert same_policy(parsed(formatted(text))) == same_policy(parsed(text))


@given(conditions)
def test_conditions_stay_the_same(tokens: list[str]) -> None:
    text = f"deny A when {' '.join(tokens)}"
    assert same_policy(parsed(formatted(text))) == same_policy(parsed(text))


@given(policy_files())
def test_comments_are_kept_in_order(text: str) -> None:
    before = [comment.text for comment in parsed(text).comments]
    assert [comment.text for comment in parsed(formatted(text)).comments] == before


@given(policy_files())
def test_raw_content_is_never_touched(text: str) -> None:
    def raw(file: File) -> list[str]:
        targets = [t for s in file.statements if isinstance(s, Rule) for t in (*s.targets, *s.excepts)]
        targets += [e.target for s in file.statements if isinstance(s, tree.Test) for e in s.expectations]
        return [t.content.text for t in targets if isinstance(t.content, Content) and t.content.form == "raw"]

    assert raw(parsed(formatted(text))) == raw(parsed(text))


@given(policy_files())
def test_the_page_is_tidy(text: str) -> None:
    result = formatted(text)
    lines = result.split("\n")
    assert result == "" or result.endswith("\n")
    assert not result.startswith("\n")
    assert not result.endswith("\n\n")
    assert "\n\n\n" not in result
    assert "\r" not in result
    # A tab can only stand in what is kept as it is: raw content and comments.
    assert all(not line.startswith("\t") and line == line.rstrip(" ") for line in lines)


@given(policy_files(), st.sampled_from([" ", "\n", "\n\n\n"]))
def test_blanks_at_the_ends_mean_nothing(text: str, blanks: str) -> None:
    assert formatted(f"{blanks}{text}{blanks}") == formatted(text)
