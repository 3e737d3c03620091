"""Statements -> lines of canonical text: what stands on one line, what gets lines of its own, where long lines break.

Lines keep the range of source that they stand for, so that `formatter` can put comments and blank lines back.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import TypeVar, assert_never

from remit_dsl import written
from remit_dsl.escapes import encode_string
from remit_dsl.records import NamedTuple
from remit_dsl.source import Span
from remit_dsl.tree import (
    And,
    Clause,
    DataDef,
    Default,
    EnvDef,
    Expectation,
    File,
    ForbidMode,
    Header,
    LowerTiers,
    ModeDef,
    Name,
    OnUnparseable,
    OperandClause,
    OptionClause,
    Or,
    ProgramClause,
    ProgramDef,
    Rule,
    SetDef,
    Statement,
    SubcommandClause,
    Target,
    Test,
    Text,
    ToolDef,
    Trait,
    Use,
    WithClause,
)

_Node = TypeVar("_Node", Name, Text, Target, Name | Text)

MAX_COLUMNS = 100
INDENT = 2
_CLAUSE_ORDER = ("because", "when", "modes", "agents", "approvable", "severity", "until", "ticket", "owner")


class Line(NamedTuple):
    """A line of text, the source range of what it says, and whether a blank line before it is kept."""

    start: int
    end: int
    indent: int
    text: str
    spaced: bool = False


class _Part(NamedTuple):
    """Text that is not broken, and the source range that it stands for."""

    text: str
    span: Span


class Layout:
    """Lays out the statements of one file; `source_text` and the places of comments decide what must not be joined."""

    def __init__(self, source_text: str, file: File) -> None:
        self._text = source_text
        self._comments = [comment.span.start for comment in file.comments]

    def statement(self, node: Statement) -> list[Line]:
        match node:
            case Rule():
                return self._rule(node)
            case SetDef():
                return self._set(node)
            case Header():
                return self._header(node)
            case Test():
                return self._test(node)
            case ModeDef():
                return self._mode(node)
            case ToolDef():
                return self._tool(node)
            case ProgramDef():
                return self._program(node, "program", node.names, 0)
            case EnvDef():
                parts = [*self._item_parts(node.names)]
                last = parts[-1]
                parts[-1] = _Part(f"{last.text} {node.kind}", last.span)
                return self._pack("env ", node.span, parts, 0, spaced=True)
            case Default():
                parts = _listed(written.target, node.targets)
                return self._pack(f"default {node.effect} ", node.span, parts, 0, spaced=True)
            case Use() | DataDef() | ForbidMode() | LowerTiers() | OnUnparseable():
                return [Line(node.span.start, node.span.end, 0, _short(node), True)]
            case _:
                assert_never(node)

    # --- rules and the header ---------------------------------------------------------------------------------

    def _rule(self, node: Rule) -> list[Line]:
        label = f"{node.label.text}: " if node.label else ""
        head = f"{'shadow ' if node.shadow else ''}{node.effect} {label}"
        commented = self._has_comment(node.span.start, node.span.end)
        clauses = node.clauses if commented else sorted(node.clauses, key=_clause_rank)
        words = [written.clause(clause) for clause in clauses]
        excepts = ["except " + ", ".join(map(written.target, node.excepts))] if node.excepts else []
        joined = " ".join([head + ", ".join(map(written.target, node.targets)), *excepts, *words])
        long_form = any(clause.keyword in {"because", "when"} for clause in node.clauses)
        if not commented and not long_form and len(joined) <= MAX_COLUMNS:
            return [Line(node.span.start, node.span.end, 0, joined, True)]
        start = Span(node.span.start, node.span.end)
        lines = self._pack(head, start, _listed(written.target, node.targets), 0, spaced=True)
        if node.excepts:
            span = Span(node.excepts[0].span.start, node.excepts[-1].span.end)
            lines += self._pack("except ", span, _listed(written.target, node.excepts), INDENT)
        for clause in clauses:
            lines += self._clause(clause)
        # Clauses that changed places have no comments between them: they all stand for the end of the rule.
        return lines if commented else [lines[0], *[line._replace(start=node.span.end) for line in lines[1:]]]

    def _clause(self, node: Clause) -> list[Line]:
        value = node.value
        text = written.clause(node)
        fits = INDENT + len(text) <= MAX_COLUMNS and not self._has_comment(node.span.start, node.span.end)
        if fits or not isinstance(value, Or | And):
            return [Line(node.span.start, node.span.end, INDENT, text)]
        word = "or" if isinstance(value, Or) else "and"
        texts = written.operands_of(value)
        parts = [_Part(texts[0], value.operands[0].span)]
        parts += [_Part(f"{word} {t}", o.span) for t, o in zip(texts[1:], value.operands[1:], strict=True)]
        return self._pack("when ", node.span, parts, INDENT)

    def _header(self, node: Header) -> list[Line]:
        tier = f" for {node.tier.text}" if node.tier else ""
        title = f" {encode_string(node.title.value)}" if node.title else ""
        first = f"policy {node.name.text}{tier}{title}"
        if node.owner is None:
            return [Line(node.span.start, node.span.end, 0, first, True)]
        owner = f"owner {encode_string(node.owner.value)}"
        joined = f"{first} {owner}"
        if not title and len(joined) <= MAX_COLUMNS and not self._has_comment(node.span.start, node.span.end):
            return [Line(node.span.start, node.span.end, 0, joined, True)]
        last = node.title or node.tier or node.name
        return [
            Line(node.span.start, last.span.end, 0, first, True),
            Line(node.owner.span.start, node.owner.span.end, INDENT, owner),
        ]

    # --- blocks -----------------------------------------------------------------------------------------------

    def _set(self, node: SetDef) -> list[Line]:
        head = f"set {node.name.text} = {node.kind} {{"
        parts = self._item_parts(node.items)
        joined = " ".join([head, *[part.text for part in parts], "}"])
        if self._fits(joined, node.span, 0):
            return [Line(node.span.start, node.span.end, 0, joined, True)]
        parts = [*parts[:-1], *[_Part(f"{part.text},", part.span) for part in parts[-1:]]]
        body = self._pack("", Span(node.span.end, node.span.end), parts, INDENT, spaced=True, hanging=0)
        return self._enclose(head, node.span, body, 0)

    def _mode(self, node: ModeDef) -> list[Line]:
        body = []
        for item in node.items:
            if item.kind == "allow" and item.targets:
                parts = _listed(written.target, item.targets)
                body.append(self._pack("allow ", item.span, parts, INDENT, spaced=True))
            else:
                body.append([Line(item.span.start, item.span.end, INDENT, written.mode_item(item), True)])
        return self._block(f"mode {written.names(node.names)} {{", node.span, body, 0)

    def _tool(self, node: ToolDef) -> list[Line]:
        body = [[Line(p.span.start, p.span.end, INDENT, written.tool_param(p), True)] for p in node.params]
        words = [*(["readonly"] if node.readonly else []), *node.traits]
        if words:
            # Their places are not in the tree; a comment beside them stays in front of the end of the block.
            end = node.span.end - 1
            body.append([Line(end, end, INDENT, "  ".join(words), False)])
        parts = _listed(_name_text, node.names)
        if node.base:
            parts[-1] = _Part(f"{parts[-1].text} = {node.base.text}", parts[-1].span)
        return self._named_block("tool", parts, node.span, body, 0)

    def _program(
        self, node: ProgramDef | SubcommandClause | WithClause, word: str, names: Sequence[Name], indent: int
    ) -> list[Line]:
        body = [self._program_clause(clause, indent + INDENT) for clause in node.body]
        return self._named_block(word, self._item_parts(names), node.span, body, indent)

    def _program_clause(self, node: ProgramClause, indent: int) -> list[Line]:
        match node:
            case SubcommandClause():
                return self._program(node, "subcommand", node.names, indent)
            case WithClause():
                return self._program(node, "with", node.spellings, indent)
            case Trait():
                text = node.text
            case OptionClause():
                return self._option(node, indent)
            case OperandClause():
                text = written.operands(node)
            case _:
                assert_never(node)
        return [Line(node.span.start, node.span.end, indent, text, True)]

    def _option(self, node: OptionClause, indent: int) -> list[Line]:
        text = written.option(node, self._text)
        if self._fits(text, node.span, indent):
            return [Line(node.span.start, node.span.end, indent, text, True)]
        parts = self._item_parts(node.spellings)
        role = "".join([f" {written.role(role)}" for role in node.roles])
        parts[-1] = _Part(f"{parts[-1].text}{role}", Span(parts[-1].span.start, node.span.end))
        return self._pack(f"{written.option_word(node)} ", node.span, parts, indent, spaced=True)

    def _test(self, node: Test) -> list[Line]:
        body = [Line(s.span.start, s.span.end, INDENT, written.setting(s), True) for s in node.settings]
        for expectation in node.expectations:
            body += self._expectation(expectation)
        return self._enclose(f"test {encode_string(node.name.value)} {{", node.span, body, 0)

    def _expectation(self, node: Expectation) -> list[Line]:
        head = f"{node.decision:5} {written.target(node.target)}"
        by = f" by {node.by.text}" if node.by else ""
        inputs = [f"{name.text} {encode_string(value.value)}" for name, value in node.inputs]
        joined = f"{head} {{ {'  '.join(inputs)} }}{by}" if inputs else f"{head}{by}"
        if not inputs or self._fits(joined, node.span, INDENT):
            return [Line(node.span.start, node.span.end, INDENT, joined, True)]
        spans = [Span(name.span.start, value.span.end) for name, value in node.inputs]
        body = [Line(*span, INDENT * 2, text) for span, text in zip(spans, inputs, strict=True)]
        first = Line(node.span.start, node.target.span.end, INDENT, f"{head} {{", True)
        closing = Line(spans[-1].end + 1, node.span.end, INDENT, f"}}{by}")
        return [first, *body, closing]

    def _named_block(
        self, word: str, parts: list[_Part], span: Span, body: list[list[Line]], indent: int
    ) -> list[Line]:
        """A block behind a list of names, which takes several lines if it must."""
        head = self._pack(f"{word} ", span, parts, indent, spaced=True)
        head[-1] = head[-1]._replace(text=f"{head[-1].text} {{")
        if len(head) == 1:
            return self._block(head[0].text, span, body, indent)
        return [*head, *[line for block in body for line in block], Line(span.end - 1, span.end, indent, "}")]

    def _block(self, head: str, span: Span, body: list[list[Line]], indent: int) -> list[Line]:
        """A block on one line if all fits there, else with one line or more for each clause."""
        joined = "  ".join([" ".join([line.text for line in lines]) for lines in body])
        one_line = f"{head} {joined} }}" if joined else f"{head} }}"
        if all(len(lines) == 1 for lines in body) and self._fits(one_line, span, indent):
            return [Line(span.start, span.end, indent, one_line, True)]
        return self._enclose(head, span, [line for lines in body for line in lines], indent)

    def _enclose(self, head: str, span: Span, body: list[Line], indent: int) -> list[Line]:
        first = Line(span.start, span.start + 1, indent, head, True)
        return [first, *body, Line(span.end - 1, span.end, indent, "}")]

    # --- parts ------------------------------------------------------------------------------------------------

    def _item_parts(self, items: Sequence[Name | Text]) -> list[_Part]:
        return _listed(lambda node: written.item(node, self._text), items)

    def _pack(
        self,
        head: str,
        span: Span,
        parts: list[_Part],
        indent: int,
        *,
        spaced: bool = False,
        hanging: int = INDENT * 2,
    ) -> list[Line]:
        """`head` and as many parts on each line as fit; a comment between two parts, or in a list without a head a
        blank line, breaks too. Further lines hang by `hanging` more."""
        if not parts:
            return [Line(span.start, span.end, indent, head.rstrip(), spaced)] if head else []
        lines: list[Line] = []
        start = span.start if head else parts[0].span.start
        current = Line(start, start + 1, indent, head.rstrip(), spaced)
        empty = True
        for part in parts:
            joined = f"{current.text} {part.text}".lstrip()
            broken = not empty and self._must_break(current.end, part.span.start, blank=not head)
            if broken or (not empty and current.indent + len(joined) > MAX_COLUMNS):
                lines.append(current)
                current = Line(*part.span, indent + hanging, part.text, not head)
            else:
                current = current._replace(text=joined, end=part.span.end)
            empty = False
        return [*lines, current]

    def _must_break(self, start: int, end: int, *, blank: bool) -> bool:
        return self._has_comment(start, end) or (blank and has_blank_line(self._text, start, end))

    def _fits(self, text: str, span: Span, indent: int) -> bool:
        return indent + len(text) <= MAX_COLUMNS and not self._has_comment(*span)

    def _has_comment(self, start: int, end: int) -> bool:
        index = bisect_left(self._comments, start)
        return index < len(self._comments) and self._comments[index] < end


def has_blank_line(text: str, start: int, end: int) -> bool:
    """Whether an empty line lies in this range of blanks and commas."""
    return any(not line.strip() for line in text[start:end].split("\n")[1:-1])


def _listed(write: Callable[[_Node], str], nodes: Sequence[_Node]) -> list[_Part]:
    """The nodes as parts, with commas behind all but the last."""
    last = len(nodes) - 1
    return [_Part(write(node) + ("," if i < last else ""), node.span) for i, node in enumerate(nodes)]


def _name_text(node: Name) -> str:
    return node.text


def _clause_rank(node: Clause) -> int:
    return _CLAUSE_ORDER.index(node.keyword)


def _short(node: Use | DataDef | ForbidMode | LowerTiers | OnUnparseable) -> str:
    match node:
        case Use():
            return f"use {node.module.text}"
        case DataDef():
            return f"data {node.name.text} from {encode_string(node.file.value)}"
        case ForbidMode():
            return f"forbid mode {written.names(node.modes)}"
        case LowerTiers():
            return f"lower tiers may {written.names(node.may)}"
        case OnUnparseable():
            return f"on unparseable {node.effect}"
        case _:
            assert_never(node)
