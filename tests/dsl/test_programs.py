"""Program declarations: what is wrong in them, what they compile to, how they are extended; and the standard library's."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cases import CORPUS, Case, Golden, read_cases
from hypothesis import given
from hypothesis import strategies as st
from knowledge import STD, compile_text, definitions, std_programs

from remit.facts import Analysis
from remit.knowledge import analyse
from remit.spellings import other_paths
from remit_dsl.codes import CODES
from remit_dsl.parser import parse
from remit_dsl.program_checks import LANGUAGES, check_program
from remit_dsl.programs import compile_program, merge_programs
from remit_dsl.render import render_text
from remit_dsl.source import Source
from remit_dsl.tree import EnvDef, ProgramDef

CHECKS = read_cases(CORPUS / "program_checks" / "checks.txt")
FILES = sorted(STD.glob("programs-*.remit"))


@pytest.mark.parametrize("case", CHECKS, ids=lambda case: case.id)
def test_findings(case: Case, golden: Golden) -> None:
    source = Source("test.remit", case.given)
    (definition,) = definitions(case.given, "test.remit")
    golden(case, render_text(check_program(definition, "test.remit"), {"test.remit": source}))


def test_every_code_has_a_case() -> None:
    used = {code for code in CODES if code.startswith("E31")}
    assert {code for code in used if any(f"[{code}]" in case.expected for case in CHECKS)} == used


@pytest.mark.parametrize(
    ("body", "level"),
    [
        pytest.param("readonly", {"readonly": True, "plain": True}, id="traits"),
        pytest.param("other options harmless", {"other": True, "plain": True}, id="other options"),
        pytest.param(
            "flag -a, --all  flag -b, -c",
            {
                "options": {"-a": ["-a", 0, []], "--all": ["-a", 0, []], "-b": ["-b", 0, []], "-c": ["-c", 0, []]},
                "plain": True,
            },
            id="a letter and a word are one option, letters are several",
        ),
        pytest.param(
            "operands[1..] edit tree",
            {"operands": [[1, None, [["read", "write"], 1, "", [], None]]], "positional": True, "plain": True},
            id="edit is read and write",
        ),
        pytest.param(
            "wraps operands",
            {"operands": [[None, None, [["command"], 0, "", [], None]]], "stops": 0},
            id="a command ends options",
        ),
        pytest.param("input code python", {"input": [[["code"], 0, "python", [], None]], "plain": True}, id="input"),
        pytest.param(
            'option -e command dynamic until ";", "{} +"',
            {
                "options": {"-e": ["-e", 1, [[["command"], 2, "", [[";"], ["{}", "+"]], None]]]},
                "plain": True,
                "bites": True,
            },
            id="terminators",
        ),
        pytest.param(
            'option -c value matching "a*b"',
            {"options": {"-c": ["-c", 1, [[[], 0, "", [], ["a", "b"]]]]}, "plain": True},
            id="patterns",
        ),
        pytest.param(
            "flag -d, --delete  with --delete { operands delete }",
            {
                "options": {"-d": ["-d", 0, []], "--delete": ["-d", 0, []]},
                "with": [
                    [["-d"], {"operands": [[None, None, [["delete"], 0, "", [], None]]], "bites": True, "plain": True}]
                ],
                "triggers": ["-d"],
                "plain": True,
                "bites": True,
            },
            id="blocks name options canonically",
        ),
        pytest.param(
            "style plus  subcommand s, t { acts }",
            {
                "style": ["plus"],
                "subs": {"s": 0, "t": 0},
                "levels": [{"acts": True, "style": ["plus"], "plain": True}],
                "plain": True,
            },
            id="subcommands share the style",
        ),
    ],
)
def test_compiled(body: str, level: dict[str, Any]) -> None:
    assert compile_text(f"program p {{ {body} }}")["p"] == level


def test_a_level_is_json() -> None:
    for level in std_programs().values():
        assert json.loads(json.dumps(level)) == level


@pytest.mark.parametrize(
    ("base", "more", "argv", "kinds"),
    [
        pytest.param(
            "operands read", "option -o write", ("p", "-o", "x", "y"), {"write", "read"}, id="an option is added"
        ),
        pytest.param(
            "option -o read", "option -o write", ("p", "-o", "x"), {"read", "write"}, id="roles of an option add up"
        ),
        pytest.param("operands read", "operands delete", ("p", "x"), {"read", "delete"}, id="roles of operands add up"),
        pytest.param(
            "subcommand s { operands read }",
            "subcommand s { operands write }  subcommand t { operands delete }",
            ("p", "s", "x"),
            {"read", "write"},
            id="subcommands are extended",
        ),
        pytest.param(
            "operands read", "subcommand t { operands delete }", ("p", "t", "x"), {"delete"}, id="subcommands are added"
        ),
        pytest.param(
            "flag -d", "flag -d  with -d { operands delete }", ("p", "-d", "x"), {"delete"}, id="blocks are added"
        ),
    ],
)
def test_merged(base: str, more: str, argv: tuple[str, ...], kinds: set[str]) -> None:
    found = analyse(compile_text(f"program p {{ {base} }} program p {{ {more} }}")["p"], argv)
    assert {use.kind for use in found.roles} == kinds


def test_merging_changes_neither_part() -> None:
    first, second = std_programs()["git"], compile_text("program git { subcommand push { flag --zed } }")["git"]
    before = json.dumps([first, second])
    assert merge_programs(first, second) != first
    assert json.dumps([first, second]) == before


def test_a_subcommand_with_several_names_is_extended_under_the_one_that_is_named() -> None:
    level = compile_text(
        "program p { subcommand s, t { operands read } } program p { subcommand s { operands write } }"
    )["p"]
    assert _kinds(analyse(level, ("p", "s", "x"))) == {"read", "write"}
    assert _kinds(analyse(level, ("p", "t", "x"))) == {"read"}


def _kinds(analysis: Analysis) -> set[str]:
    return {use.kind for use in analysis.roles}


@given(st.sampled_from(sorted(std_programs())))
def test_merging_with_itself_changes_nothing(name: str) -> None:
    level = std_programs()[name]
    assert analyse(merge_programs(level, level), (name, "x", "-z", "y")) == analyse(level, (name, "x", "-z", "y"))


# --- the standard library ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_the_standard_library_has_no_findings(file: Any) -> None:
    source = Source(file.name, file.read_text(encoding="utf-8"))
    parsed, diagnostics = parse(source)
    assert not diagnostics
    assert parsed is not None
    for definition in parsed.statements:
        if isinstance(definition, ProgramDef):
            assert check_program(definition, source.name) == ()


def test_no_program_of_the_standard_library_is_declared_twice() -> None:
    text = "\n".join(file.read_text(encoding="utf-8").partition("\n")[2] for file in FILES)
    names = [name.text for definition in definitions(text) for name in definition.names]
    assert sorted({name for name in names if names.count(name) > 1}) == []


def test_read_only_programs_bring_nothing_else_by_themselves() -> None:
    """What a read-only program does beyond reading hangs on an option, a block or a pattern, or has teeth."""
    for name, level in std_programs().items():
        if level.get("readonly"):
            found = analyse(level, (name, "x"))
            assert not found.acts, name
            assert _kinds(found) <= {"read"}, name


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_is_used(language: str) -> None:
    assert any(f"code {language}" in file.read_text(encoding="utf-8") for file in FILES)


def test_the_environment_is_declared_in_words_that_do_not_contradict() -> None:
    parsed, diagnostics = parse(Source("env", (STD / "env.remit").read_text(encoding="utf-8")))
    assert parsed is not None, diagnostics
    kinds: dict[str, set[str]] = {"harmless": set(), "runs": set()}
    for statement in parsed.statements:
        if isinstance(statement, EnvDef):
            kinds[statement.kind].update(name.value for name in statement.names)
    assert {"AWS_PROFILE", "CC=gcc", "LC_*"} <= kinds["harmless"]
    assert {"PAGER", "LD_PRELOAD", "BASH_ENV", "PS4", "GIT_SSH_COMMAND"} <= kinds["runs"]
    assert not kinds["harmless"] & kinds["runs"]


def test_compiling_is_pure() -> None:
    (definition,) = definitions("program p { option -f, --file read  with -f { operands read } }")
    assert compile_program(definition) == compile_program(definition)


ALIASED = 'program p { subcommand rm, del, "box rm" { style aliases  operands delete }  subcommand box { acts  operands value } }'


def test_the_names_of_a_subcommand_are_one_where_it_says_so() -> None:
    level = compile_text(ALIASED)["p"]
    assert other_paths(level, ("del",)) == [("rm",), ("del",), ("box", "rm")]
    assert other_paths(level, ("box", "rm")) == [("rm",), ("del",), ("box", "rm")]
    assert other_paths(level, ("box",)) == [("box",)]
    assert other_paths(level, ()) == [()]


@pytest.mark.parametrize("path", [("rm",), ("del",), ("box", "rm")])
def test_what_is_said_of_one_name_more_is_said_of_all(path: tuple[str, ...]) -> None:
    merged = compile_text(ALIASED + "program p { subcommand del { option -o write } }")["p"]
    uses = analyse(merged, ("p", *path, "-o", "x", "y")).roles
    assert {(use.kind, use.word) for use in uses} == {("write", "x"), ("delete", "y")}


def test_a_name_of_two_words_changes_no_other_subcommand() -> None:
    level = compile_text("program p { subcommand a, b { acts } " + 'subcommand c, "a c" { style aliases } }')["p"]
    assert "subs" not in level["levels"][level["subs"]["b"]]
    assert "c" in level["levels"][level["subs"]["a"]]["subs"]


def test_a_name_of_two_words_needs_no_other() -> None:
    level = compile_text('program p { subcommand "a b" { style aliases  operands delete } }')["p"]
    assert [use.kind for use in analyse(level, ("p", "a", "b", "x")).roles] == ["delete"]
    assert other_paths(level, ("a", "b")) == [("a", "b")]
