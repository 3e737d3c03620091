"""The calls of a `.rules` file. It is Starlark, whose calls with plain values are Python's too; it is parsed and never run."""

from __future__ import annotations

import ast
import warnings
from typing import Any

from remit.importers.blocks import is_writable
from remit.importers.conversion import ConversionError
from remit_dsl.records import NamedTuple

# What the functions take, in this order.
PARAMETERS = {
    "prefix_rule": ("pattern", "decision", "match", "not_match", "justification"),
    "host_executable": ("name", "paths"),
    "network_rule": ("host", "protocol", "decision", "justification"),
}


class Call(NamedTuple):
    """A call: the function, the line, and its arguments by name."""

    function: str
    line: int
    arguments: dict[str, Any]


def read_calls(text: str) -> list[Call] | str:
    """The calls in `text`; why it is no file of rules, where it does not parse. Raises ConversionError where it parses and does more."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an unknown escape in a string is Python's concern
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return f"not rules: {error}"
    if not any(isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) for node in tree.body):
        return [] if not tree.body else "not rules: there is no call in it"
    return [call for node in tree.body if (call := _call(node)) is not None]


def _call(node: ast.stmt) -> Call | None:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return None  # a text that stands alone is a comment
    value = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Name) or value.func.id not in PARAMETERS:
        raise ConversionError(f"{node.lineno}: not a call of {', '.join(PARAMETERS)}")
    names = PARAMETERS[value.func.id]
    if len(value.args) > len(names) or any(keyword.arg is None for keyword in value.keywords):
        raise ConversionError(f"{node.lineno}: these are not the arguments of {value.func.id}")
    given = [*zip(names, value.args, strict=False), *((str(keyword.arg), keyword.value) for keyword in value.keywords)]
    arguments = {name: _value(argument) for name, argument in given}
    if len(arguments) < len(given) or not arguments.keys() <= set(names):
        raise ConversionError(f"{node.lineno}: these are not the arguments of {value.func.id}")
    return Call(value.func.id, node.lineno, arguments)


def _value(node: ast.expr) -> Any:
    """A text, or a list of values. Raises ConversionError for whatever would have to be worked out."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and is_writable(node.value):
        return node.value
    if isinstance(node, (ast.List, ast.Tuple)):
        return [_value(item) for item in node.elts]
    raise ConversionError(f"{node.lineno}:{node.col_offset + 1}: not a text, and not a list of texts")
