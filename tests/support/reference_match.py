"""The naive matcher behind `reference`: patterns as compiled rows against facts, by recursion over everything that could be.

It shares no code with the evaluator: no plans, no index, no tables of states. Exponential, which a small vocabulary can afford.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product, takewhile
from typing import Any

from remit.facts import MAYBE, NO, YES, HostFact, PathFact, Unit
from remit.shell.words import Hole, Partial

ANY, ONE, DEEP = 0, 1, 2
FRESH = "\ue000"  # a character that no pattern of the vocabulary spells
SYSTEM = ("/bin", "/usr/bin", "/sbin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin")


def frozen(value: Any) -> Any:
    return tuple([frozen(item) for item in value]) if isinstance(value, (list, tuple)) else value


# --- texts and words -----------------------------------------------------------------------------------------


def spelled_out(glob: Any) -> tuple[Any, ...]:
    """A glob as single characters and tokens."""
    tokens = [glob] if isinstance(glob, str) else glob
    return tuple([item for token in tokens for item in (token if isinstance(token, str) else [token])])


@cache
def glob_takes(glob: tuple[Any, ...], text: str) -> bool:
    if not glob:
        return text == ""
    head, rest = glob[0], glob[1:]
    if head == ANY:
        return any(glob_takes(rest, text[at:]) for at in range(len(text) + 1))
    return text != "" and _one(head, text[0]) and glob_takes(rest, text[1:])


def _one(token: Any, char: str) -> bool:
    if isinstance(token, str):
        return token == char
    return token == ONE or bool(token[1]) != any(low <= char <= high for low, high in token[2])


@cache
def both_take(left: tuple[Any, ...], right: tuple[Any, ...]) -> bool:
    """Whether some text matches both. Of two tokens that are not ANY one is a literal, or both take a fresh character."""
    if left and left[0] == ANY:
        return both_take(left[1:], right) or (bool(right) and both_take(left, right[1:]))
    if right and right[0] == ANY:
        return both_take(right, left)
    if not left or not right:
        return not left and not right
    letters = [item for item in (left[0], right[0]) if isinstance(item, str)] or [FRESH]
    return all(_one(item, letters[0]) for item in (left[0], right[0])) and both_take(left[1:], right[1:])


def readings(tokens: tuple[Any, ...], longest: int) -> list[str]:
    """Texts that stand for all that the tokens of a word can become, as far as a pattern with `longest` ONEs can tell."""
    choices = [
        [t] if isinstance(t, str) else [FRESH * n for n in range(longest + 2)] if t == ANY else [FRESH] for t in tokens
    ]
    return ["".join(row) for row in product(*choices)]


def takes(glob: Any, word: Any) -> int:
    """Truth of a glob on a word that may have holes."""
    pattern = spelled_out(frozen(glob))
    if isinstance(word, str):
        return YES if glob_takes(pattern, word) else NO
    return takes_tokens(pattern, word_tokens(word))


def takes_tokens(pattern: tuple[Any, ...], tokens: tuple[Any, ...]) -> int:
    if not both_take(pattern, tokens):
        return NO
    ones = len([token for token in pattern if token != ANY and not isinstance(token, str)])
    return YES if all(glob_takes(pattern, text) for text in readings(tokens, ones)) else MAYBE


def word_tokens(word: Any) -> tuple[Any, ...]:
    """What a word may become: its text, anything for its holes, and no dot where a shell's glob finds none."""
    if isinstance(word, str):
        return tuple(word)
    parts = [part for part in word.parts if part != ""]
    tokens = spelled_out([part if isinstance(part, str) else ANY for part in parts])
    first = parts[0] if parts else ""
    hides = isinstance(first, Hole) and first.kind == "glob" and first.text[:1] in "*?[" and "(" not in first.text
    after = parts[1] if len(parts) > 1 else "."
    return (("[", True, ((".", "."),)), *tokens) if hides and isinstance(after, str) and after[0] == "." else tokens


def many(word: Any) -> bool:
    return isinstance(word, Partial) and word.many


def splits(word: Any) -> bool:
    """Whether a word may become several others than the names that a glob finds."""
    return isinstance(word, Partial) and any(
        isinstance(part, Hole) and part.many and part.kind != "glob" for part in word.parts
    )


def as_one_word(words: Sequence[Any]) -> tuple[Any, ...]:
    """The canonical text of a command as tokens. A word that may vanish takes a blank beside it along."""
    tokens: tuple[Any, ...] = ()
    blank = ""
    for word in words:
        vanishes = many(word) and not any(isinstance(part, str) and part for part in word.parts)
        raw = (
            tuple(word)
            if isinstance(word, str)
            else spelled_out([p if isinstance(p, str) else ANY for p in word.parts])
        )
        tokens += (() if vanishes else tuple(blank)) + raw
        blank = "" if vanishes and not blank else " "
    return tokens


# --- commands ------------------------------------------------------------------------------------------------


def base(text: str) -> str:
    return text.rsplit("/", 1)[-1]


def element(item: Any, word: Any, sets: Mapping[str, Any]) -> int:
    if not isinstance(item, str) and item[0] == "@" and isinstance(item[1], str):
        return max([takes(glob, word) for glob in sets[item[1]]], default=NO)
    return takes(item, word)


def is_option(item: Any) -> bool:
    text = item if isinstance(item, str) else item[0] if isinstance(item, tuple) and isinstance(item[0], str) else ""
    return text.startswith("-") and text != "--" and (item != "-") and (isinstance(item, str) or text[0] != "@")


def shell_widely(row: Any, unit: Unit, spec: Any, sets: Mapping[str, Any]) -> int:
    """Truth of a shell pattern for a rule that restricts: program, options anywhere, operands in order."""
    words, rest = row
    words = words[:-1] if rest and words[-1] == ANY else words
    if not words:
        return YES
    if not unit.argv:
        return NO
    name = unit.argv[0]
    if words[0] == ANY:
        first = base(name) if isinstance(name, str) else name
        return in_order(words, rest, [(first, False), *[(word, False) for word in unit.argv[1:]]], sets)
    truth = _program(words[0], unit, sets)
    if truth == NO or (rest and len(words) == 1):
        return truth
    if unit.program is None:
        return min(truth, _among(words[1:], unit))
    if truth == YES and shell_narrowly(row, unit, sets, ()):
        return YES
    if unit.analysis is None:
        return MAYBE
    options = [item for item in words[1:] if is_option(item)]
    operands = [item for item in words[1:] if not is_option(item)]
    truth = min(truth, _options(options, rest, unit, spec))
    places = sorted({*unit.analysis.subcommands, *unit.analysis.operands, *unit.analysis.doubtful})
    tokens = [(unit.argv[at], at in unit.analysis.doubtful) for at in places]
    return min(truth, in_order(operands, rest, tokens, sets))


def _among(items: Any, unit: Unit) -> int:
    """Behind a program that is not known, all that is literal in a pattern must stand somewhere, and an option where one is asked for."""
    if any(not isinstance(word, str) for word in unit.argv[1:]) or (
        not isinstance(unit.argv[0], str) and unit.argv[0].many
    ):
        return MAYBE
    words = [str(word) for word in unit.argv[1:]]
    if any(is_option(item) for item in items) and not any(word[:1] == "-" for word in words):
        return NO
    wanted = [item for item in items if isinstance(item, str) and not is_option(item)]
    return MAYBE if set(wanted) <= set(words) else NO


def _program(item: Any, unit: Unit, sets: Mapping[str, Any]) -> int:
    name = unit.argv[0]
    if unit.program is not None:
        wanted = base(item) if isinstance(item, str) else item
        return max(element(wanted, unit.program, sets), element(item, name, sets))
    if many(name):
        return MAYBE
    behind = takes(("", ANY, "/" + item) if isinstance(item, str) else (ANY,), name)
    return min(MAYBE, max(element(item, name, sets), behind))


def in_order(items: Sequence[Any], rest: bool, tokens: Sequence[tuple[Any, bool]], sets: Mapping[str, Any]) -> int:
    """The best truth over all ways to lay the elements on the tokens; skipping what may be no operand is maybe."""
    best = NO
    if not items and (rest or not tokens):
        return YES
    if items and items[0] == ANY:
        best = in_order(items[1:], rest, tokens, sets)
    if not tokens:
        return best
    word, doubtful = tokens[0]
    behind = tokens[1:]
    if doubtful or many(word):
        best = max(best, min(MAYBE, in_order(items, rest, behind, sets)))
    if not items:
        return best
    if items[0] == ANY:
        return max(best, in_order(items, rest, behind, sets))
    truth = element(items[0], word, sets)
    if many(word):
        truth = MAYBE if splits(word) else min(MAYBE, truth)
        best = max(best, min(truth, in_order(items[1:], rest, tokens, sets)))
    return max(best, min(truth, in_order(items[1:], rest, behind, sets)))


def _options(items: Sequence[Any], rest: bool, unit: Unit, spec: Any) -> int:
    """Every option of the pattern is given, and without a closing star no other."""
    analysis = unit.analysis
    assert analysis is not None
    path = [str(unit.argv[at]) for at in analysis.subcommands]
    truth, named = YES, set()
    for item in items:
        if isinstance(item, str):
            wanted = spelled_options(spec, path, item)
            named |= {name for name, _ in wanted}
            truth = min([truth, *[_given(name, value, unit, item) for name, value in wanted]])
        else:
            found = [max(takes(item, unit.argv[o.place]), takes(item, o.name)) for o in analysis.options]
            if len(item[0]) == 2:
                found += [_given(name, None, unit, item[0]) for name, _ in spelled_options(spec, [], item[0])]
            truth = min(truth, max(found, default=NO))
    others = [option.sure for option in analysis.options if option.name not in named]
    return truth if rest or not others else NO if any(others) else min(truth, MAYBE)


def spelled_options(spec: Any, path: Sequence[str], word: str) -> list[tuple[str, str | None]]:
    """The canonical options that a pattern's word stands for, with the value it may hold."""
    level, options = spec or {}, dict((spec or {}).get("options", {}))
    for name in path:
        if name in level.get("subs", {}):
            outer, level = level.get("globals", {}), level["levels"][level["subs"][name]]
            options |= {**outer, **level.get("options", {})}
    if word in options:
        return [(options[word][0], None)]
    if word.startswith("--"):
        name, equals, value = word.partition("=")
        full = {entry[0] for spelling, entry in options.items() if spelling == name} or {
            entry[0] for spelling, entry in options.items() if len(name) > 2 and spelling.startswith(name)
        }
        return [(full.pop() if len(full) == 1 else name, value if equals else None)]
    found: list[tuple[str, str | None]] = []
    for at, letter in enumerate(word[1:], 2):
        entry = options.get(f"-{letter}", [f"-{letter}", 0])
        if entry[1]:
            return [*found, (entry[0], word[at:] or None)]
        found.append((entry[0], None))
    return found


def _given(name: str, value: str | None, unit: Unit, spelled: str) -> int:
    analysis = unit.analysis
    assert analysis is not None
    truths = []
    for option in analysis.options:
        if option.name == name:
            exact = option.sure and (analysis.known or unit.argv[option.place] in (spelled, name))
            fits = YES if value is None else MAYBE if option.value is None else takes(value, option.value)
            truths.append(min(YES if exact else MAYBE, fits))
    if max(truths, default=NO) != NO:
        return max(truths)
    ahead = unit.argv[1 : unit.argv.index("--") if "--" in unit.argv[1:] else None]
    return MAYBE if any(_may_be(word, spelled, analysis.known) for word in ahead) else NO


def _may_be(word: Any, spelled: str, known: bool) -> bool:
    """Whether a word with holes may be an option, or one that nobody declared may hold or abbreviate this one."""
    if not isinstance(word, str):
        if word.prefix.strip("-") and not word.prefix.startswith("-"):
            return False
        splits = any(isinstance(part, Hole) and part.many and part.kind != "glob" for part in word.parts)
        return splits or not ("." in word.suffix or "/" in word.suffix)
    if known or len(word) < 2 or word[0] != "-":
        return False
    if word[1] == "-":
        return spelled.startswith("--") and len(word) > 3 and spelled.startswith(word.partition("=")[0])
    return not spelled.startswith("--") and set(spelled[1:]) <= set(word[1:])


def shell_narrowly(row: Any, unit: Unit, sets: Mapping[str, Any], spelled: Sequence[int]) -> bool:
    """Whether a pattern certainly covers a command word by word, the words at `spelled` by elements that spell them."""
    words, rest = row
    words = words[:-1] if rest and words[-1] == ANY else words
    if not words:
        return True
    argv = list(unit.argv)
    if argv and isinstance(argv[0], str) and argv[0] != words[0] and argv[0].rpartition("/")[0] in SYSTEM:
        argv[0] = base(argv[0])
    return _covered(tuple(words), rest, argv, 0, sets, frozenset(spelled))


def _covered(items: Any, rest: bool, words: Any, at: int, sets: Mapping[str, Any], spelled: frozenset[int]) -> bool:
    if not items:
        return (rest and not any(place >= at for place in spelled)) or at == len(words)
    if items[0] == ANY:
        if _covered(items[1:], rest, words, at, sets, spelled):
            return True
        return at < len(words) and at not in spelled and _covered(items, rest, words, at + 1, sets, spelled)
    if at >= len(words) or element(items[0], words[at], sets) != YES:
        return False
    literal = isinstance(items[0], str) or (isinstance(items[0][0], str) and len(items[0][0]) > 1)
    return (literal or at not in spelled) and _covered(items[1:], rest, words, at + 1, sets, spelled)


# --- paths ---------------------------------------------------------------------------------------------------


def components(path: str) -> tuple[str, ...]:
    return tuple([part for part in path.split("/") if part])


def path_truth(row: Any, fact: PathFact, roots: Any, wide: bool, tree: bool) -> int:
    """Truth of a path pattern on a path."""
    anchor, parts = row
    if not wide and tree and (not parts or parts[-1] != DEEP):
        return NO
    folders = (
        ["/"]
        if anchor == "/" or (anchor == "*" and wide)
        else [roots.home, *roots.homes]
        if anchor == "~"
        else roots.workspace
    )
    parts = (DEEP, *parts) if anchor == "*" else parts
    full = [(*components(folder), *parts) for folder in folders if folder]
    if not full:
        return MAYBE if wide else NO
    floating = bool(parts) and parts[0] == DEEP and folders == ["/"]
    if not fact.paths:
        if wide and tree and floating and fact.shapes and not any(_reaches(full, shape) for shape in fact.shapes):
            return NO
        return _open_path(full, fact, wide, tree)
    names = [components(path) for path in fact.paths]
    if not wide:
        return YES if all(any(row_takes(item, name) for item in full) for name in names) else NO
    if any(row_takes((*item, DEEP), name) for item in full for name in names):
        return YES
    if not tree:
        return NO
    if floating:
        begun = [row_takes(parts[:end], name) for end in range(2, len(parts)) for name in names]
        return MAYBE if any(begun) else NO
    return max([_below(item, name) for item in full for name in names])


def _reaches(full: Any, shape: Any) -> bool:
    """Whether a floating pattern matches the folder that globs are looked for in, or one above, or the start of it does."""
    names = tuple(takewhile(lambda part: isinstance(part, str), shape))
    return any(
        row_takes((*item[:end], DEEP) if end == len(item) else item[:end], names)
        for item in full
        for end in range(2, len(item) + 1)
    )


def _below(full: Any, names: tuple[str, ...]) -> int:
    """An anchored pattern on something inside the tree at `names`."""
    if full[: len(names)] == names and DEEP not in full[len(names) : -1]:
        return YES
    return MAYBE if rows_meet(full, (*names, DEEP)) else NO


def _open_path(full: Any, fact: PathFact, wide: bool, tree: bool) -> int:
    if fact.prefix and fact.shapes:
        shapes = [frozen(shape) for shape in fact.shapes]
    elif fact.prefix:
        folder, _, start = fact.prefix.rpartition("/")
        shapes = [(*components(folder), *([(start, ANY)] if start and not fact.suffix else []), DEEP)]
    else:
        first, *others = fact.suffix.split("/")
        ends = (*([(ANY, first)] if first else []), *others) if wide and fact.suffix else ()
        shapes = [(DEEP, *ends)]
    patterns = [(*item, DEEP) if wide else item for item in full]
    if all(any(row_covers(item, shape) for item in patterns) for shape in shapes):
        return YES
    reach = [(*shape, DEEP) if tree else shape for shape in shapes]
    return MAYBE if any(rows_meet(item, shape) for item in patterns for shape in reach) else NO


def row_takes(parts: Any, names: tuple[str, ...]) -> bool:
    if not parts:
        return not names
    if parts[0] == DEEP:
        return row_takes(parts[1:], names) or (bool(names) and row_takes(parts, names[1:]))
    return bool(names) and takes(parts[0], names[0]) == YES and row_takes(parts[1:], names[1:])


def rows_meet(left: Any, right: Any) -> bool:
    """Whether some path matches both rows."""
    if left and left[0] == DEEP:
        return rows_meet(left[1:], right) or (bool(right) and rows_meet(left, right[1:]))
    if right and right[0] == DEEP:
        return rows_meet(right, left)
    if not left or not right:
        return not left and not right
    return both_take(spelled_out(left[0]), spelled_out(right[0])) and rows_meet(left[1:], right[1:])


def row_covers(wide: Any, narrow: Any) -> bool:
    """Whether `wide` takes every path of `narrow`, one deep stretch read as fresh names."""
    if not narrow:
        return not wide or all(part == DEEP for part in wide)
    if narrow[0] == DEEP:
        if not wide or wide[0] != DEEP:
            return False
        return row_covers(wide, narrow[1:]) or row_covers(wide[1:], narrow)
    if not wide:
        return False
    if wide[0] == DEEP:
        return row_covers(wide[1:], narrow) or row_covers(wide, narrow[1:])
    covers = takes_tokens(spelled_out(wide[0]), spelled_out(narrow[0])) == YES
    return covers and row_covers(wide[1:], narrow[1:])


# --- hosts ---------------------------------------------------------------------------------------------------


def host_truth(row: Any, fact: HostFact) -> int:
    """Truth of a host pattern over names (the vocabulary has no addresses)."""
    where, port = row
    if where == (ANY,):
        truth = YES
    elif fact.name is None:
        truth = MAYBE
    else:
        truth = YES if _labels(where, fact.name.split(".")) else NO
    if truth == NO or port is None:
        return truth
    return MAYBE if fact.port is None else truth if fact.port == port else NO


def _labels(where: Any, labels: list[str]) -> bool:
    if where[0] == ANY:
        behind = list(where[1:])
        return any(labels[start:] == behind for start in range(1, len(labels) + 1))
    return len(labels) == len(where) and all(
        takes(item, label) == YES for item, label in zip(where, labels, strict=True)
    )
