"""Breadth: whether an allow permits whatever somebody thinks of: every command, any text to some interpreter, every place to write to.

Asked by a lint, and by decisions in a mode that takes narrow allows only. Pure; what is broad is a matter of the target alone.
"""

from __future__ import annotations

from remit_dsl.globs import ANY, ANY_DEPTH, glob_matches
from remit_dsl.plans import ANY_WORDS, ShellPlan, shell_plan, spells_option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from remit_dsl.program import Target

SHELLS = frozenset((
    "sh", "bash", "dash", "zsh", "ksh", "fish", "csh", "tcsh", "busybox", "pwsh", "powershell", "eval",
    "source",
))  # fmt: skip
INTERPRETERS = frozenset((
    "python", "node", "deno", "bun", "ruby", "perl", "php", "lua", "tclsh", "Rscript", "osascript", "groovy",
    "jshell", "ghci", "irb",
))  # fmt: skip
_WRAPPERS = frozenset((
    "sudo", "su", "doas", "env", "xargs", "ssh", "chroot", "nsenter", "unshare", "runuser", "setpriv",
    "docker", "podman", "kubectl", "exec",
))  # fmt: skip
_RUNNERS = (
    ("npx",), ("bunx",), ("pnpx",), ("uvx",), ("npm", "exec"), ("pnpm", "dlx"), ("pnpm", "exec"), ("yarn", "dlx"),
    ("pipx", "run"), ("uv", "run"), ("poetry", "run"), ("pipenv", "run"), ("bundle", "exec"), ("go", "run"),
    ("docker", "exec"), ("docker", "run"), ("kubectl", "exec"),
)  # fmt: skip
_READERS = SHELLS | INTERPRETERS
_RUNS = _READERS | _WRAPPERS | {runner[0] for runner in _RUNNERS if len(runner) == 1}
_NAMES = tuple(sorted({*_READERS, *_WRAPPERS, *[runner[0] for runner in _RUNNERS]}))
# Options whose value is a program's text.
_TEXT_OPTIONS = frozenset(("-c", "-e", "-E", "-r", "--eval", "--print", "-p", "-Command", "-S"))
_DANGEROUS = {"fs.write": "writing", "fs.delete": "deleting", "exec": "running", "net.connect": "connecting to"}


def shell_tools(rows: Mapping[str, Any]) -> frozenset[str]:
    """The names of the tools (as a program has them) whose subject is a command."""
    return frozenset([name for name, row in rows.items() if any(param[0] and param[2] == "shell" for param in row[1])])


def permits_too_much(target: Target, shells: Iterable[str], sets: Mapping[str, Any]) -> str:
    """What an allow of this target permits, in words, if that is too much; else "". sets: the sets of words that shell patterns name."""
    kind = target.kind
    if kind == "any":
        return _any_call(target.name, shells)
    if kind == "shell":
        return _commands(target.patterns[0], sets)
    if kind == "like":
        return _texts(target.patterns[0])
    if kind == "cap" and target.name in _DANGEROUS:
        return _everywhere(target)
    return ""


def runs_anything(program: str) -> bool:
    """Whether a program of this name runs whatever it is told to: shells, interpreters, wrappers, package runners."""
    return plain_name(program) in _RUNS


def _any_call(name: Any, shells: Iterable[str]) -> str:
    if name == (ANY,):
        return "every call of every tool"
    return "every command" if any(glob_matches(name, shell) for shell in shells) else ""


def _everywhere(target: Target) -> str:
    if not target.patterns or any(_is_everything(pattern) for pattern in target.patterns):
        return f"{_DANGEROUS[target.name]} anything"
    if target.name == "exec":
        found = [name for pattern in target.patterns for name in _named(pattern) if plain_name(name) in _READERS]
        return f"running {found[0]}, which runs anything" if found else ""
    return ""


def _is_everything(pattern: Any) -> bool:
    if pattern == (ANY,):
        return True
    where = pattern[0] if isinstance(pattern, tuple) else None
    return where == (ANY,) or (where in ("/", "~") and pattern[1] == (ANY_DEPTH,))


# --- commands ------------------------------------------------------------------------------------------------


def _texts(glob: Any) -> str:
    """A pattern over a command's text, read as the words that it begins with."""
    if isinstance(glob, str):
        return ""
    if glob[0] == ANY:
        return "commands that begin with anything"
    if not isinstance(glob[0], str):
        return "commands that begin with anything"
    *whole, last = glob[0].split(" ")
    words = [*whole, (last, *glob[1:])] if last else whole
    return _commands(shell_plan((tuple(words), True)), {})


def _commands(plan: ShellPlan, sets: Mapping[str, Any]) -> str:
    first = plan.words[0] if plan.words else ANY_WORDS
    if first == ANY_WORDS or (isinstance(first, tuple) and first[0] == ANY):
        return "every command"
    found = [_of_program(name, plan) for name in _programs(first, sets)]
    return next((said for said in found if said), "")


def _programs(first: Any, sets: Mapping[str, Any]) -> Iterator[str]:
    """The programs that the first element of a pattern may name, as far as it matters here."""
    if isinstance(first, tuple) and first[0] == "@":
        for member in sets.get(first[1], ()):
            yield from _named(member)
    else:
        yield from _named(first)


def _named(pattern: Any) -> Iterator[str]:
    """The name that a pattern spells; of a glob those of programs that run what they are given."""
    if isinstance(pattern, str):
        yield pattern
        return
    if isinstance(pattern[0], str) and plain_name(pattern[0]) in _NAMES:
        yield pattern[0]
    yield from [name for name in _NAMES if glob_matches(pattern, name)]


def _of_program(program: str, plan: ShellPlan) -> str:
    name = plain_name(program)
    if name in _READERS and _text_is_open(plan):
        return f"any {name} code"
    if name in _READERS | _WRAPPERS and _first_operand_open(plan, 1):
        return f"whatever {name} is told to run"
    for runner in _RUNNERS:
        if (name, *plan.words[1 : len(runner)]) == runner and _first_operand_open(plan, len(runner)):
            return f"whatever {' '.join(runner)} is told to run"
    return ""


def plain_name(program: str) -> str:
    """A program's base name without its version: `/usr/bin/python3.12` is python."""
    return program.rsplit("/", 1)[-1].rstrip("0123456789.")


def _first_operand_open(plan: ShellPlan, start: int) -> bool:
    """Whether the first word that is no option may be anything."""
    for word in plan.words[start:]:
        if word == "-" or spells_option(word) or word == "--":
            continue
        return word == ANY_WORDS or (isinstance(word, tuple) and word[0] == ANY)
    return plan.rest


def _text_is_open(plan: ShellPlan) -> bool:
    """Whether an option that takes program text is followed by anything at all."""
    for at, word in enumerate(plan.words):
        if word in _TEXT_OPTIONS:
            after = plan.words[at + 1 : at + 2]
            return after == (ANY_WORDS,) or (not after and plan.rest) or (bool(after) and isinstance(after[0], tuple))
    return False
