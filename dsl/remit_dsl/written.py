"""Parts of the tree as canonical text on one line. Layout over several lines is `layout`'s business."""

from __future__ import annotations

from typing import assert_never

from remit_dsl.escapes import encode_string
from remit_dsl.tree import (
    And,
    Clause,
    Compare,
    Content,
    Count,
    Expr,
    Fact,
    Literal_,
    ModeItem,
    Name,
    Not,
    OperandClause,
    OptionClause,
    Or,
    Role,
    Selector,
    Target,
    TestSetting,
    Text,
    ToolParam,
)

_OPTION_WORDS = {"none": "flag", "value": "option", "optional": "optional"}
_CLAUSE_WORDS = {"modes": "in mode", "agents": "for agent"}


def names(nodes: tuple[Name, ...]) -> str:
    return ", ".join(node.text for node in nodes)


def item(node: Name | Text, source_text: str) -> str:
    """A list item, in quotation marks if and only if it was written so: they can matter to what it means."""
    value = node.text if isinstance(node, Name) else node.value
    return encode_string(value) if source_text[node.span.start] == '"' else value


def target(node: Target) -> str:
    return node.name if node.content is None else f"{node.name}({_content(node.content)})"


def clause(node: Clause) -> str:
    value = node.value
    word = _CLAUSE_WORDS.get(node.keyword, node.keyword)
    if node.keyword == "approvable":
        return word
    if isinstance(value, tuple):
        return f"{word} {names(value)}"
    if isinstance(value, Text):
        return f"{word} {value.value if node.keyword in {'severity', 'until'} else encode_string(value.value)}"
    return f"{word} {expression(value)}"


def expression(node: Expr) -> str:
    """The condition with the fewest parentheses that read as the same tree."""
    match node:
        case Or():
            return " or ".join(operands_of(node))
        case And():
            return " and ".join(operands_of(node))
        case Not(operand=Compare(op="in") as inner):
            return f"{_operand(inner.left)} not in {_operand(inner.right)}"
        case Not():
            return f"not {_inside(node.operand, Or, And, Not)}"
        case Compare():
            return f"{_operand(node.left)} {node.op} {_operand(node.right)}"
        case Literal_():
            return _literal(node)
        case Fact():
            return _fact(node)
        case Count():
            return f"count({expression(node.of)})"
        case _:
            assert_never(node)


def operands_of(node: Or | And) -> list[str]:
    """The operands of a chain, each in parentheses where it needs them."""
    loose = (Or,) if isinstance(node, Or) else (Or, And)
    return [_inside(operand, *loose) for operand in node.operands]


def mode_item(node: ModeItem) -> str:
    match node.kind:
        case "only_readonly":
            return "only readonly"
        case "narrow":
            return "only narrow allows"
        case "allow":
            return "allow " + (", ".join(map(target, node.targets)) or "everything")
        case "ask_becomes":
            return f"ask becomes {node.becomes}"
        case _:
            assert_never(node.kind)


def tool_param(node: ToolParam) -> str:
    kind = f": {node.kind.text}" if node.kind else ""
    does = f" does {names(node.does)}" if node.does else ""
    tree = " tree" if node.tree else ""
    default = f" default {encode_string(node.default.value)}" if node.default else ""
    return f"{'subject' if node.subject else 'also'} {names(node.names)}{kind}{does}{tree}{default}"


def option(node: OptionClause, source_text: str) -> str:
    spellings = ", ".join([item(spelling, source_text) for spelling in node.spellings])
    return " ".join([option_word(node), spellings, *map(role, node.roles)])


def option_word(node: OptionClause) -> str:
    """What the clause begins with: `flag`, `global option` and so on."""
    return f"{'global ' if node.is_global else ''}{_OPTION_WORDS[node.takes]}"


def operands(node: OperandClause) -> str:
    if node.selector is None:
        return f"input {role(node.role)}"
    positions = f"operands{_selector(node.selector)}"
    if node.role.words[0] == "command":
        rest = Role(node.role.words[1:], node.role.until, node.role.matching, node.role.span)
        return f"wraps {positions} {role(rest)}".rstrip()
    return f"{positions} {role(node.role)}"


def setting(node: TestSetting) -> str:
    match node.keyword:
        case "label":
            return f"label {node.key} = {encode_string(node.value)}"
        case "link":
            return f"link {encode_string(node.key)} to {encode_string(node.value)}"
        case "mode" | "tier" | "interactive":
            return f"{node.keyword} {node.value}"
        case _:
            return f"{node.keyword} {encode_string(node.value)}"


def _content(node: Content) -> str:
    match node.form:
        case "raw":
            return node.text
        case "quoted":
            return encode_string(node.text)
        case "like":
            return f"like {encode_string(node.text)}"
        case _:
            assert_never(node.form)


def _inside(node: Expr, *loose: type) -> str:
    """An operand, in parentheses when it binds no closer than the operator around it."""
    return f"({expression(node)})" if isinstance(node, loose) else expression(node)


def _operand(node: Expr) -> str:
    return expression(node) if isinstance(node, Literal_ | Fact | Count) else f"({expression(node)})"


def _literal(node: Literal_) -> str:
    if isinstance(node.value, tuple):
        return "[" + ", ".join(map(_constant, node.value)) + "]"
    return _constant(node.value)


def _constant(value: str | int | bool) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case str():
            return encode_string(value)
        case _:
            assert_never(value)


def _fact(node: Fact) -> str:
    return "@" + node.path[1] if node.path[0] == "@" else ".".join(node.path)


def role(node: Role) -> str:
    words = list(node.words)
    if node.until:
        words += ["until", ", ".join(map(encode_string, node.until))]
    if node.matching is not None:
        words += ["matching", encode_string(node.matching)]
    return " ".join(words)


def _selector(node: Selector) -> str:
    start, stop = node.start, node.stop
    if start is None and stop is None:
        return ""
    if start is not None and stop == (start + 1 if start != -1 else None):
        return f"[{start}]"
    return f"[{'' if start is None else start}..{'' if stop is None else stop}]"
