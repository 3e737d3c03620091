"""Tokens -> syntax tree. Each method is called by the parser when it has read the grammar rule of the same name.

Called bottom-up while the text is read, so nothing here recurses. What the grammar cannot say (escapes, empty content)
is noted in `problems`; the tree then is not used.
"""

from __future__ import annotations

from typing import Any

from remit_dsl.diagnostics import Diagnostic
from remit_dsl.escapes import decode_string
from remit_dsl.source import Source, Span
from remit_dsl.tree import (
    And,
    Clause,
    Comment,
    Compare,
    Content,
    Count,
    DataDef,
    Default,
    EnvDef,
    Expectation,
    Expr,
    Fact,
    File,
    ForbidMode,
    Header,
    Literal_,
    LowerTiers,
    ModeDef,
    ModeItem,
    Name,
    Not,
    OnUnparseable,
    OperandClause,
    OptionClause,
    Or,
    ProgramClause,
    ProgramDef,
    Role,
    Rule,
    Selector,
    SetDef,
    Statement,
    SubcommandClause,
    Target,
    Test,
    TestSetting,
    Text,
    ToolDef,
    ToolParam,
    Trait,
    Use,
    WithClause,
)

_CLAUSES: dict[str, Any] = {
    "BECAUSE": "because",
    "SEVERITY": "severity",
    "OWNER": "owner",
    "TICKET": "ticket",
    "UNTIL": "until",
    "IN_MODE": "modes",
    "FOR_AGENT": "agents",
    "WHEN": "when",
    "APPROVABLE": "approvable",
}
_TAKES: dict[str, Any] = {"FLAG": "none", "OPTION": "value", "OPTIONAL": "optional"}


class Builder:
    """Builds the tree of one text at a time; `begin` starts a text. The children of a rule are its tokens and nodes."""

    def __init__(self) -> None:
        self.begin(Source("", ""), 0)

    def begin(self, source: Source, base: int) -> None:
        """Starts on `source.text[base:]`; problems are placed in the whole text."""
        self.problems: list[Diagnostic] = []
        self.comments: list[Comment] = []
        self._source = source
        self._base = base

    def note_comment(self, token: Any) -> Any:
        """Called by the lexer for each comment, in order."""
        text = self._source.text
        line_start = text.rfind("\n", 0, token.start_pos) + 1
        own_line = not text[line_start : token.start_pos].strip(" \t\ufeff")
        self.comments.append(Comment(token.rstrip(), own_line, _span(token, token)))
        return token

    # --- statements -------------------------------------------------------------------------------------------

    def start(self, children: list[Statement]) -> File:
        return File(tuple(children), tuple(self.comments))

    def header(self, c: list[Any]) -> Header:
        tier = _after(c, "FOR")
        owner = _after(c, "OWNER")
        title = next((t for t in c if t.type == "STRING" and t is not owner), None)
        return Header(
            _name(c[1]),
            _name(tier) if tier is not None else None,
            self._text(title) if title is not None else None,
            self._text(owner) if owner is not None else None,
            _span(c[0], c[-1]),
        )

    def use(self, c: list[Any]) -> Use:
        return Use(_name(c[1]), _span(c[0], c[1]))

    def set_def(self, c: list[Any]) -> SetDef:
        items = tuple([self._item_text(t) for t in c[3:-1]])
        return SetDef(_name(c[1]), str(c[2]), items, _span(c[0], c[-1]))  # type: ignore[arg-type]

    def data(self, c: list[Any]) -> DataDef:
        return DataDef(_name(c[1]), self._text(c[2]), _span(c[0], c[2]))

    def forbid(self, c: list[Any]) -> ForbidMode:
        return ForbidMode(_name_list(c[1:]), _span(c[0], c[-1]))

    def lower(self, c: list[Any]) -> LowerTiers:
        return LowerTiers(_name_list(c[1:]), _span(c[0], c[-1]))

    def unparseable(self, c: list[Any]) -> OnUnparseable:
        return OnUnparseable(str(c[1]), _span(c[0], c[1]))  # type: ignore[arg-type]

    def env(self, c: list[Any]) -> EnvDef:
        items = tuple([self._item_text(t) for t in c[1:-1]])
        return EnvDef(items, str(c[-1]), _span(c[0], c[-1]))  # type: ignore[arg-type]

    def default(self, c: list[Any]) -> Default:
        return Default(str(c[1]), self._target_list(c[2:]), _span(c[0], c[-1]))  # type: ignore[arg-type]

    def mode(self, c: list[Any]) -> ModeDef:
        names = tuple([_name(t) for t in c[1:-1] if not isinstance(t, ModeItem)])
        items = tuple([t for t in c[1:-1] if isinstance(t, ModeItem)])
        return ModeDef(names, items, _span(c[0], c[-1]))

    def mode_item(self, c: list[Any]) -> ModeItem:
        span = _span(c[0], c[-1])
        match c[0].type:
            case "ONLY":
                return ModeItem("narrow" if c[1].type == "NARROW" else "only_readonly", (), "", span)
            case "ALLOW":
                everything = len(c) == 2 and c[1] == "everything"
                return ModeItem("allow", () if everything else self._target_list(c[1:]), "", span)
            case _:
                return ModeItem("ask_becomes", (), str(c[1]), span)  # type: ignore[arg-type]

    # --- rules ------------------------------------------------------------------------------------------------

    def rule(self, c: list[Any]) -> Rule:
        effect = c[0]
        at = 1
        shadow = effect.type == "SHADOW"
        if shadow:
            effect = c[1]
            at = 2
        label = None
        token = c[at]
        if token.type == "LABEL":
            text = token[:-1].rstrip()
            label = Name(text, Span(token.start_pos, token.start_pos + len(text)))
            at += 1
        targets: list[Target] = []
        excepts: list[Target] = []
        clauses: list[Clause] = []
        into = targets
        for child in c[at:]:
            if type(child) is Clause:
                clauses.append(child)
            elif child.type == "TARGET":
                into.append(self._target(child))
            else:
                into = excepts
        span = Span(c[0].start_pos, _end(c[-1]))
        return Rule(str(effect), shadow, label, tuple(targets), tuple(excepts), tuple(clauses), span)  # type: ignore[arg-type]

    def clause(self, c: list[Any]) -> Clause:
        first = c[0]
        value: Text | tuple[Name, ...] | Expr
        match first.type:
            case "BECAUSE" | "OWNER" | "TICKET":
                value = self._text(c[1])
            case "SEVERITY" | "UNTIL":
                value = Text(str(c[1]), _span(c[1], c[1]))
            case "WHEN":
                value = c[1]
            case "APPROVABLE":
                value = Text(str(first), _span(first, first))
            case _:
                value = _name_list(c[1:])
        return Clause(_CLAUSES[first.type], value, _span(first, c[-1]))

    # --- conditions -------------------------------------------------------------------------------------------

    def disjunction(self, c: list[Expr]) -> Or:
        return Or(tuple(c), Span(c[0].span.start, c[-1].span.end))

    def conjunction(self, c: list[Expr]) -> And:
        return And(tuple(c), Span(c[0].span.start, c[-1].span.end))

    def negation(self, c: list[Any]) -> Not:
        return Not(c[1], _span(c[0], c[1]))

    def compare(self, c: list[Any]) -> Compare | Not:
        left, operator, right = c
        span = Span(left.span.start, right.span.end)
        if operator.type == "NOT_IN":
            return Not(Compare("in", left, right, span), span)
        return Compare(str(operator), left, right, span)  # type: ignore[arg-type]

    def literal(self, c: list[Any]) -> Literal_:
        return Literal_(self._constant_value(c[0]), _span(c[0], c[0]))

    def constants(self, c: list[Any]) -> Literal_:
        return Literal_(tuple([self._constant_value(t) for t in c[1:-1]]), _span(c[0], c[-1]))

    def fact(self, c: list[Any]) -> Fact:
        return _fact(c[0])

    def count(self, c: list[Any]) -> Count:
        return Count(_fact(c[1]), _span(c[0], c[2]))

    def group(self, c: list[Expr]) -> Expr:
        return c[0]

    # --- tools ------------------------------------------------------------------------------------------------

    def tool(self, c: list[Any]) -> ToolDef:
        params = tuple([t for t in c if isinstance(t, ToolParam)])
        tokens = [t for t in c if not isinstance(t, ToolParam)]
        base = _after(tokens, "EQUALS")
        names = tuple([_name(t) for t in tokens if t.type == "TOOL_NAME" and t is not base])
        readonly = any(t.type == "READONLY" for t in tokens)
        traits = tuple(sorted({str(t) for t in tokens if t.type == "TOOL_TRAIT"}))
        return ToolDef(names, _name(base) if base is not None else None, params, readonly, traits, _span(c[0], c[-1]))

    def tool_param(self, c: list[Any]) -> ToolParam:
        default = _after(c, "DEFAULT")
        kind = next((_name(t) for t in c if t.type == "KIND"), None)
        return ToolParam(
            c[0].type == "SUBJECT",
            tuple([_name(t) for t in c if t.type == "NAME"]),
            kind,
            tuple([_name(t) for t in c if t.type == "CAPABILITY"]),
            any(t.type == "TREE" for t in c),
            self._text(default) if default is not None else None,
            _span(c[0], c[-1]),
        )

    # --- programs ---------------------------------------------------------------------------------------------

    def program(self, c: list[Any]) -> ProgramDef:
        names, body = self._block(c)
        return ProgramDef(names, body, _span(c[0], c[-1]))

    def subcommand(self, c: list[Any]) -> SubcommandClause:
        names, body = self._block(c)
        return SubcommandClause(names, body, _span(c[0], c[-1]))

    def with_block(self, c: list[Any]) -> WithClause:
        spellings, body = self._block(c)
        return WithClause(spellings, body, _span(c[0], c[-1]))

    def trait(self, c: list[Any]) -> Trait:
        words = "other options harmless" if c[0].type == "OTHER" else " ".join(c)
        return Trait(words, _span(c[0], c[-1]))

    def option(self, c: list[Any]) -> OptionClause:
        span = _span(c[0], c[-1])
        is_global = c[0].type == "GLOBAL"
        kind, *rest = c[is_global:]
        roles = (rest.pop(),) if isinstance(rest[-1], Role) else ()
        return OptionClause(is_global, _TAKES[kind.type], tuple([self._spelling(t) for t in rest]), roles, span)

    def operands(self, c: list[Any]) -> OperandClause:
        span = _span(c[0], c[-1])
        role = c[-1] if isinstance(c[-1], Role) else Role((), (), None, span)
        if c[0].type == "INPUT":
            return OperandClause(None, role, span)
        selector = next(
            (_selector(t) for t in c if not isinstance(t, Role) and t.type == "SELECTOR"), Selector(None, None)
        )
        if c[0].type == "WRAPS":
            role = Role(("command", *role.words), role.until, role.matching, role.span)
        return OperandClause(selector, role, span)

    def role(self, c: list[Any]) -> Role:
        words: list[str] = []
        until: list[str] = []
        matching: str | None = None
        last = c[0]
        for token in c:
            match token.type:
                case "STRING" if last.type == "MATCHING":
                    if matching is not None:
                        help_text = "state the roles of each pattern in a clause of its own"
                        self._problem("E101", "a second `matching`", help_text, last.start_pos, token.end_pos)
                    matching = self._text(token).value
                case "STRING":
                    until.append(self._text(token).value)
                case "NAME":
                    words[-1] = f"code {token}"
                case "UNTIL" | "MATCHING":
                    pass
                case _:
                    words.append(str(token))
            if token.type == "ACTS":
                self._check_line(token)
            last = token
        return Role(tuple(words), tuple(until), matching, _span(c[0], c[-1]))

    # --- tests ------------------------------------------------------------------------------------------------

    def test(self, c: list[Any]) -> Test:
        settings = tuple([t for t in c[2:-1] if isinstance(t, TestSetting)])
        expectations = tuple([t for t in c[2:-1] if isinstance(t, Expectation)])
        return Test(self._text(c[1]), settings, expectations, _span(c[0], c[-1]))

    def setting(self, c: list[Any]) -> TestSetting:
        span = _span(c[0], c[-1])
        value = self._item_text(c[-1]).value
        match c[0].type:
            case "LABEL_SETTING":
                return TestSetting("label", str(c[1]), value, span)
            case "LINK":
                return TestSetting("link", self._text(c[1]).value, value, span)
            case _:
                return TestSetting(str(c[0]), "", value, span)

    def expectation(self, c: list[Any]) -> Expectation:
        by = _after(c, "BY")
        inputs = tuple([(_name(c[i - 1]), self._text(t)) for i, t in enumerate(c) if t.type == "STRING"])
        name = _name(by) if by is not None else None
        return Expectation(str(c[0]), self._target(c[1]), inputs, name, _span(c[0], c[-1]))  # type: ignore[arg-type]

    # --- parts ------------------------------------------------------------------------------------------------

    def _target_list(self, tokens: list[Any]) -> tuple[Target, ...]:
        return tuple([self._target(t) for t in tokens])

    def _target(self, token: Any) -> Target:
        name, opened, rest = token.partition("(")
        span = Span(token.start_pos, token.end_pos)
        if not opened:
            return Target(str(name), None, span)
        start = token.start_pos + len(name) + 1
        return Target(name, self._content(rest[:-1], start), span)

    def _content(self, text: str, start: int) -> Content:
        bare = text.strip(" \t")
        if not bare:
            self._problem(
                "E107", "empty parentheses", "write the name alone for any call", start - 1, start + len(text) + 1
            )
        elif bare[-1] == '"':
            like = bare.startswith("like") and bare[4:].lstrip(" \t").startswith('"')
            string = bare[4:].lstrip(" \t") if like else bare
            if string[0] == '"' and _is_one_string(string):
                at = start + text.index('"')
                value = self._decode(string, at)
                return Content("like" if like else "quoted", value, Span(at, at + len(string)))
        if bare.startswith(("like ", "like\t")) or bare == "like":
            self._problem("E111", "`like` without a string", 'write `like "…"`', start, start + len(text))
        return Content("raw", text, Span(start, start + len(text)))

    def _constant_value(self, token: Any) -> str | int | bool:
        match token.type:
            case "STRING":
                return self._decode(token, token.start_pos)
            case "INTEGER":
                return int(token)
            case _:
                return str(token) == "true"

    def _block(self, c: list[Any]) -> tuple[tuple[Name, ...], tuple[ProgramClause, ...]]:
        clauses = (Trait, OptionClause, OperandClause, WithClause, SubcommandClause)
        inner = c[1:-1]
        names = tuple([self._spelling(t) for t in inner if not isinstance(t, clauses)])
        return names, tuple([t for t in inner if isinstance(t, clauses)])

    def _spelling(self, token: Any) -> Name:
        text = self._item_text(token)
        return Name(text.value, text.span)

    def _item_text(self, token: Any) -> Text:
        return self._text(token) if token.type == "STRING" else Text(str(token), _span(token, token))

    def _text(self, token: Any) -> Text:
        return Text(self._decode(token, token.start_pos), Span(token.start_pos, token.end_pos))

    def _decode(self, literal: str, start: int) -> str:
        value, bad = decode_string(literal)
        for escape_start, escape_end in bad:
            escape = literal[escape_start:escape_end]
            message = f"unknown escape `{escape}` in a string"
            help_text = 'the escapes are `\\"`, `\\\\`, `\\n`, `\\t` and `\\u{HEX}`'
            self._problem("E108", message, help_text, start + escape_start, start + escape_end)
        return value

    def _check_line(self, token: Any) -> None:
        """Refuses an `acts` that reads as a clause of its own but belongs to what stands on the line before."""
        text = self._source.text
        at = self._base + token.start_pos
        while at > 0 and text[at - 1] in " \t":
            at -= 1
        if at == 0 or text[at - 1] == "\n":
            help_text = "put it on the line of its option, or in front of all options if the whole program acts"
            self._problem("E112", "`acts` at the start of a line", help_text, token.start_pos, token.end_pos)

    def _problem(self, code: str, message: str, help_text: str, start: int, end: int) -> None:
        base = self._base
        self.problems.append(Diagnostic(code, message, help_text, self._source.name, base + start, base + end))


def _name(token: Any) -> Name:
    return Name(str(token), Span(token.start_pos, token.end_pos))


def _name_list(tokens: list[Any]) -> tuple[Name, ...]:
    return tuple([_name(t) for t in tokens])


def _after(tokens: list[Any], kind: str) -> Any:
    """The token behind the first one of this kind, or None."""
    return next((tokens[i + 1] for i, t in enumerate(tokens[:-1]) if t.type == kind), None)


def _end(node: Any) -> int:
    end: int = node.span.end if hasattr(node, "span") else node.end_pos
    return end


def _span(first: Any, last: Any) -> Span:
    return Span(first.start_pos, _end(last))


def _fact(token: Any) -> Fact:
    path = tuple(str(token).split("."))
    if path[0][0] == "@":
        path = ("@", token[1:])
    return Fact(path, Span(token.start_pos, token.end_pos))


def _is_one_string(text: str) -> bool:
    """Whether `text`, which begins and ends with a quotation mark, has no other that is not escaped."""
    inner = text[1:-1]
    if len(text) < 2:
        return False
    if "\\" not in inner:
        return '"' not in inner
    rest = inner.replace("\\\\", "")
    return '"' not in rest.replace('\\"', "") and not rest.endswith("\\")


def _selector(token: Any) -> Selector:
    start, dots, stop = token[1:-1].partition("..")
    first = int(start) if start.strip() else None
    if dots:
        return Selector(first, int(stop) if stop.strip() else None)
    assert first is not None  # the grammar asks for a number where there are no dots
    return Selector(first, None if first == -1 else first + 1)
