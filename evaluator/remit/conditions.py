"""Conditions (`when`): three-valued evaluation of compiled expressions. Total: a value of the wrong type is unknown, not false."""

from __future__ import annotations

from _collections_abc import Mapping  # collections.abc without the rest of collections

from remit.facts import MAYBE, NO, YES, PathFact
from remit_dsl.globs import glob_matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TypeAlias


class _Sentinel:
    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


UNKNOWN = _Sentinel("UNKNOWN")  # it has a value that we do not know
ABSENT = _Sentinel("ABSENT")  # it is known to have no value

Scope: TypeAlias = "Mapping[str, Any]"
SetMatcher: TypeAlias = "Callable[[str, Any, Any, bool], int]"  # (set kind, patterns, value, widely) -> truth


def evaluate(expr: Any, scope: Scope, in_set: SetMatcher, wide: bool) -> int:
    """The truth of `expr` in `scope` (name -> nested values): NO, MAYBE or YES. wide: how membership in a set is matched; `not`
    turns it round."""
    op = expr[0]
    if op == "and":
        return min([evaluate(item, scope, in_set, wide) for item in expr[1:]])
    if op == "or":
        return max([evaluate(item, scope, in_set, wide) for item in expr[1:]])
    if op == "not":
        return 2 - evaluate(expr[1], scope, in_set, not wide)
    if op == "in" and expr[2][0] == "set":
        return in_set(expr[2][1], expr[2][2], value_of(expr[1], scope), wide)
    if op in ("fact", "const", "count"):
        return _truth(value_of(expr, scope))
    left = value_of(expr[1], scope)
    right = expr[2] if op in ("like", "matches") else value_of(expr[2], scope)
    return _compare(op, left, right)


def value_of(expr: Any, scope: Scope) -> Any:
    """The value of an operand: a plain value, UNKNOWN or ABSENT."""
    if expr[0] == "const":
        return expr[1]
    if expr[0] == "count":
        value = value_of(expr[1], scope)
        return len(value) if isinstance(value, (str, list, tuple, dict)) else value if _is_sentinel(value) else UNKNOWN
    value = scope
    for name in expr[1:]:
        if value is UNKNOWN:
            return UNKNOWN
        if not isinstance(value, Mapping):
            return ABSENT
        value = value.get(name, ABSENT)
    return value


def absent_facts(expr: Any, scope: Scope) -> Iterator[str]:
    """The facts in `expr` that are known to have no value, as they are written."""
    if not isinstance(expr, (list, tuple)):
        return
    if expr[:1] and expr[0] == "fact":
        if value_of(expr, scope) is ABSENT:
            yield ".".join(expr[1:])
    elif expr[:1] and expr[0] != "const":
        for part in expr[1:]:
            yield from absent_facts(part, scope)


def _is_sentinel(value: Any) -> bool:
    return value is UNKNOWN or value is ABSENT


def _truth(value: Any) -> int:
    if value is UNKNOWN or not (isinstance(value, bool) or value is ABSENT):
        return MAYBE
    return YES if value is True else NO


def _compare(op: str, left: Any, right: Any) -> int:
    if isinstance(left, PathFact):  # one place, perhaps several spellings: certain where they agree
        answers = {_compare(op, path, right) for path in left.paths}
        return answers.pop() if len(answers) == 1 else MAYBE
    if left is UNKNOWN or right is UNKNOWN:
        return MAYBE
    if left is ABSENT or right is ABSENT:
        return YES if op == "!=" else NO
    if op in ("==", "!="):
        return _equal(left, right) if op == "==" else 2 - _equal(left, right)
    if op == "in":
        return _contains(right, left)
    if op == "has":
        return _contains(left, right)
    if op in ("like", "matches"):
        return _text_test(op, left, right)
    return _ordered(op, left, right)


def _equal(left: Any, right: Any) -> int:
    if _kind(left) != _kind(right):
        return MAYBE
    return YES if left == right else NO


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, (list, tuple)):
        return "list"
    return type(value).__name__


def _contains(container: Any, item: Any) -> int:
    if isinstance(container, (list, tuple)):
        answers = [MAYBE if element is UNKNOWN else _equal(element, item) for element in container]
        return max(answers, default=NO)
    if isinstance(container, Mapping):
        return YES if item in container else NO
    return MAYBE


def _text_test(op: str, text: Any, pattern: Any) -> int:
    if isinstance(text, (list, tuple)):
        return max([_text_test(op, item, pattern) for item in text], default=NO)
    if not isinstance(text, str):
        return MAYBE
    if op == "like":
        return YES if glob_matches(pattern, text) else NO
    return _regex_test(pattern, text)


def _regex_test(pattern: str, text: str) -> int:
    try:
        import re2
    except ImportError:  # RE2 is an extra; without it nothing is known, which is never permission
        return MAYBE
    return YES if re2.search(pattern, text) else NO


def _ordered(op: str, left: Any, right: Any) -> int:
    if _kind(left) != _kind(right) or _kind(left) not in ("number", "str"):
        return MAYBE
    answer = {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}[op]
    return YES if answer else NO
