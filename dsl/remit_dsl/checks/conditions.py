"""Conditions: names resolved, types checked, and the expression in the form that the program carries.

Forms: ["and", e…] ["or", e…] ["not", e] ["==", a, b] (and the other comparisons) ["in", a, ["const", […]]] ["in", a, ["set", kind,
[pattern…]]] ["like", a, glob] ["matches", a, "re2"] ["fact", "request", "labels", "env"] ["const", v] ["count", e].
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, assert_never

from remit_dsl.checks.contents import text_glob
from remit_dsl.checks.findings import Findings
from remit_dsl.checks.regex import regex_problem
from remit_dsl.policy import SetValue
from remit_dsl.records import NamedTuple
from remit_dsl.suggest import did_you_mean
from remit_dsl.tree import And, Compare, Count, Expr, Fact, Literal_, Not, Or
from remit_dsl.vocabulary import FACTS, OPEN, VALUES, Type, fact_type

_WORDS: dict[Type, str] = {
    "str": "text", "int": "a number", "bool": "true or false", "list": "a list", "path": "a path", "map": "a table",
    "any": "a value",
}  # fmt: skip
_TEXTS: tuple[Type, ...] = ("str", "path", "any")
# What may be asked to be in a set of this kind.
_SET_MEMBERS: dict[str, tuple[Type, ...]] = {
    "paths": ("path",), "hosts": ("str", "any"), "words": ("str", "any"), "tools": ("str", "any"),
}  # fmt: skip


class Names(NamedTuple):
    """What a condition may refer to: sets by name, data names with their keys in the program, and what the data holds now."""

    sets: Mapping[str, SetValue]
    data: Mapping[str, str]
    values: Mapping[str, Any] = {}


class Typed(NamedTuple):
    """A compiled operand and its type; `any` also stands for one that was already found wrong."""

    expr: list[Any]
    type: Type


def check_condition(expr: Expr, names: Names, findings: Findings) -> list[Any]:
    """The compiled condition; what is wrong in it goes to `findings`."""
    match expr:
        case And() | Or():
            op = "and" if isinstance(expr, And) else "or"
            return [op, *[check_condition(item, names, findings) for item in expr.operands]]
        case Not():
            return ["not", check_condition(expr.operand, names, findings)]
        case Compare():
            return _compare(expr, names, findings)
        case Fact() | Literal_() | Count():
            operand = _operand(expr, names, findings)
            if operand.type not in ("bool", "any"):
                help_text = "compare it with something: `== …`, `in …`, `has …`"
                findings.error("E210", expr.span, f"{_WORDS[operand.type]} is no condition", help_text)
            return operand.expr
        case _:
            assert_never(expr)


def _operand(expr: Expr, names: Names, findings: Findings) -> Typed:
    match expr:
        case Literal_():
            return _literal(expr)
        case Fact():
            return _fact(expr, names, findings)
        case Count():
            inner = _operand(expr.of, names, findings)
            if inner.type in ("int", "bool", "path"):
                findings.error("E210", expr.span, f"{_WORDS[inner.type]} cannot be counted")
            return Typed(["count", inner.expr], "int")
        case _:
            return Typed(check_condition(expr, names, findings), "bool")


def _literal(expr: Literal_) -> Typed:
    value = expr.value
    if isinstance(value, bool):
        return Typed(["const", value], "bool")
    if isinstance(value, tuple):
        return Typed(["const", list(value)], "list")
    return Typed(["const", value], "str" if isinstance(value, str) else "int")


def _fact(expr: Fact, names: Names, findings: Findings) -> Typed:
    path = expr.path
    if path[0] == "@":
        findings.error("E210", expr.span, "a set can only stand behind `in`")
    elif path[0] == "data" and len(path) > 1:
        key = names.data.get(path[1])
        if key is not None:
            _warn_of_gap(expr, names, findings)
            return Typed(["fact", "data", key, *path[2:]], "any")
        findings.error("E212", expr.span, f"unknown data `{path[1]}`", did_you_mean(path[1], names.data))
    else:
        kind = fact_type(path)
        if kind is not None:
            return Typed(["fact", *path], kind)
        written = ".".join(path)
        findings.error("E201", expr.span, f"unknown fact `{written}`", _fact_help(written))
    return Typed(["const", False], "any")


def _warn_of_gap(expr: Fact, names: Names, findings: Findings) -> None:
    """Says when the data has no such value: what is absent equals nothing, so that the rule would not hold."""
    value = names.values.get(expr.path[1])
    for at, name in enumerate(expr.path[2:], 2):
        if not isinstance(value, Mapping):
            return
        if name not in value:
            text = f"the data `{'.'.join(expr.path[1:at])}` holds no `{name}`"
            findings.warning("W607", expr.span, text, did_you_mean(name, value) or "it is absent, and equals nothing")
            return
        value = value[name]


def _fact_help(written: str) -> str:
    below = [name for name in FACTS if name.startswith(written + ".")]
    if below:
        return f"there are {', '.join(below)}"
    return did_you_mean(written, [*FACTS, *OPEN])


def _compare(expr: Compare, names: Names, findings: Findings) -> list[Any]:
    left = _operand(expr.left, names, findings)
    if expr.op in ("like", "matches"):
        return _text_test(expr, left, findings)
    if expr.op == "in" and isinstance(expr.right, Fact) and expr.right.path[0] == "@":
        return _in_set(expr, expr.right, left, names, findings)
    right = _operand(expr.right, names, findings)
    problem = _MISFITS[expr.op](left.type, right.type)
    if problem:
        findings.error("E210", expr.span, problem)
    _check_values(expr, findings)
    return [expr.op, left.expr, right.expr]


def _text_test(expr: Compare, left: Typed, findings: Findings) -> list[Any]:
    if left.type not in (*_TEXTS, "list"):
        findings.error("E210", expr.left.span, f"`{expr.op}` tests text, not {_WORDS[left.type]}")
    if not isinstance(expr.right, Literal_) or not isinstance(expr.right.value, str):
        findings.error("E210", expr.right.span, f'behind `{expr.op}` stands a string: `{expr.op} "…"`')
        return ["const", False]
    if expr.op == "like":
        return ["like", left.expr, text_glob(expr.right.value)]
    problem, _ = regex_problem(expr.right.value)
    if problem:
        findings.error("E303", expr.right.span, f"no RE2 syntax: {problem}")
    return ["matches", left.expr, expr.right.value]


def _in_set(expr: Compare, right: Fact, left: Typed, names: Names, findings: Findings) -> list[Any]:
    name = right.path[1]
    found = names.sets.get(name)
    if found is None:
        findings.error("E202", right.span, f"unknown set `@{name}`", did_you_mean(name, names.sets))
        return ["const", False]
    if left.type not in _SET_MEMBERS[found.kind]:
        help_text = "only `access.path` can be in a set of paths" if found.kind == "paths" else ""
        findings.error("E211", expr.span, f"{_WORDS[left.type]} cannot be in a set of {found.kind}", help_text)
    return ["in", left.expr, ["set", found.kind, list(found.patterns)]]


def _check_values(expr: Compare, findings: Findings) -> None:
    """A constant beside a fact of few values must be one of them."""
    for fact, constant in ((expr.left, expr.right), (expr.right, expr.left)):
        if not isinstance(fact, Fact) or not isinstance(constant, Literal_):
            continue
        allowed = VALUES.get(".".join(fact.path))
        given = constant.value if isinstance(constant.value, tuple) else (constant.value,)
        for value in given if allowed is not None else ():
            if value not in (allowed or ()):
                help_text = f"it is one of {', '.join(allowed or ())}"
                findings.error("E210", constant.span, f"`{'.'.join(fact.path)}` is never `{value}`", help_text)


# --- which types fit which comparison ------------------------------------------------------------------------


def _equal_misfit(left: Type, right: Type) -> str:
    if "list" in (left, right) or "map" in (left, right):
        return "lists are compared with `has` and `in`, not as a whole"
    return "" if _alike(left, right) else f"{_WORDS[left]} is never equal to {_WORDS[right]}"


def _order_misfit(left: Type, right: Type) -> str:
    if _alike(left, right) and not {left, right} & {"bool", "list", "map", "path"}:
        return ""
    return f"{_WORDS[left]} and {_WORDS[right]} have no order"


def _in_misfit(left: Type, right: Type) -> str:
    if right == "str":
        return '`in` looks into a list; for a part of a text write `like "*…*"`'
    if right in ("list", "map", "any") and left not in ("list", "map"):
        return ""
    return f"{_WORDS[left]} cannot be in {_WORDS[right]}"


def _has_misfit(left: Type, right: Type) -> str:
    return _in_misfit(right, left).replace("`in` looks", "`has` looks")


def _alike(left: Type, right: Type) -> bool:
    return left == right or "any" in (left, right) or {left, right} == {"path", "str"}


_MISFITS: dict[str, Callable[[Type, Type], str]] = {
    "==": _equal_misfit, "!=": _equal_misfit, "in": _in_misfit, "has": _has_misfit,
    "<": _order_misfit, "<=": _order_misfit, ">": _order_misfit, ">=": _order_misfit,
}  # fmt: skip
