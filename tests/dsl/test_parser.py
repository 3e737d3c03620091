"""Policy text -> tree, and every syntax error as the user sees it."""

from __future__ import annotations

import re
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from cases import CORPUS, Case, Golden, read_cases
from hypothesis import given
from hypothesis import strategies as st
from trees import same_policy, shape

from policies import policy_files
from remit_dsl.codes import CODES
from remit_dsl.parser import MAX_FILE_CHARACTERS, _grammar, parse
from remit_dsl.render import render_text
from remit_dsl.source import Source
from remit_dsl.syntax_errors import STATEMENTS
from remit_dsl.tree import File, Rule

FORMS = read_cases(CORPUS / "parse" / "statements.txt")
ERRORS = read_cases(CORPUS / "parse" / "errors.txt")


def parsed(text: str) -> File:
    file, diagnostics = parse(Source("p.remit", text))
    assert diagnostics == ()
    assert file is not None
    return file


def codes(text: str) -> list[str]:
    file, diagnostics = parse(Source("p.remit", text))
    assert file is None
    return [diagnostic.code for diagnostic in diagnostics]


@pytest.mark.parametrize("case", FORMS, ids=lambda case: case.id)
def test_statement(case: Case, golden: Golden) -> None:
    file = parsed(case.given)
    golden(case, "\n".join(map(shape, [*file.statements, *file.comments])))


@pytest.mark.parametrize("case", ERRORS, ids=lambda case: case.id)
def test_error(case: Case, golden: Golden) -> None:
    source = Source("p.remit", case.given)
    file, diagnostics = parse(source)
    assert file is None
    golden(case, render_text(diagnostics, {source.name: source}))


def test_every_syntax_code_has_a_case() -> None:
    shown = set(re.findall(r"^error\[(E1\d\d)\]", "\n".join(case.expected for case in ERRORS), re.MULTILINE))
    elsewhere = {"E100", "E106", "E109"}  # tested below: no corpus file should hold what they are about
    assert shown | elsewhere == {code for code in CODES if code.startswith("E1")}


@given(policy_files())
def test_every_generated_policy_parses(text: str) -> None:
    parsed(text)


@given(policy_files())
def test_line_ends_and_a_byte_order_mark_mean_nothing(text: str) -> None:
    assert same_policy(parsed("\ufeff" + text.replace("\r", "").replace("\n", "\r\n"))) == same_policy(parsed(text))


@given(st.text() | st.text(alphabet='deny allow Bash(){}"\\#\n:,@.*=<>[]', max_size=60))
def test_any_text_gives_a_tree_or_errors_in_the_text(text: str) -> None:
    file, diagnostics = parse(Source("p.remit", text))
    assert (file is None) == bool(diagnostics)
    for diagnostic in diagnostics:
        assert 0 <= diagnostic.start <= diagnostic.end <= len(text)
        assert diagnostic.code in CODES


@given(policy_files(), st.data())
def test_a_damaged_policy_never_raises(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 5)))
    damaged = text[:start] + data.draw(st.text(alphabet='(){}",:#=\\ \nx@', max_size=3)) + text[end:]
    file, diagnostics = parse(Source("p.remit", damaged))
    assert (file is None) == bool(diagnostics)
    render_text(diagnostics, {"p.remit": Source("p.remit", damaged)})


def test_places_are_those_of_the_text() -> None:
    text = '# é\ndeny x: Bash(a b), Bash( "q" ) when a.b == 1\n'
    (rule,) = parsed(text).statements
    assert isinstance(rule, Rule)
    assert rule.label is not None
    first, second = rule.targets
    assert first.content is not None
    assert second.content is not None
    spans = [rule.span, rule.label.span, first.span, first.content.span, second.content.span, rule.clauses[0].span]
    assert [text[start:end] for start, end in spans] == [
        'deny x: Bash(a b), Bash( "q" ) when a.b == 1',
        "x",
        "Bash(a b)",
        "a b",
        '"q"',
        "when a.b == 1",
    ]


def test_no_two_keywords_compete_in_one_state() -> None:
    """One state of the lexer takes a word for one keyword only; two would be told apart by accident."""
    lark = _grammar().lark
    words = {w for t in lark.terminals for w in re.findall(r"[a-z][a-z.-]+", t.pattern.value)}
    lexers = {id(lexer): lexer for lexer in lark.parser.lexer.lexers.values()}
    for lexer in lexers.values():
        keywords = [t for t in lexer.terminals if t.priority == 1]
        for word in words:
            assert len([t.name for t in keywords if re.fullmatch(t.pattern.to_regexp(), word)]) <= 1, word


@pytest.mark.parametrize(
    ("text", "offset"),
    [
        pytest.param("deny A\x00", 6, id="NUL"),
        pytest.param("deny A # \x1b[31m", 9, id="escape in a comment"),
        pytest.param('deny A because "\u202e"', 16, id="right-to-left override in a string"),
        pytest.param("deny A # x\u2028deny B", 10, id="line separator in a comment"),
        pytest.param("deny A\rdeny B", 6, id="carriage return alone"),
        pytest.param("deny Bash(\ud800)", 10, id="half of a surrogate pair"),
        pytest.param("deny A \ufeff", 7, id="byte order mark inside"),
        pytest.param("deny A\x85deny B", 6, id="NEL"),
    ],
)
def test_characters_that_deceive_are_refused(text: str, offset: int) -> None:
    file, (diagnostic,) = parse(Source("p.remit", text))
    assert file is None
    assert (diagnostic.code, diagnostic.start, diagnostic.end) == ("E106", offset, offset + 1)


def test_a_blank_that_is_not_ascii_is_an_error() -> None:
    assert codes("deny\xa0Bash") == ["E101"]
    assert codes("set a = words { a\u2003b }") == ["E101"]


def test_texts_parsed_at_once_do_not_mix() -> None:
    texts = [f"deny rule-{i}: Bash(x{i}) # {i}\n" * 50 for i in range(20)] + ["denny x"] * 5
    alone = [parse(Source("p.remit", text)) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda text: parse(Source("p.remit", text)), texts)) == alone


def test_statements_are_those_of_the_grammar() -> None:
    accepted = _grammar().stop(Source("p.remit", ""), 0, 0).accepts
    words = {terminal: set(keywords) for terminal, keywords in accepted.items() if terminal != "$END"}
    assert words == {terminal: set(words.split()) for terminal, words in STATEMENTS.items()}


def test_errors_are_capped() -> None:
    found = codes("deny Bash(\n" * 5000)
    assert len(found) == 101
    assert found[-1] == "E100"


def test_file_size_is_bounded() -> None:
    assert codes("#" * (MAX_FILE_CHARACTERS + 1)) == ["E109"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param("deny A when " + "(" * 10_000 + "a" + ")" * 10_000, "E105", id="10,000 nested parentheses"),
        pytest.param("(" * 2**20, "E101", id="1 MiB of parentheses as a statement"),
        pytest.param("deny Bash(" + "(" * 2**20, "E104", id="1 MiB of parentheses in content"),
        pytest.param("deny A when " + "(" * 2**20, "E105", id="1 MiB of parentheses in a condition"),
        pytest.param("deny A when " + "not " * 100_000, "E101", id="100,000 times not"),
        pytest.param("program x { " + "with -a { " * 100_000, "E105", id="100,000 nested blocks"),
        pytest.param("deny Bash(" + "a(" * 300_000, "E104", id="600,000 characters that open and never close"),
        pytest.param('deny A because "' + '\\"' * 500_000, "E103", id="1 MB of escapes in a string that never ends"),
    ],
)
def test_hostile_text_is_refused_at_once(text: str, code: str) -> None:
    start = time.process_time()
    assert codes(text) == [code]
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("deny " + "*" * 100_000, id="100,000 stars as a name"),
        pytest.param("deny Bash(" + "*" * 100_000 + ")", id="100,000 stars in content"),
        pytest.param("deny A when " + " and ".join(["a"] * 20_000), id="a chain of 20,000 conditions"),
        pytest.param("#" * MAX_FILE_CHARACTERS, id="4 MiB of comment"),
    ],
)
def test_large_text_is_read(text: str) -> None:
    parsed(text)
