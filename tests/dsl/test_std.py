"""The standard library: it is policy text like any other, and says what it is meant to say."""

from __future__ import annotations

from typing import Any

import pytest

from remit_dsl import Program, Source, compile_policies, compile_report
from remit_dsl.formatter import format_source
from remit_dsl.library import brought_by, modules
from remit_dsl.parser import parse
from remit_dsl.program_checks import check_program
from remit_dsl.tree import Header, ProgramDef

MODULES = [pytest.param(name, source, id=name) for name, source in modules()]


@pytest.fixture(scope="module")
def everything() -> Program:
    program = compile_policies([Source("p.remit", "use std\nuse std.reading\n")])
    assert isinstance(program, Program), program
    return program


@pytest.mark.parametrize(("name", "source"), MODULES)
def test_a_module_is_canonical_and_named_after_its_file(name: str, source: Source) -> None:
    text, problems = format_source(source)
    assert problems == ()
    assert text == source.text
    file, _ = parse(source)
    assert file is not None
    header = file.statements[0]
    assert isinstance(header, Header)
    assert header.name.text == name
    assert header.tier is None
    assert header.title is not None


def test_nothing_is_wrong_with_it() -> None:
    for _, source in modules():
        file, _ = parse(source)
        assert file is not None
        for node in file.statements:
            assert not isinstance(node, ProgramDef) or tuple(check_program(node, source.name)) == ()
    assert compile_report([Source("p.remit", "use std\nuse std.reading\n")]).diagnostics == ()


@pytest.mark.parametrize(
    ("used", "speaking"),
    [
        ([], set()), (["acme"], set()), (["std"], {"std.guards"}), (["std.tools"], set()),
        (["std.reading"], {"std.reading"}), (["std", "std.reading"], {"std.guards", "std.reading"}),
    ],
)  # fmt: skip
def test_what_a_use_brings(used: list[str], speaking: set[str]) -> None:
    brought = brought_by(used)
    assert brought & {"std.guards", "std.reading"} == speaking
    assert {"std.tools", "std.modes"} <= brought or not any(name.startswith("std") for name in used)


def test_only_reading_permits(everything: Program) -> None:
    assert not any(row[1] == "allow" for row in everything.tables["rules"])
    assert {row[2] for row in everything.tables["defaults"]} == {"std.reading"}
    assert all(row[1] for row in everything.tables["defaults"])


def test_every_guard_says_why(everything: Program) -> None:
    rows = everything.tables["rules"]
    assert rows
    assert all(row[1] == "guard" and row[9] for row in rows)


def test_guards_of_files_cover_deletion_too(everything: Program) -> None:
    for row in everything.tables["rules"]:
        written = [target[2] for target in row[3] if target[1] == "fs.write"]
        assert [target[2] for target in row[3] if target[1] == "fs.delete"] == written


# What the agents call their tools and the one parameter that says what they touch.
@pytest.mark.parametrize(
    ("tool", "common", "parameter", "kind"),
    [
        ("Bash", "Bash", "command", "shell"), ("run_shell_command", "Bash", "command", "shell"),
        ("bash", "Bash", "command", "shell"), ("Shell", "Bash", "command", "shell"),
        ("exec_command", "Bash", "cmd", "shell"),
        ("Read", "Read", "file_path", "path"), ("Read", "Read", "path", "path"), ("read", "Read", "filePath", "path"),
        ("read_file", "Read", "file_path", "path"), ("view", "Read", "path", "path"),
        ("Write", "Write", "file_path", "path"), ("Write", "Write", "path", "path"),
        ("write", "Write", "filePath", "path"), ("create", "Write", "path", "path"),
        ("Edit", "Edit", "file_path", "path"), ("Edit", "Edit", "path", "path"), ("edit", "Edit", "filePath", "path"),
        ("replace", "Edit", "file_path", "path"), ("NotebookEdit", "NotebookEdit", "notebook_path", "path"),
        ("apply_patch", "apply_patch", "command", "patch"),
        ("Grep", "Grep", "path", "path"), ("grep_search", "Grep", "path", "path"), ("glob", "Glob", "path", "path"),
        ("WebFetch", "WebFetch", "url", "url"), ("webfetch", "WebFetch", "url", "url"),
        ("google_web_search", "WebSearch", "query", "text"), ("Task", "Agent", "subagent_type", "text"),
        ("Skill", "Skill", "skill", "text"),
    ],
)  # fmt: skip
def test_tools_of_the_agents(everything: Program, tool: str, common: str, parameter: str, kind: str) -> None:
    found = everything.tool(tool)
    assert found is not None
    assert found.name == common
    subject: Any = next(param for param in found.params if param.subject)
    assert parameter in subject.names
    assert subject.kind == kind


@pytest.mark.parametrize("tool", ["Grep", "Glob", "grep", "LS", "list_directory"])
def test_a_search_without_a_path_is_one_of_the_working_folder(everything: Program, tool: str) -> None:
    found = everything.tool(tool)
    assert found is not None
    assert [param.default for param in found.params if param.subject] == ["."]


def test_tools_that_touch_something_say_so(everything: Program) -> None:
    for name, (_, params, readonly, _) in everything.tables["tools"].items():
        assert not (readonly and params), name
        for subject, _, kind, does, _, _ in params:
            assert bool(does) == (kind in ("path", "url", "patch")) or not subject, name


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("default", "default"), ("acceptEdits", "accept_edits"), ("plan", "plan"), ("bypassPermissions", "bypass"),
        ("dontAsk", "dont_ask"), ("auto", "auto"), ("explore", "plan"),
    ],
)  # fmt: skip
def test_modes_of_the_agents(everything: Program, name: str, canonical: str) -> None:
    mode = everything.mode(name)
    assert mode is not None
    assert mode.name == canonical


def test_what_runs_by_default_is_known_to_only_read(everything: Program) -> None:
    """A program that `std.reading` lets run is declared, and nothing in its declaration acts beyond its accesses."""
    listed = [
        word
        for effect, targets, *_ in everything.tables["defaults"]
        for kind, name, patterns, _ in targets
        if effect == "allow" and kind == "cap" and name == "exec"
        for word in patterns
    ]
    assert len(listed) > 50
    for word in listed:
        assert isinstance(word, str)
        spec = everything.spec(word)
        assert spec is not None, word
        assert not spec.get("acts"), word
