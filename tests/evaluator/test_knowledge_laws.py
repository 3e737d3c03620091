"""Laws of reading command lines, on all programs of the standard library."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from knowledge import compile_text, std_programs, word

from remit.arguments import Arguments
from remit.facts import Analysis, Option, RoleUse
from remit.knowledge import analyse, general_effects, quick_effects
from remit.plain_arguments import plain_analysis
from remit.shell.words import Word

PROGRAMS = sorted(std_programs())
PIECES = [
    "<X>",
    "<X*>",
    "<?>",
    "<=>",
    "<~>",
    "",
    "-",
    "--",
    "x",
    "a=b",
    "-rf",
    "-c",
    "--force",
    "--file=x",
    "{}",
    ";",
    "+",
    "-i",
    "-e",
    "@x",
    "ext::y",
    "1",
]

# Command lines that most others look like.
COMMON = [
    "ls -la src",
    "cat a.py b.py",
    "grep -rn --include=*.py TODO src",
    "grep -A5 name package.json",
    "head -20 a.log",
    "find . -type f -name *.py -not -path ./node_modules/*",
    "git status --short",
    "git diff HEAD~1 -- a.py",
    "git log --oneline -10",
    "git push origin main",
    "git -C sub commit -m message",
    "npm run build",
    "pip install requests==2.32",
    "pytest tests/test_a.py -x -q",
    "rm -rf build",
    "cp -r a b",
    "curl -s http://localhost:8080/api",
    "cd packages/core",
    "echo building",
]


def spellings(level: dict[str, Any]) -> Iterator[str]:
    yield from level.get("options", {})
    yield from level.get("subs", {})
    for sub in level.get("levels", ()):
        yield from spellings(sub)


def argument(name: str) -> st.SearchStrategy[Word]:
    known = st.sampled_from(sorted({*spellings(std_programs()[name]), *PIECES}))
    texts = st.one_of(
        known, st.tuples(known, st.sampled_from(PIECES)).map("".join), st.text("-=+{};<X>*ab/", max_size=5)
    )
    return texts.map(word)


@st.composite
def command_lines(draw: st.DrawFn, size: int = 7) -> tuple[Word, ...]:
    name = draw(st.sampled_from(PROGRAMS))
    return (name, *draw(st.lists(argument(name), max_size=size)))


def run(argv: tuple[Word, ...]) -> Analysis:
    return analyse(std_programs()[str(argv[0])], argv)


@given(command_lines())
def test_every_command_line_has_an_analysis(argv: tuple[Word, ...]) -> None:
    """`analyse` is total, and every index that it gives is one of argv."""
    found = run(argv)
    places = [*found.subcommands, *found.operands, *found.doubtful, *found.teeth]
    places += [option.place for option in found.options] + [use.place for use in found.roles]
    places += [inner.place for inner in found.inner if inner.place != -1]
    assert all(0 <= at < len(argv) for at in places)
    assert set(found.doubtful) <= set(found.operands)


@given(command_lines())
def test_every_word_is_accounted_for(argv: tuple[Word, ...]) -> None:
    """A word is an option, its value, a subcommand, an operand or a `--`; none is lost."""
    found = run(argv)
    held = {0, *found.subcommands, *found.operands}
    for option in found.options:
        held.update((option.place, option.place + 1, option.place + 2))
    inside = {
        at for inner in found.inner if inner.place > 0 for at in range(inner.place, inner.place + len(inner.words) + 2)
    }
    lost = [at for at in range(len(argv)) if at not in held | inside and argv[at] not in ("--", "-")]
    bundled = {option.value for option in found.options}
    assert all(argv[at] in bundled for at in lost)


@given(command_lines())
def test_the_quick_ways_agree_with_the_general_one(argv: tuple[Word, ...]) -> None:
    """Where reading plainly, or finding the effects plainly, gives an answer, it is that of the general way."""
    spec = std_programs()[str(argv[0])]
    arguments = Arguments(spec, argv)
    arguments.read()
    general = general_effects(arguments)
    for quick in (plain_analysis(spec, argv), quick_effects(arguments)):
        if quick is not None:
            assert set(quick.roles) == set(general.roles)
            assert quick._replace(roles=()) == general._replace(roles=())


@pytest.mark.parametrize("line", COMMON)
def test_common_command_lines_are_read_the_quick_way(line: str) -> None:
    argv = tuple(line.split())
    assert plain_analysis(std_programs()[argv[0]], argv) is not None


@given(command_lines(), st.sampled_from(["<X>", "<X*>", "-<X>"]), st.integers(1, 6))
def test_more_unknown_is_never_more_known(argv: tuple[Word, ...], hole: str, at: int) -> None:
    """Taking away what is known of a word does not make a command known."""
    if at < len(argv) and not run(argv).known:
        assert not run((*argv[:at], word(hole), *argv[at + 1 :])).known


@given(command_lines(), command_lines(size=1))
def test_filling_a_hole_stays_within_what_was_possible(argv: tuple[Word, ...], filling: tuple[Word, ...]) -> None:
    """If a command with unknown words is known, so it is with these words known, and what it touches was said to be possible."""
    general = run(argv)
    if not general.known or len(filling) < 2 or not isinstance(filling[1], str):
        return
    filled = tuple(
        [filling[1] if isinstance(item, type(word("<X>"))) and str(item) == "<X>" else item for item in argv]
    )
    special = run(filled)
    if special == general:
        return
    assert special.known or general.acts
    kinds = {(use.kind, use.place) for use in general.roles} | {(use.kind, 0) for use in general.roles}
    loose = {at for at, item in enumerate(argv) if not isinstance(item, str)}
    for use in special.roles:
        assert (
            general.acts
            or (use.kind, use.place) in kinds
            or use.place in loose
            or any(at in loose for at in general.doubtful)
        )


EXAMPLE = compile_text(
    "program demo { flag -a, --all  flag -b, --brief  option -f, --file read  option -o, --output write "
    "operands[0] value  operands[1..] read }"
)["demo"]
PARTS = st.sampled_from([("-a",), ("-b",), ("-f", "x"), ("-o", "y"), ("p",), ("q",)])


def meaning(argv: tuple[Word, ...]) -> tuple[bool, list[Option], list[RoleUse], list[Word]]:
    """An analysis without the places of words."""
    found = analyse(EXAMPLE, argv)
    options = [option._replace(place=0) for option in found.options]
    return found.known, options, [use._replace(place=0) for use in found.roles], [argv[at] for at in found.operands]


def flat(parts: list[tuple[str, ...]]) -> tuple[Word, ...]:
    return ("demo", *[item for part in parts for item in part])


@given(st.lists(PARTS, max_size=6))
def test_a_bundle_means_its_letters(parts: list[tuple[str, ...]]) -> None:
    """`-abf x` is `-a -b -f x`."""
    bundled: list[str] = []
    for part in parts:
        open_bundle = bool(bundled) and bundled[-1].startswith("-") and set(bundled[-1][1:]) <= {"a", "b"}
        if part[0].startswith("-") and open_bundle:
            bundled[-1] += part[0][1:]
            bundled += part[1:]
        else:
            bundled += part
    assert meaning(("demo", *bundled)) == meaning(flat(parts))


LONG = {"-a": "--all", "-b": "--brief", "-f": "--file", "-o": "--output"}


@given(st.lists(PARTS, max_size=6), st.integers(3, 9), st.booleans())
def test_every_spelling_means_the_same(parts: list[tuple[str, ...]], length: int, joined: bool) -> None:
    """`--fil x`, `--file=x`, `-fx` are `-f x`."""
    spelled: list[tuple[str, ...]] = []
    for part in parts:
        name = LONG.get(part[0], part[0])[: max(length, 3)] if part[0] in LONG else part[0]
        spelled.append((f"{name}={part[1]}",) if joined and len(part) == 2 else (name, *part[1:]))
    glued: list[tuple[str, ...]] = [("".join(part),) for part in parts]
    assert meaning(flat(spelled)) == meaning(flat(parts)) == meaning(flat(glued))


def test_time_is_linear_in_the_words() -> None:
    """Twice the words take about twice the time, in the worst programs as well."""

    def seconds(argv: tuple[Word, ...]) -> float:
        best = 9.0
        for _ in range(3):
            start = time.perf_counter()
            run(argv)
            best = min(best, time.perf_counter() - start)
        return best

    many = word("<X*>")
    for line in (("sudo",), ("sed",), ("find",), ("tar",), ("eval",)):
        small, large = seconds((*line, *[many] * 500)), seconds((*line, *[many] * 2000))
        assert large < 0.5
        assert large < small * 12 + 0.01
    assert seconds(("find", ".", *["-exec", "x"] * 2000)) < 0.2
    assert seconds(("sed", "-n", "s/[" * 10000)) < 0.5
