"""Globs: patterns over one piece of text (a shell word, a path component, a host label, a tool name, a command line).

A Glob is a plain `str` (that text and no other) or a tuple of tokens: a literal run, ANY (any run of characters, also
none), ONE (exactly one character) or a class `("[", negated, ((low, high), …))`. In tuples no two literals and no two
ANY stand side by side. Lists, as JSON gives them, are read as tuples are. Nothing here backtracks: all work is bounded
by pattern x text.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TypeAlias

Token: TypeAlias = "Any"  # noqa: S105 (str | int | tuple[str, bool, tuple[tuple[str, str], ...]])
Glob = str | tuple[Token, ...]

ANY, ONE = 0, 1
ANY_DEPTH = 2  # a part of a path pattern (remit_dsl.patterns): any components, also none

_LAST = 0x10FFFF
# The POSIX character classes in the C locale (POSIX XBD 7.3.1), as ranges.
_NAMED = {
    "alnum": ("09", "AZ", "az"), "alpha": ("AZ", "az"), "blank": ("\t\t", "  "), "cntrl": ("\0\x1f", "\x7f\x7f"),
    "digit": ("09",), "graph": ("!~",), "lower": ("az",), "print": (" ~",), "punct": ("!/", ":@", "[`", "{~"),
    "space": ("\t\r", "  "), "upper": ("AZ",), "xdigit": ("09", "AF", "af"),
}  # fmt: skip


# --- reading and writing -------------------------------------------------------------------------------------


def parse_glob(text: str, *, question: bool, classes: bool) -> Glob:
    """The glob that `text` writes: `*`, with `question` also `?`, with `classes` also `[…]` (glob(7)).

    A backslash makes the next character literal; a `[` that is never closed stands for itself.
    """
    tokens: list[Token] = []
    at = 0
    while at < len(text):
        char = text[at]
        end = at + 1
        token: Token = char
        if char == "\\" and end < len(text):
            token, end = text[end], end + 1
        elif char == "*":
            token = ANY
        elif char == "?" and question:
            token = ONE
        elif char == "[" and classes:
            token, end = _parse_class(text, at)
        tokens.append(token)
        at = end
    return glob_of(tokens)


def glob_of(tokens: Sequence[Token]) -> Glob:
    """The normal form of a row of tokens: literals joined, ANY once, ONE before ANY."""
    merged: list[Token] = []
    for token in tokens:
        last = merged[-1] if merged else None
        if token == "" or (token == ANY and last == ANY):
            continue
        if isinstance(token, str) and isinstance(last, str):
            merged[-1] = last + token
        elif token == ONE and last == ANY:
            merged[-1:] = [ONE, ANY]
        else:
            merged.append(token if isinstance(token, (str, int)) else glob_from_json(token))
    if not merged:
        return ""
    return merged[0] if len(merged) == 1 and isinstance(merged[0], str) else tuple(merged)


def glob_from_json(value: Any) -> Any:
    """A glob (or part of one) with JSON's lists turned into tuples."""
    return tuple([glob_from_json(item) for item in value]) if isinstance(value, (list, tuple)) else value


def _parse_class(text: str, start: int) -> tuple[Token, int]:
    """The class that begins at `start` and the offset after it; the plain `[` when it is not closed."""
    at = start + 1
    negated = text[at : at + 1] in ("!", "^")
    at += negated
    ranges: list[tuple[str, str]] = []
    first = at
    while at < len(text) and (text[at] != "]" or at == first):
        if text.startswith("[:", at) and (close := text.find(":]", at)) > 0 and text[at + 2 : close] in _NAMED:
            ranges += [(pair[0], pair[1]) for pair in _NAMED[text[at + 2 : close]]]
            at = close + 2
            continue
        low, at = _class_char(text, at)
        high = low
        if text[at : at + 1] == "-" and text[at + 1 : at + 2] not in ("", "]"):
            high, at = _class_char(text, at + 1)
        if low <= high:
            ranges.append((low, high))
    if at >= len(text):
        return "[", start + 1
    return ("[", negated, tuple(ranges)), at + 1


def _class_char(text: str, at: int) -> tuple[str, int]:
    if text[at] == "\\" and at + 1 < len(text):
        return text[at + 1], at + 2
    return text[at], at + 1


def glob_text(glob: Glob) -> str:
    """The glob as it would be written; `parse_glob` with question and classes reads it back."""
    if isinstance(glob, str):
        return _escaped(glob, "*?[\\")
    return "".join([_token_text(token) for token in glob])


def _token_text(token: Token) -> str:
    if isinstance(token, str):
        return _escaped(token, "*?[\\")
    if token == ANY:
        return "*"
    if token == ONE:
        return "?"
    _, negated, ranges = token
    spans = [
        _escaped(low, _CLASS) if low == high else f"{_escaped(low, _CLASS)}-{_escaped(high, _CLASS)}"
        for low, high in ranges
    ]
    # No range is left of one that runs backwards; it matches nothing, and only such a one says so.
    return f"[{'!' if negated else ''}{''.join(spans) or 'b-a'}]"


_CLASS = "]-\\!^["


def _escaped(text: str, special: str) -> str:
    return "".join(["\\" + char if char in special else char for char in text])


# --- folding -------------------------------------------------------------------------------------------------


def fold_text(text: str) -> str:
    """`text` as a file system that ignores case (and, for other than ASCII, composition) compares it."""
    if text.isascii():
        return text.lower()
    import unicodedata

    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def fold_glob(glob: Glob) -> Glob:
    """The glob whose matches on folded text are the matches of `glob` on any spelling of it."""
    if isinstance(glob, str):
        return fold_text(glob)
    return glob_of([_fold_token(token) for token in glob])


def _fold_token(token: Token) -> Token:
    if isinstance(token, str):
        return fold_text(token)
    if isinstance(token, int):
        return token
    ranges = [(ord(low), ord(high)) for low, high in token[2]]
    # Ranges of letters keep their shape when lowered; what a range holds beside letters stays as it is.
    lowered = [(max(low, 65) + 32, min(high, 90) + 32) for low, high in ranges if low <= 90 and high >= 65]
    return ("[", token[1], tuple([(chr(low), chr(high)) for low, high in ranges + lowered]))


# --- matching ------------------------------------------------------------------------------------------------


def glob_matches(glob: Glob, text: str, fold: bool = False) -> bool:
    """Whether the whole of `text` matches; `fold` ignores case."""
    if fold:
        glob, text = fold_glob(glob), fold_text(text)
    if isinstance(glob, str):
        return text == glob
    if len(glob) == 1 and glob[0] == ANY:
        return True
    if len(glob) == 2 and glob[0] == ANY and isinstance(glob[1], str):
        return text.endswith(glob[1])
    if len(glob) == 2 and glob[1] == ANY and isinstance(glob[0], str):
        return text.startswith(glob[0])
    return _matches_segments(_segments(glob), text)


def _segments(glob: Sequence[Token]) -> list[list[Token]]:
    """The tokens between the ANYs: n ANYs give n + 1 runs, each of a fixed length."""
    runs: list[list[Token]] = [[]]
    for token in glob:
        if token == ANY:
            runs.append([])
        else:
            runs[-1].append(token)
    return runs


def _matches_segments(runs: list[list[Token]], text: str) -> bool:
    """First run at the start, last at the end, each other as far left as it goes: enough, as ANY takes the rest."""
    if len(runs) == 1:
        return _length(runs[0]) == len(text) and _run_at(runs[0], text, 0)
    tail = len(text) - _length(runs[-1])
    at = _length(runs[0])
    if at > tail or not _run_at(runs[0], text, 0) or not _run_at(runs[-1], text, tail):
        return False
    for run in runs[1:-1]:
        found = _find_run(run, text, at, tail)
        if found < 0:
            return False
        at = found + _length(run)
    return True


def _length(run: list[Token]) -> int:
    return sum([len(token) if isinstance(token, str) else 1 for token in run])


def _run_at(run: list[Token], text: str, at: int) -> bool:
    for token in run:
        if isinstance(token, str):
            if not text.startswith(token, at):
                return False
            at += len(token)
        elif not _one_matches(token, text[at]):
            return False
        else:
            at += 1
    return True


def _find_run(run: list[Token], text: str, at: int, end: int) -> int:
    """The first offset from `at` where the run stands wholly before `end`, or -1."""
    if len(run) == 1 and isinstance(run[0], str):
        return text.find(run[0], at, end)
    for start in range(at, end - _length(run) + 1):
        if _run_at(run, text, start):
            return start
    return -1


def _one_matches(token: Token, char: str) -> bool:
    if token == ONE:
        return True
    return bool(token[1]) != any(low <= char <= high for low, high in token[2])


# --- globs against globs -------------------------------------------------------------------------------------


def globs_overlap(left: Glob, right: Glob) -> bool:
    """Whether some text matches both."""
    if isinstance(left, str):
        return glob_matches(right, left)
    if isinstance(right, str):
        return glob_matches(left, right)
    ours, theirs = _spelled(left), _spelled(right)
    states = _after_any(ours, {0})
    live = {(at, to) for at in states for to in _after_any(theirs, {0})}
    seen = set(live)
    while live:
        if (len(ours), len(theirs)) in live:
            return True
        live = {pair for at, to in live for pair in _both_step(ours, at, theirs, to)} - seen
        seen |= live
    return False


def _spelled(glob: Sequence[Token]) -> list[Token]:
    """The tokens with literals spelled out, one character each."""
    return [part for token in glob for part in (token if isinstance(token, str) else [token])]


def _after_any(tokens: list[Token], states: set[int]) -> set[int]:
    """The states, and those reached by letting ANY stand for nothing (one step: no two ANYs are neighbours)."""
    return states | {at + 1 for at in states if at < len(tokens) and tokens[at] == ANY}


def _both_step(ours: list[Token], at: int, theirs: list[Token], to: int) -> set[tuple[int, int]]:
    if at == len(ours) or to == len(theirs) or not _share_char(ours[at], theirs[to]):
        return set()
    nexts = _after_any(ours, {at if ours[at] == ANY else at + 1})
    return {(one, two) for one in nexts for two in _after_any(theirs, {to if theirs[to] == ANY else to + 1})}


def _share_char(one: Token, two: Token) -> bool:
    return any(low <= top and base <= high for low, high in _chars(one) for base, top in _chars(two))


def _chars(token: Token) -> list[tuple[int, int]]:
    """The code points that a one-character token (or ANY, per character) stands for, as sorted ranges."""
    if isinstance(token, str):
        return [(ord(token), ord(token))]
    if isinstance(token, int):
        return [(0, _LAST)]
    ranges = sorted([(ord(low), ord(high)) for low, high in token[2]])
    return _complement(ranges) if token[1] else ranges


def _complement(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    gaps, free = [], 0
    for low, high in ranges:
        if low > free:
            gaps.append((free, low - 1))
        free = max(free, high + 1)
    return [*gaps, (free, _LAST)] if free <= _LAST else gaps


def glob_covers(wide: Glob, narrow: Glob) -> bool:
    """Whether every text of `narrow` matches `wide`. True is certain; False may only mean that it is not obvious."""
    if isinstance(narrow, str):
        return glob_matches(wide, narrow)
    tokens = [wide] if isinstance(wide, str) else wide
    spelled = _spelled(tokens)
    states = _after_any(spelled, {0})
    for token in _spelled(narrow):
        states = _after_any(spelled, {to for at in states for to in _cover_step(spelled, at, token)})
        if not states:
            return False
    return len(spelled) in states


def _cover_step(spelled: list[Token], at: int, token: Token) -> list[int]:
    if at == len(spelled):
        return []
    if spelled[at] == ANY:
        return [at]
    return [at + 1] if token != ANY and _holds_all(spelled[at], token) else []


def _holds_all(outer: Token, inner: Token) -> bool:
    """Whether one-character `outer` takes every character of `inner`."""
    outside = _complement(sorted(_chars(outer)))
    return not any(low <= top and base <= high for low, high in outside for base, top in _chars(inner))
