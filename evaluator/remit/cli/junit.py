"""Test outcomes as JUnit XML (the form that the Ant task wrote and CI systems read): a suite per file, a case per expectation."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from remit.phrasing import one_line
from remit.policy_tests import Outcome, count


def junit(outcomes: Sequence[Outcome]) -> str:
    """The XML document. XML 1.0 cannot hold control characters, so calls are shown on one line with those escaped."""
    root = ElementTree.Element("testsuites", _counts("remit", outcomes))
    for file in dict.fromkeys([outcome.file for outcome in outcomes]):
        own = [outcome for outcome in outcomes if outcome.file == file]
        suite = ElementTree.SubElement(root, "testsuite", _counts(file, own))
        for outcome in own:
            _case(suite, outcome)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=False) + "\n"


def _counts(name: str, outcomes: Sequence[Outcome]) -> dict[str, str]:
    passed, failed = count(outcomes)
    return {"name": one_line(name), "tests": str(passed + failed), "failures": str(failed), "errors": "0"}


def _case(suite: ElementTree.Element, outcome: Outcome) -> None:
    shown = f"{outcome.test}: {outcome.expected} {outcome.call}"
    names = {"classname": one_line(outcome.file), "name": one_line(shown), "line": str(outcome.line)}
    case = ElementTree.SubElement(suite, "testcase", names)
    if not outcome.passed:
        failure = ElementTree.SubElement(case, "failure", {"message": one_line(outcome.problem)})
        failure.text = f"{one_line(outcome.file)}:{outcome.line}: {one_line(outcome.problem)}"
