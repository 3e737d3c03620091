"""Rules and defaults of one file -> rows of the program."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Any

from remit_dsl.checks.conditions import Names, check_condition
from remit_dsl.checks.contents import check_target
from remit_dsl.checks.findings import Findings
from remit_dsl.checks.rights import has_right
from remit_dsl.policy import CheckedFile, Declared, Row, World
from remit_dsl.source import Span
from remit_dsl.suggest import did_you_mean
from remit_dsl.tree import Clause, Default, Name, Rule, Target, Text


def check_rules(file: Declared, world: World) -> CheckedFile:
    """The rows of a file's rules and defaults, as far as they are right and within the file's rights."""
    checker = _RuleChecker(file, world)
    for statement in file.file.statements:
        if isinstance(statement, Rule):
            checker.rule(statement)
        elif isinstance(statement, Default):
            checker.default(statement)
    findings = checker.findings
    return CheckedFile(
        tuple(checker.rules), tuple(checker.defaults), frozenset(checker.word_sets), tuple(findings.items)
    )


def plain(value: Any) -> Any:
    """`value` with every tuple turned into a list, as JSON gives it back."""
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value


class _RuleChecker:
    """Goes through one file from top to bottom; `_line` counts along, so that positions cost the file's length once."""

    def __init__(self, file: Declared, world: World) -> None:
        self.file, self.world = file, world
        self.findings = Findings(file.source)
        self.rules: list[tuple[int, Row]] = []
        self.defaults: list[tuple[int, Row]] = []
        self.word_sets: set[str] = set()
        self._names = Names(world.sets, {name: data_key(file.name, name) for name in file.data}, file.data)
        self._counted, self._lines = 0, 1

    def rule(self, rule: Rule) -> None:
        line = self._line(rule.span.start)
        targets, excepts = self._targets(rule.targets), self._targets(rule.excepts)
        clauses = self._clauses(rule)
        if not rule.shadow and not has_right(rule.effect, self.world.rights, _head(rule.span), self.findings):
            return
        label = rule.label.text if rule.label is not None else f"{self.file.name}:{line}"
        row = [
            label, rule.effect, rule.shadow, targets, excepts,
            clauses.get("when"), clauses.get("modes", []), clauses.get("agents", []), clauses.get("until", ""),
            clauses.get("because", ""), clauses.get("severity", ""), clauses.get("owner", self.file.owner),
            clauses.get("ticket", ""), self.file.name, self.file.tier, self._at(line),
            "approvable" in clauses,
        ]  # fmt: skip
        self.rules.append((line, row))

    def default(self, default: Default) -> None:
        line = self._line(default.span.start)
        targets = self._targets(default.targets)
        what = f"`default {default.effect}`"
        if has_right(default.effect, self.world.defaults, _head(default.span), self.findings, what):
            row = [default.effect, targets, self.file.name, self.file.tier, self._at(line)]
            self.defaults.append((line, row))

    def _targets(self, targets: Iterable[Target]) -> list[Row]:
        rows = [check_target(target, self.world, self.findings, self.word_sets) for target in targets]
        return [plain(row) for row in rows if row is not None]

    def _clauses(self, rule: Rule) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for clause in rule.clauses:
            if clause.keyword in found:
                keyword = {"modes": "in mode", "agents": "for agent"}.get(clause.keyword, clause.keyword)
                self.findings.error("E209", clause.span, f"`{keyword}` is said twice")
                continue
            if clause.keyword == "approvable" and rule.effect != "guard":
                message = f"`approvable` is said of guards, and this is a rule that says {rule.effect}"
                self.findings.error("E214", clause.span, message)
            found[clause.keyword] = self._clause(clause)
        return found

    def _clause(self, clause: Clause) -> Any:
        value = clause.value
        if isinstance(value, Text):
            return self._day(value) if clause.keyword == "until" else value.value
        if isinstance(value, tuple):
            return self._modes(value) if clause.keyword == "modes" else [name.text for name in value]
        return plain(check_condition(value, self._names, self.findings))

    def _day(self, text: Text) -> str:
        try:
            return date.fromisoformat(text.value).isoformat()
        except ValueError:
            self.findings.error("E302", text.span, f"there is no day `{text.value}`")
            return ""

    def _modes(self, names: Iterable[Name]) -> list[str]:
        """Every name of the modes: a request may call a mode by any of them."""
        found: set[str] = set()
        for name in names:
            aliases = known_mode(name, self.world, self.findings)
            found.update(aliases)
        return sorted(found)

    def _line(self, offset: int) -> int:
        self._lines += self.file.source.text.count("\n", self._counted, offset)
        self._counted = offset
        return self._lines

    def _at(self, line: int) -> str:
        return f"{self.file.source.name}:{line}"


def known_mode(name: Name, world: World, findings: Findings) -> tuple[str, ...]:
    """All names of a mode; none, and an error, when there is no such mode."""
    found = world.modes.get(name.text)
    if found is None:
        help_text = did_you_mean(name.text, world.modes) or ("" if world.modes else "`use std` brings the usual modes")
        findings.error("E203", name.span, f"unknown mode `{name.text}`", help_text)
        return ()
    return found


def data_key(policy: str, name: str) -> str:
    """The name of a policy's data in the program."""
    return f"{policy}:{name}"


def _head(span: Span) -> Span:
    """The first character of a statement: a caret under a whole rule says nothing."""
    return Span(span.start, span.start + 1)
