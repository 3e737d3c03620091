"""Shell patterns against commands: widely for deny, ask and guard; narrowly for allow. Pure.

Widely, a pattern is a program, a set of options and a sequence of operands: options count wherever they stand and however they are
spelled, global options do not hide a subcommand, and what is unknown is MAYBE. Narrowly, it is a sequence of words.
Both take time linear in pattern x command.
"""

from __future__ import annotations

from remit.facts import MAYBE, NO, YES, Analysis, Unit
from remit.match_words import match_word
from remit.parted import match_any
from remit.shell.words import Partial, Word
from remit.spellings import canonical_options, may_take, other_paths, takes_next
from remit_dsl.index import base_name
from remit_dsl.plans import ANY_WORDS, ShellPlan, spells_option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any, TypeAlias

Sets: TypeAlias = "Mapping[str, Sequence[Any]]"

# Folders that only root writes to: a program named by such a path is the one its bare name finds (hier(7)).
SYSTEM_FOLDERS = frozenset(("/bin", "/usr/bin", "/sbin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin"))


def bare_program(word: str) -> str | None:
    """The bare name of a program that is found on PATH or in a system folder; None for any other path."""
    folder, slash, name = word.rpartition("/")
    return word if not slash else name if folder in SYSTEM_FOLDERS else None


def match_element(element: Any, word: Word, sets: Sets) -> int:
    """Truth of one pattern element (not ANY_WORDS) on one word."""
    if type(element) is str:
        return (YES if element == word else NO) if type(word) is str else match_word(element, word)
    if element[0] == "@" and type(element[1]) is str:
        return match_any(sets[element[1]], word)
    return match_word(element, word)


def may_name(word: Partial, programs: Collection[str]) -> bool:
    """Whether a word with holes may turn out to name one of these programs, by its base name."""
    if word.prefix.startswith("-") or any(not isinstance(p, str) and p.many and p.kind != "glob" for p in word.parts):
        return True
    _, slash, end = word.suffix.rpartition("/")
    return end in programs if slash else any(name.endswith(end) for name in programs)


def names_program(element: Any, word: Word, sets: Sets) -> bool:
    """Whether a word may be a program that a glob or set of a pattern names."""
    if type(word) is not str:
        return True
    return match_element(element, base_name(word), sets) != NO or match_element(element, word, sets) != NO


# --- widely --------------------------------------------------------------------------------------------------


def match_widely(plan: ShellPlan, unit: Unit, spec: Mapping[str, Any] | None, sets: Sets) -> int:
    """Truth of a pattern on a command, for rules that restrict."""
    if plan.total:
        return YES
    if not unit.argv:
        return NO
    if plan.words[0] == ANY_WORDS:
        return _match_run(plan.words, plan.rest, unit.argv, sets)
    answer = _match_program(plan.words[0], unit, sets)
    if answer == NO or (plan.rest and len(plan.words) == 1):
        return answer
    if unit.program is None:
        return min(answer, _match_anywhere(plan, unit))
    if answer == YES and match_narrowly(plan, unit, sets, ()):
        return YES
    return min(answer, _match_behind(plan, unit, spec, sets))


def _match_program(element: Any, unit: Unit, sets: Sets) -> int:
    """A program matches by its base name, or as it was written."""
    word = unit.argv[0]
    if unit.program is not None:
        wanted = base_name(element) if isinstance(element, str) else element
        return max(match_element(wanted, unit.program, sets), match_element(element, word, sets))
    if isinstance(word, Partial) and word.many:
        return MAYBE
    by_path = ("", ANY_WORDS, "/" + element) if isinstance(element, str) else (ANY_WORDS,)
    return min(MAYBE, max(match_element(element, word, sets), match_word(by_path, word)))


def _match_behind(plan: ShellPlan, unit: Unit, spec: Mapping[str, Any] | None, sets: Sets) -> int:
    analysis = unit.analysis
    if analysis is None:
        return MAYBE
    subcommands = tuple([str(unit.argv[at]) for at in analysis.subcommands])
    options, operands = _with_values(plan, spec, subcommands)
    answer = _match_options(options, plan.rest, unit, analysis, spec, subcommands)
    if answer == NO:
        return NO
    places = sorted({*analysis.subcommands, *analysis.operands, *analysis.doubtful, *_dashes(plan, unit)})
    doubtful = frozenset((*analysis.doubtful, *_behind_undeclared(analysis, spec, subcommands)))
    tokens = [(unit.argv[at], at in doubtful or _is_aside(unit.argv[at])) for at in places]
    found = _match_operands(operands, plan.rest, tokens, sets)
    if found != YES and subcommands and spec is not None:
        first = places.index(analysis.subcommands[0])
        behind = [token for at, token in zip(places, tokens, strict=True) if at not in analysis.subcommands]
        for path in other_paths(spec, subcommands):
            spelled: list[Token] = [(name, False) for name in path]
            found = max(found, _match_operands(operands, plan.rest, behind[:first] + spelled + behind[first:], sets))
    return min(answer, found)


def _match_anywhere(plan: ShellPlan, unit: Unit) -> int:
    """Whether the words behind a program that is not known may be those of a pattern: every literal operand must be among them, and an
    option, where one is spelled. Any word with holes may be anything."""
    words = unit.argv[1:]
    if any(type(word) is not str for word in words) or (isinstance(unit.argv[0], Partial) and unit.argv[0].many):
        return MAYBE
    if plan.options and not any(str(word).startswith("-") for word in words):
        return NO
    literal = [element for element in plan.operands if type(element) is str]
    return MAYBE if all(element in words for element in literal) else NO


def _dashes(plan: ShellPlan, unit: Unit) -> tuple[int, ...]:
    """The place of the `--` of a command, where the pattern spells one (`git checkout -- *`): else it is no word of its own."""
    return (unit.argv.index("--"),) if "--" in plan.operands and "--" in unit.argv else ()


def _behind_undeclared(analysis: Analysis, spec: Mapping[str, Any] | None, subcommands: Sequence[str]) -> list[int]:
    """Places of the words behind options that are not declared, or whose value is optional: each may be the option's value."""
    return [
        option.place + 1
        for option in analysis.options
        if option.value is None and may_take(spec, subcommands, option.name)
    ]


def _is_aside(word: Word) -> bool:
    """Whether a word that counts as an operand may be none: `NAME=value` before a target (make), `+toolchain` (cargo)."""
    if type(word) is not str:
        return False
    name, equals, _ = word.partition("=")
    return word.startswith("+") or (bool(equals) and name.isidentifier())


Elements: TypeAlias = "Sequence[Any]"
# An option as an element, and the element of its value (None: no value, or within the word).
Options: TypeAlias = "list[tuple[Any, Any]]"


def _with_values(
    plan: ShellPlan, spec: Mapping[str, Any] | None, subcommands: Sequence[str]
) -> tuple[Options, Elements]:
    """The options of a pattern with the values that stand behind them, as the declaration says, and the operands that are left."""
    if not plan.options:
        return [], plan.operands
    options: Options = []
    operands: list[Any] = []
    words = iter(plan.words[1:])
    for word in words:
        if not spells_option(word):
            operands.append(word)
        elif isinstance(word, str) and takes_next(spec, subcommands, word):
            options.append((word, next(words, None)))
        else:
            options.append((word, None))
    return options, operands


def _match_options(
    options: Options,
    rest: bool,
    unit: Unit,
    analysis: Analysis,
    spec: Mapping[str, Any] | None,
    subcommands: Sequence[str],
) -> int:
    """Whether every option of the pattern is given; without a trailing `*` nothing else may be."""
    named: set[str] = set()
    answer = YES
    for element, behind in options:
        if isinstance(element, str):
            wanted = canonical_options(spec, subcommands, element)
            named.update(name for name, _ in wanted)
            wanted = [*wanted[:-1], (wanted[-1][0], behind)] if behind not in (None, ANY_WORDS) else wanted
            found = min([_given(name, value, unit, analysis, element) for name, value in wanted], default=NO)
        else:
            found = _given_glob(element, unit, analysis, spec)
        answer = min(answer, found)
    if rest:
        return answer
    others = [option.sure for option in analysis.options if option.name not in named]
    return NO if any(others) else min(answer, MAYBE) if others else answer


def _given(name: str, value: Any, unit: Unit, analysis: Analysis, spelled: str) -> int:
    """Whether the option `name` (with `value`, if the pattern says one) is among those given."""
    answer = NO
    for option in analysis.options:
        if option.name != name:
            continue
        exact = analysis.known or unit.argv[option.place] in (spelled, name)
        truth = YES if option.sure and exact else MAYBE
        if value is not None:
            truth = min(truth, MAYBE if option.value is None else match_word(value, option.value))
        answer = max(answer, truth)
    if answer != NO:
        return answer
    return MAYBE if _may_spell(unit, analysis, spelled) else NO


def _may_spell(unit: Unit, analysis: Analysis, spelled: str) -> bool:
    """Whether a word that is not known, or an option that is not declared, could be this option."""
    short = len(spelled) == 2 or (len(spelled) > 1 and spelled[1] != "-")
    values = [option.value for option in analysis.options if type(option.value) is not str]
    for word in unit.argv[1:]:
        if word == "--":
            return False
        if any(word is value for value in values):
            continue
        if type(word) is str:
            if not analysis.known and _may_bundle(word, spelled, short):
                return True
        elif _may_be_option(word):
            return True
    return False


def _may_bundle(word: str, spelled: str, short: bool) -> bool:
    """Whether an undeclared option word may hold the letters of a short one, or abbreviate a long one (getopt_long(3))."""
    if len(word) < 2 or word[0] != "-":
        return False
    if word[1] == "-":
        return not short and len(word) > 3 and spelled.startswith(word.partition("=")[0])
    return short and all(letter in word[1:] for letter in spelled[1:])


def _may_be_option(word: Word) -> bool:
    """Whether a word with holes can turn out to be an option: nothing known stands before its first hole but dashes, and what is known
    behind its holes can end one."""
    assert isinstance(word, Partial)
    prefix, suffix = word.prefix, word.suffix
    if prefix.strip("-") and not prefix.startswith("-"):
        return False
    splits = any(not isinstance(part, str) and part.many and part.kind != "glob" for part in word.parts)
    return splits or not ("." in suffix or "/" in suffix)


def _given_glob(element: Any, unit: Unit, analysis: Analysis, spec: Mapping[str, Any] | None) -> int:
    """An option pattern with a star, such as `-f*`: any option word that it matches, or its letter in a bundle."""
    answer = NO
    for option in analysis.options:
        word = unit.argv[option.place]
        answer = max(answer, match_word(element, word), match_word(element, option.name))
    lead = element[0]
    if answer != YES and len(lead) == 2:
        for name, _ in canonical_options(spec, (), lead):
            answer = max(answer, _given(name, None, unit, analysis, lead))
    return answer


Token = tuple[Word, bool]


def _match_operands(elements: Sequence[Any], rest: bool, tokens: Sequence[Token], sets: Sets) -> int:
    """Truth of operand elements on operand tokens, in order. A doubtful token may be an option's value: skipping it is MAYBE."""
    row = _skip([YES] + [NO] * len(tokens), tokens)
    for element in elements:
        row = _step_any(row) if element == ANY_WORDS else _skip(_step(row, element, tokens, sets), tokens)
    return max(row) if rest else row[-1]


def _step_any(row: list[int]) -> list[int]:
    best, out = NO, []
    for truth in row:
        best = max(best, truth)
        out.append(best)
    return out


def _step(row: list[int], element: Any, tokens: Sequence[Token], sets: Sets) -> list[int]:
    out = [NO] * len(row)
    for at, (word, _) in enumerate(tokens):
        if row[at] == NO:
            continue
        truth = match_element(element, word, sets)
        if isinstance(word, Partial) and word.many:  # several elements may be found in one word that splits
            truth = min(truth, MAYBE) if _is_glob(word) else MAYBE
            out[at] = max(out[at], min(row[at], truth))
        out[at + 1] = max(out[at + 1], min(row[at], truth))
    return out


def _is_glob(word: Partial) -> bool:
    """Whether a word is only several where a glob finds several names: each of them is as it is written."""
    return all(isinstance(part, str) or not part.many or part.kind == "glob" for part in word.parts)


def _skip(row: list[int], tokens: Sequence[Token]) -> list[int]:
    for at, (word, doubtful) in enumerate(tokens):
        if row[at] != NO and (doubtful or (isinstance(word, Partial) and word.many)):
            row[at + 1] = max(row[at + 1], MAYBE)
    return row


def _match_run(elements: Sequence[Any], rest: bool, words: Sequence[Word], sets: Sets) -> int:
    """Truth of a pattern without a literal program: its elements in order over all words."""
    named: list[Token] = [(base_name(words[0]) if type(words[0]) is str else words[0], False)]
    return _match_operands(elements, rest, named + [(word, False) for word in words[1:]], sets)


# --- narrowly ------------------------------------------------------------------------------------------------


def match_narrowly(plan: ShellPlan, unit: Unit, sets: Sets, spelled: Sequence[int]) -> bool:
    """Whether a pattern certainly covers a command, word by word, each index in `spelled` by an element that spells it."""
    argv = unit.argv
    if plan.total:
        return True
    if not argv:
        return False
    first = argv[0]
    if type(first) is str and first != plan.words[0]:
        bare = bare_program(first)
        if bare is not None and bare != first:
            argv = (bare, *argv[1:])
    lead = plan.lead
    if argv[:lead] != plan.words[:lead]:
        return False
    if plan.rest and lead == len(plan.words):
        return all(at < lead for at in spelled)
    return _covers(
        plan.words[lead:], plan.rest, argv[lead:], sets, frozenset([at - lead for at in spelled if at >= lead])
    )


def _covers(elements: Sequence[Any], rest: bool, words: Sequence[Word], sets: Sets, spelled: frozenset[int]) -> bool:
    """Whether the elements certainly match the words in order."""
    reached = {0}
    for element in elements:
        reached = _reach(reached, element, words, sets, spelled)
        if not reached:
            return False
    last = len(words)
    if rest:
        return any(all(at < start for at in spelled) for start in reached)
    return last in reached


def _reach(reached: set[int], element: Any, words: Sequence[Word], sets: Sets, spelled: frozenset[int]) -> set[int]:
    if element == ANY_WORDS:
        out: set[int] = set()
        for start in sorted(reached):
            at = start
            while at not in out:
                out.add(at)
                if at >= len(words) or at in spelled:
                    break
                at += 1
        return out
    spells = isinstance(element, str) or (isinstance(element[0], str) and len(element[0]) > 1)
    return {
        at + 1
        for at in reached
        if at < len(words) and (spells or at not in spelled) and match_element(element, words[at], sets) == YES
    }
