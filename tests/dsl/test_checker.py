"""Everything that is wrong in policies that parse, as the user sees it."""

from __future__ import annotations

import re

import pytest
from cases import CORPUS, Case, Golden, read_cases

from remit_dsl import PolicySource, Source, compile_report
from remit_dsl.checker import Memory, check
from remit_dsl.codes import CODES
from remit_dsl.program import TIERS
from remit_dsl.render import render_text

CASES = [case for path in sorted((CORPUS / "check").glob("*.txt")) for case in read_cases(path)]
# Findings of files that cannot even be read: no policy text shows them (tests/evaluator/test_policy_files.py does).
UNREADABLE = {"E501", "E502", "E503", "E504", "E505"}


def given_files(text: str) -> list[PolicySource]:
    """The files of a case: `@@ name [tier] [untrusted] [claims:TIER]` begins each; `@@ name.json` is data for all."""
    if not text.startswith("@@ "):
        text = f"@@ p.remit org\n{text}"
    pieces = re.findall(r"^@@ (.+)\n((?:(?!@@ ).*(?:\n|\Z))*)", text, re.MULTILINE)
    data = {head: body for head, body in pieces if head.endswith(".json")}
    files = []
    for head, body in pieces:
        name, *words = head.split()
        if name.endswith(".remit"):
            tier = next((word for word in words if word in TIERS), "org")
            claims = tuple(word.removeprefix("claims:") for word in words if word.startswith("claims:")) or TIERS
            files.append(PolicySource(Source(name, body), tier, "untrusted" not in words, data, claims))
    return files


def shown(text: str) -> str:
    files = given_files(text)
    found = check(files).diagnostics
    return render_text(found, {file.source.name: file.source for file in files})


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_findings(case: Case, golden: Golden) -> None:
    golden(case, shown(case.given))


def test_every_code_has_a_case() -> None:
    found = set(re.findall(r"^(?:error|warning)\[([EW]\d\d\d)\]", "\n".join(c.expected for c in CASES), re.MULTILINE))
    assert found >= {code for code in CODES if code[:2] in ("E2", "E3", "E4", "E5", "W6")} - UNREADABLE


def test_all_mistakes_of_all_files_come_in_one_run_and_in_order() -> None:
    files = [PolicySource(Source(f"{name}.remit", "deny Bash when x == 1\ndeny fs.raed(x)\n")) for name in "cab"]
    found = check(files).diagnostics
    assert [(item.source_name, item.code) for item in found] == [
        (f"{name}.remit", code) for name in "abc" for code in ("E201", "E213")
    ]


def test_the_list_of_findings_is_cut() -> None:
    text = "".join(f"deny Bash when unknown.fact{number} == 1\n" for number in range(300))
    found = check([PolicySource(Source("p.remit", text))]).diagnostics
    assert len(found) == 101
    assert "200 more" in found[-1].message


def test_what_did_not_change_is_not_checked_again() -> None:
    memory = Memory()
    one, two = PolicySource(Source("one.remit", "deny A\n")), PolicySource(Source("two.remit", "deny B\n"))
    before = check([one, two], memory)
    after = check([one, PolicySource(Source("two.remit", "deny C\n"))], memory)
    assert after.files[0] is before.files[0]
    assert after.checked[after.files[0]] is before.checked[before.files[0]]
    assert after.files[1] is not before.files[1]


def test_a_file_is_checked_again_when_its_world_changes() -> None:
    memory = Memory()
    rules = PolicySource(Source("rules.remit", "deny Deploy(prod)\n"))
    assert [item.code for item in check([rules], memory).diagnostics] == ["W605"]
    tools = PolicySource(Source("tools.remit", "tool Deploy { subject target: path }\n"))
    after = check([rules, tools], memory)
    assert after.diagnostics == ()
    assert [row[3][0][0] for done in after.checked.values() for _, row in done.rules] == ["path"]


def test_memory_forgets_what_is_gone() -> None:
    memory = Memory()
    check([PolicySource(Source("one.remit", "deny A\nprogram x { readonly }\n"))], memory)
    check([PolicySource(Source("two.remit", "deny B\n"))], memory)
    assert len(memory.read) == len(memory.checked) == 1
    assert memory.specs == {}


@pytest.mark.parametrize("memory", [None, Memory()], ids=["without memory", "with memory"])
def test_an_error_means_no_program(memory: Memory | None) -> None:
    assert compile_report([Source("p.remit", "deny fs.raed(x)\n")], memory).program is None
