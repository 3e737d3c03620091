"""L705: an allow that permits whatever somebody thinks of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from remit_dsl.globs import ANY
from remit_dsl.lints.subject import Finding, Subject
from remit_dsl.patterns import ANY_DEPTH, ANY_WORDS
from remit_dsl.plans import ShellPlan
from remit_dsl.program import Target

CODE = "L705"

_SHELLS = frozenset((
    "sh", "bash", "dash", "zsh", "ksh", "fish", "csh", "tcsh", "busybox", "pwsh", "powershell", "eval",
    "source",
))  # fmt: skip
_INTERPRETERS = frozenset((
    "python", "node", "deno", "bun", "ruby", "perl", "php", "lua", "tclsh", "Rscript", "osascript", "groovy",
    "jshell", "ghci", "irb",
))  # fmt: skip
_WRAPPERS = frozenset((
    "sudo", "su", "doas", "env", "xargs", "ssh", "chroot", "nsenter", "unshare", "runuser", "setpriv",
    "docker", "podman", "kubectl", "exec",
))  # fmt: skip
_RUNNERS = frozenset(
    [
        ("npx",), ("bunx",), ("pnpx",), ("uvx",), ("npm", "exec"), ("pnpm", "dlx"), ("pnpm", "exec"), ("yarn", "dlx"),
        ("pipx", "run"), ("uv", "run"), ("poetry", "run"), ("pipenv", "run"), ("bundle", "exec"), ("go", "run"),
        ("docker", "exec"), ("docker", "run"), ("kubectl", "exec"),
    ]
)  # fmt: skip
# Options whose value is a program's text.
_TEXT_OPTIONS = frozenset(("-c", "-e", "-E", "-r", "--eval", "--print", "-p", "-Command", "-S"))
_DANGEROUS = ("fs.write", "fs.delete", "exec", "net.connect")


def find(subject: Subject) -> Iterator[Finding]:
    """Allow rules without a condition that permit every command, every text to some interpreter, or every place to write to."""
    tools = {name: row[1] for name, row in subject.checked.tools.items()}
    for site in subject.sites:
        if site.rule.effect != "allow" or site.rule.when is not None or site.rule.shadow:
            continue
        for place, target in enumerate(site.rule.targets):
            permitted = _permitted(target, tools)
            if permitted:
                message = f"`{target.text}` permits {permitted}"
                help_text = "name what is needed: a script, a subcommand, a folder, a host"
                yield Finding(site, CODE, site.target_span(place), message, help_text)


def _permitted(target: Target, tools: Mapping[str, Any]) -> str:
    """What an allow of this target permits, if that is too much; else ""."""
    if target.kind == "any":
        return _any_call(target.name, tools)
    if target.kind == "shell":
        return _commands(target.patterns[0])
    if target.kind == "like":
        glob = target.patterns[0]
        return "commands that begin with anything" if not isinstance(glob, str) and glob[:1] == (ANY,) else ""
    if target.kind == "cap" and target.name in _DANGEROUS:
        return _everywhere(target)
    return ""


def _any_call(name: Any, tools: Mapping[str, Any]) -> str:
    if name == (ANY,):
        return "every call of every tool"
    params = tools.get(name, ()) if isinstance(name, str) else ()
    shell = any(param[0] and param[2] == "shell" for param in params)
    return "every command" if shell else ""


def _everywhere(target: Target) -> str:
    what = {"fs.write": "writing", "fs.delete": "deleting", "exec": "running", "net.connect": "connecting to"}[
        target.name
    ]
    if not target.patterns or any(_is_everything(pattern) for pattern in target.patterns):
        return f"{what} anything"
    if target.name == "exec":
        found = [word for word in target.patterns if isinstance(word, str) and _plain(word) in _SHELLS | _INTERPRETERS]
        return f"running {found[0]}, which runs anything" if found else ""
    return ""


def _is_everything(pattern: Any) -> bool:
    if pattern == (ANY,):
        return True
    where = pattern[0] if isinstance(pattern, tuple) else None
    return where == (ANY,) or (where in ("/", "~") and pattern[1] == (ANY_DEPTH,))


def _commands(plan: ShellPlan) -> str:
    if not plan.words or plan.words[0] == ANY_WORDS or (isinstance(plan.words[0], tuple) and plan.words[0][0] == ANY):
        return "every command"
    if not isinstance(plan.words[0], str):
        return ""
    name = _plain(plan.words[0])
    if name in _SHELLS | _INTERPRETERS and _text_is_open(plan):
        return f"any {name} code"
    if name in _SHELLS | _INTERPRETERS | _WRAPPERS and _first_operand_open(plan, 1):
        return f"whatever {name} is told to run"
    for runner in _RUNNERS:
        if (name, *plan.words[1 : len(runner)]) == runner and _first_operand_open(plan, len(runner)):
            return f"whatever {' '.join(runner)} is told to run"
    return ""


def _plain(program: str) -> str:
    """A program's base name without its version: `/usr/bin/python3.12` is python."""
    return program.rsplit("/", 1)[-1].rstrip("0123456789.")


def _first_operand_open(plan: ShellPlan, start: int) -> bool:
    """Whether the first word that is no option may be anything."""
    for word in plan.words[start:]:
        if isinstance(word, str) and word.startswith("-"):
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
