"""What is wrong in a `program` declaration although its grammar is right: E310 to E318. Pure; `programs` compiles the rest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from remit_dsl.diagnostics import Diagnostic
from remit_dsl.source import Span
from remit_dsl.suggest import did_you_mean
from remit_dsl.tree import (
    Name,
    OperandClause,
    OptionClause,
    ProgramClause,
    ProgramDef,
    Role,
    Selector,
    SubcommandClause,
    Trait,
    WithClause,
)

LANGUAGES = ("awk", "sed", "python", "perl", "ruby", "node", "patch", "other")
_RUNNING = frozenset(("run", "shell", "command"))
_FLAG_WORDS = frozenset(("acts", "last"))  # a flag has no value that anything could be said of
_INPUT_WORDS = frozenset(("shell", "value", "elsewhere"))
_TREE_WORDS = frozenset(("read", "write", "delete", "edit"))
_CONTRADICTIONS = (("readonly", "acts"), ("inert", "acts"))

_Finding = tuple[str, str, str, Span]


def check_program(definition: ProgramDef, source_name: str) -> tuple[Diagnostic, ...]:
    """The findings on one declaration, in the order of its clauses. A definition without errors compiles."""
    findings = [*_repeated(definition.names, "program"), *_check_level(definition.body, {})]
    return tuple(
        [Diagnostic(code, text, help, source_name, span.start, span.end) for code, text, help, span in findings]
    )


def _check_level(clauses: tuple[ProgramClause, ...], outer: dict[str, OptionClause]) -> Iterator[_Finding]:
    options = {name.text: clause for clause in clauses if isinstance(clause, OptionClause) for name in clause.spellings}
    yield from _check_spellings(clauses)
    yield from _repeated([name for c in clauses if isinstance(c, SubcommandClause) for name in c.names], "subcommand")
    yield from _check_body(clauses, {**outer, **options})
    shared = {name: clause for name, clause in options.items() if clause.is_global}
    for clause in clauses:
        if isinstance(clause, OptionClause):
            for role in clause.roles:
                yield from _check_option_role(clause, role)
        elif isinstance(clause, SubcommandClause):
            yield from _check_level(clause.body, {**outer, **shared})


def _check_body(
    clauses: tuple[ProgramClause, ...], options: dict[str, OptionClause], *, inside: bool = False
) -> Iterator[_Finding]:
    """Traits, operands and `with` blocks of a level or of a `with` block."""
    yield from _check_traits(clauses)
    for clause in clauses:
        if isinstance(clause, OperandClause):
            yield from _check_operands(clause)
        elif isinstance(clause, WithClause):
            for name in clause.spellings:
                if name.text not in options:
                    hint = did_you_mean(name.text, options) or "declare the option in front of the `with` block"
                    yield "E314", f"`with` names the option `{name.text}`, which is not declared", hint, name.span
            yield from _check_body(clause.body, options, inside=True)
        elif isinstance(clause, OptionClause) and inside:
            for name in clause.spellings:
                if name.text not in options:
                    hint = (
                        did_you_mean(name.text, options)
                        or "a `with` block changes roles; declare the option outside of it"
                    )
                    yield "E314", f"the option `{name.text}` is declared nowhere else", hint, name.span
            for role in clause.roles:
                yield from _check_option_role(clause, role)


def _check_traits(clauses: tuple[ProgramClause, ...]) -> Iterator[_Finding]:
    traits = {clause.text: clause for clause in clauses if isinstance(clause, Trait)}
    for one, other in _CONTRADICTIONS:
        if one in traits and other in traits:
            help = "say `acts` of the option or operand that brings the effect"
            yield "E315", f"`{one}` and `{other}` contradict each other", help, traits[other].span


def _check_spellings(clauses: tuple[ProgramClause, ...]) -> Iterator[_Finding]:
    seen: dict[str, OptionClause] = {}
    assignments = any(isinstance(c, Trait) and c.text.startswith("style") and "assignments" in c.text for c in clauses)
    for clause in clauses:
        if not isinstance(clause, OptionClause):
            continue
        for name in clause.spellings:
            text = name.text
            earlier = seen.setdefault(text, clause)
            if text == "--" or (text.endswith("=") and not assignments):
                help = "write the name alone; `option` says that a value follows"
                yield "E318", f"`{text}` is no spelling of an option", help, name.span
            elif earlier is not clause and not (_has_pattern(earlier) or _has_pattern(clause)):
                help = "give it all its roles in one clause, or tell the clauses apart with `matching`"
                yield "E310", f"the option `{text}` is declared twice", help, name.span
            elif earlier is not clause and earlier.takes != clause.takes:
                help = "all clauses of an option must agree on `flag`, `option` or `optional`"
                yield "E310", f"the option `{text}` is declared as `{_KEYWORDS[earlier.takes]}` before", help, name.span


_KEYWORDS = {"none": "flag", "value": "option", "optional": "optional"}


def _has_pattern(clause: OptionClause) -> bool:
    return any(role.matching is not None for role in clause.roles)


def _repeated(names: Iterable[Name], what: str) -> Iterator[_Finding]:
    seen: set[str] = set()
    for name in names:
        if name.text in seen:
            yield "E316", f"the {what} `{name.text}` is declared twice", "merge the two", name.span
        seen.add(name.text)


def _check_operands(clause: OperandClause) -> Iterator[_Finding]:
    words = clause.role.words
    yield from _check_role(clause.role)
    if "pair" in words or "last" in words or "placeholder" in words:
        yield "E313", "`last`, `pair` and `placeholder` are said of options", "", clause.role.span
    if clause.selector is None:
        if not all(word in _INPUT_WORDS or word.startswith("code ") for word in words):
            help = "standard input is `shell`, `code LANGUAGE` or `value`"
            yield "E313", "standard input can not have this role", help, clause.role.span
    elif _is_empty(clause.selector):
        help = "the end is not included: `[0..2]` is the first two, `[1..]` all but the first"
        yield "E311", "the selector takes in no operand", help, clause.span


def _is_empty(selector: Selector) -> bool:
    start, stop = selector.start or 0, selector.stop
    return stop is not None and (stop == 0 or ((start < 0) == (stop < 0) and start >= stop))


def _check_option_role(clause: OptionClause, role: Role) -> Iterator[_Finding]:
    yield from _check_role(role)
    if clause.takes == "none" and not _FLAG_WORDS.issuperset(role.words):
        help = "use `option` for one that takes a value, `with` for what a flag changes"
        yield "E313", "a flag has no value that could have this role", help, role.span
    if "here" in role.words or "assigns" in role.words:
        yield "E313", "`here` and `assigns` are said of operands", "", role.span


def _check_role(role: Role) -> Iterator[_Finding]:
    words = set(role.words)
    languages = [word[len("code ") :] for word in role.words if word.startswith("code ")]
    runs = bool(languages) or not _RUNNING.isdisjoint(words)
    for language in languages:
        if language not in LANGUAGES:
            help = did_you_mean(language, LANGUAGES) or f"known are: {', '.join(LANGUAGES)}"
            yield "E317", f"unknown language `{language}`", help, role.span
    if "value" in words and (runs or words - {"value", "last", "pair", "rest", "elsewhere", "assigns"}):
        yield (
            "E312",
            "`value` says that the text touches nothing, and stands beside a word that says it does",
            "",
            role.span,
        )
    if "tree" in words and words.isdisjoint(_TREE_WORDS):
        yield "E312", "`tree` needs `read`, `write`, `delete` or `edit` beside it", "", role.span
    if words & {"dynamic", "elsewhere"} and not (runs or "value" in words):
        yield "E312", "`dynamic` and `elsewhere` are said of something that is run", "", role.span
    if "rest" in words and (role.matching is None or not role.matching.endswith("*")):
        yield "E312", "`rest` is what the star at the end of `matching` stands for", "", role.span
    if "literal" in words and role.matching is None:
        yield "E312", "`literal` is said of what `matching` matches", "", role.span
    if role.until and "command" not in words:
        yield "E312", "`until` ends a `command`", "", role.span
