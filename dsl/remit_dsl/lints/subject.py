"""What lints look at: the rules of checked policies, each as written beside what it compiled to. Data only."""

from __future__ import annotations

from collections.abc import Iterator

from remit_dsl.checker import Checked
from remit_dsl.policy import Declared, Row
from remit_dsl.program import Rule, rule_from
from remit_dsl.records import NamedTuple
from remit_dsl.source import Span
from remit_dsl.tree import Rule as WrittenRule


class Site(NamedTuple):
    """One rule: its file, what was written, what it compiled to."""

    file: Declared
    line: int
    node: WrittenRule
    row: Row
    rule: Rule

    def target_span(self, place: int) -> Span:
        """Where the target at this position of the rule was written."""
        return self.node.targets[place].span

    def head(self) -> Span:
        """The label, or the rule's first word."""
        if self.node.label is not None:
            return self.node.label.span
        return Span(self.node.span.start, self.node.span.start + len(self.node.effect))


class Subject(NamedTuple):
    """The rules of the policies themselves (not of the standard library), and the day on which they are looked at ("" = any)."""

    checked: Checked
    sites: tuple[Site, ...]
    today: str


class Finding(NamedTuple):
    """Something that a rule probably does not mean."""

    site: Site
    code: str
    span: Span
    message: str
    help: str


def subject_of(checked: Checked, today: str) -> Subject:
    """The subject of lints. Rules that are left out of the program, for whatever reason, are not looked at."""
    sites = [site for file in checked.files if not file.standard for site in _sites(checked, file)]
    return Subject(checked, tuple(sites), today)


def _sites(checked: Checked, file: Declared) -> Iterator[Site]:
    """The file's rules; rows come in the order of the text, so that each is found by going through both once."""
    done = checked.checked.get(file)
    rows = list(done.rules) if done is not None else []
    at, line, counted = 0, 1, 0
    for node in file.file.statements:
        if not isinstance(node, WrittenRule):
            continue
        line += file.source.text.count("\n", counted, node.span.start)
        counted = node.span.start
        if at < len(rows) and rows[at][0] == line and _is_row_of(rows[at][1], node):
            row = rows[at][1]
            yield Site(file, line, node, row, rule_from(row))
            at += 1


def _is_row_of(row: Row, node: WrittenRule) -> bool:
    return bool(row[1] == node.effect and row[2] == node.shadow and len(row[3]) == len(node.targets))
