"""Which word of a plain command line is an option, which an operand, which a subcommand: for command lines of which every word is known
and every option is declared and spelled in the usual ways. They are most, so this reads them in one pass.

It gives what `arguments` would give, or None where that is needed.
"""

from __future__ import annotations

from remit.arguments import MANY, Given
from remit.facts import Option
from remit.plain_effects import plain_effects
from remit_dsl.roles import LAST, PAIR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from remit.facts import Analysis
    from remit.shell.words import Word

# Style words under which words are not read one by one, or not from the first on.
_UNUSUAL = frozenset(("plus", "first-bundle", "assignments"))
# Style words under which letters behind one dash are no bundle of options.
_NO_BUNDLES = frozenset(("single-dash", "no-bundles"))
_NONE: Mapping[str, Any] = {}
MAX_SPELLINGS = 4096
# The long spellings of options, sorted, by the identity of the options, which stand beside them so that it stays theirs.
_SPELLINGS: dict[int, tuple[Mapping[str, Any], list[str]]] = {}


def plain_analysis(spec: Mapping[str, Any], argv: tuple[Word, ...]) -> Analysis | None:
    """What the declaration says of a plain command line; None where it takes the general way to tell."""
    return _read(spec, argv, 1, _NONE, (), [], [])


def _read(
    level: Mapping[str, Any],
    argv: tuple[Word, ...],
    index: int,
    outer: Mapping[str, Any],
    subcommands: tuple[int, ...],
    options: list[Option],
    given: list[Given],
) -> Analysis | None:
    """The analysis of the words from `index` on, by a level, with `outer` as the options of the levels around it."""
    if not ("plain" in level or "subs" in level) or "late_stops" in level:
        return None
    declared, seeking, style = level.get("options", _NONE), level.get("subs"), level.get("style", ())
    stops = level.get("stops", MANY)
    ended = False
    if style:
        if not _UNUSUAL.isdisjoint(style):
            return None
        ended, stops = "no-options" in style, 0 if "operands-last" in style else stops
    operands: list[int] = []
    count = len(argv)
    while index < count:
        word: Any = argv[index]
        if word.__class__ is not str:
            return None
        if ended or word[:1] != "-" or word == "-":
            if seeking is not None:
                if word in seeking:
                    around = {**outer, **level["globals"]} if "globals" in level else outer
                    inner = level["levels"][seeking[word]]
                    return _read(inner, argv, index + 1, around, (*subcommands, index), options, given)
                if "operands" not in level:
                    return None
                seeking = None
            if word in declared and not ended:  # an option without a dash
                return None
            operands.append(index)
            index += 1
            ended = ended or len(operands) > stops
        elif word == "--" and word not in declared and word not in outer:
            ended = True
            index += 1
        elif word in declared and declared[word][1] == 0 and not (declared[word][2] or "changed" in level):
            options.append(Option(declared[word][0], None, index, True))
            index += 1
        else:
            free = seeking is None and "other" in level and "positional" not in level
            index = _option(word, index, argv, (declared, outer), level, free, options, given)
            if index <= 0:
                if not index:
                    return None
                index, ended = -index, True
    return plain_effects(argv, level, subcommands, options, given, operands)


def _option(
    word: str,
    index: int,
    argv: tuple[Word, ...],
    declared: tuple[Mapping[str, Any], Mapping[str, Any]],
    level: Mapping[str, Any],
    free: bool,
    options: list[Option],
    given: list[Given],
) -> int:
    """Note the options that a word spells; the index behind them and their value, negative if they are the last, or 0 where more has to be
    known. free: what is not declared is an option without a value."""
    own, outer = declared
    entry = own.get(word) or outer.get(word)
    if entry is not None:
        return _take(entry, index, None, argv, level, options, given)
    style = level.get("style", ())
    if word[1] == "-":
        name, equals, text = word.partition("=")
        value = text if equals else None
        entry = own.get(name) or outer.get(name)
        if entry is not None:
            return _take(entry, index, value, argv, level, options, given)
        if not free or "single-dash" in style or may_abbreviate(name, own) or (outer and may_abbreviate(name, outer)):
            return 0
        options.append(Option(name, value, index, True))
        return index + 1
    if style and not _NO_BUNDLES.isdisjoint(style):
        return 0
    return _bundle(word, index, argv, declared, level, free, options, given)


def _bundle(
    word: str,
    index: int,
    argv: tuple[Word, ...],
    declared: tuple[Mapping[str, Any], Mapping[str, Any]],
    level: Mapping[str, Any],
    free: bool,
    options: list[Option],
    given: list[Given],
) -> int:
    """The same for letters behind one dash."""
    own, outer = declared
    for at in range(1, len(word)):
        letter = "-" + word[at]
        entry = own.get(letter) or outer.get(letter)
        if entry is not None:
            if entry[1]:
                return _take(entry, index, word[at + 1 :] or None, argv, level, options, given)
            if _take(entry, index, None, argv, level, options, given) <= 0:
                return 0
        elif "other" in level and word[at:].isdigit():
            options.append(Option("-" + word[at:], None, index, True))
            break
        elif not free:
            return 0
        else:
            options.append(Option(letter, None, index, True))
    return index + 1


def _take(
    entry: Any,
    index: int,
    attached: str | None,
    argv: tuple[Word, ...],
    level: Mapping[str, Any],
    options: list[Option],
    given: list[Given],
) -> int:
    """Note an option; the index behind it and its value, negative if it ends the options, or 0 where its roles are not simple or its
    value is not known."""
    name, takes, roles = entry
    value: Any = attached
    end = at = index + 1
    if takes != 1 or attached is not None:
        at = index
    elif end < len(argv):
        value = argv[end]
        end += 1
        if value.__class__ is not str:
            return 0
    else:
        at = index
    option = Option(name, value, index, True)
    options.append(option)
    if roles or ("changed" in level and name in level["changed"]):
        if any([role[1] & PAIR or role[3] for role in roles]):
            return 0
        given.append(Given(option, roles, at, end))
        if any([role[1] & LAST for role in roles]):
            return -end
    return end


def may_abbreviate(name: str, declared: Mapping[str, Any]) -> bool:
    """Whether a word is the start of a long option that is declared (getopt_long(3))."""
    found = _SPELLINGS.get(id(declared))
    if found is None or found[0] is not declared:
        if len(_SPELLINGS) >= MAX_SPELLINGS:
            _SPELLINGS.clear()
        found = declared, sorted([spelling for spelling in declared if spelling.startswith("--")])
        _SPELLINGS[id(declared)] = found
    spellings = found[1]
    low, high = 0, len(spellings)
    while low < high:  # the first that does not come before the name; bisect would be one more module for every hook
        middle = (low + high) // 2
        if spellings[middle] < name:
            low = middle + 1
        else:
            high = middle
    return low < len(spellings) and spellings[low].startswith(name)
