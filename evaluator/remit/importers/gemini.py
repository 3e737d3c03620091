"""Gemini CLI's policy files and settings as a policy: `[[rule]]` tables of TOML, or the `tools`, `mcp` and `mcpServers` of settings.json.

What the fields mean is taken from docs/reference/policy-engine.md of gemini-cli. There, the rule of the highest priority counts, the first
of several; here, the strictest does. So a deny or ask has what comes before it, and is milder, as its exceptions. Rules are counted from 1.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import Any

from remit.importers.blocks import Block, assemble, lost
from remit.importers.conversion import Conversion, ConversionError, Note
from remit.importers.gemini_rules import Flat, read_flat, read_rules
from remit.importers.gemini_sayings import sayings_of, starts_of
from remit.importers.gemini_settings import settings_rules
from remit.importers.precedence import Saying, said
from remit.importers.strict_json import MAX_CHARACTERS, Members, read_json

HEADER = """\
policy imported.gemini "Permissions from Gemini CLI"

# Labels count the rules from 1.
use std
"""

# What Gemini asks whatever a rule allows: edits of build files, and commands that a rule for all commands would allow.
_BUILD_FILES = """\
ask build-files: fs.write(**/BUILD), fs.write(**/WORKSPACE), fs.write(**/*.bazel), fs.write(**/*.bzl),
    fs.write(**/*.bzlmod), fs.write(**/.bazelrc), fs.write(**/.blazerc), fs.write(**/Makefile),
    fs.write(**/makefile), fs.write(**/GNUmakefile), fs.write(**/*.mk), fs.write(**/CMakeLists.txt),
    fs.write(**/*.cmake), fs.write(**/package.json), fs.write(**/package-lock.json),
    fs.write(**/pnpm-lock.yaml), fs.write(**/yarn.lock), fs.write(**/bun.lockb), fs.write(**/setup.py),
    fs.write(**/setup.cfg), fs.write(**/pyproject.toml), fs.write(**/go.mod), fs.write(**/go.sum),
    fs.write(**/Cargo.toml), fs.write(**/Cargo.lock), fs.write(**/pom.xml), fs.write(**/build.gradle),
    fs.write(**/build.gradle.kts), fs.write(**/settings.gradle), fs.write(**/settings.gradle.kts),
    fs.write(**/Dockerfile), fs.write(**/Dockerfile.*), fs.write(**/Containerfile),
    fs.write(**/Containerfile.*)
  because "A build file decides what runs later."
"""
_RASH_COMMANDS = """\
ask rash-commands: Bash(rm -f *), Bash(ln -s *), Bash(find * -exec *), Bash(find * -execdir *),
    Bash(find * -ok *), Bash(find * -okdir *), Bash(find * -delete *), Bash(find * -fls *),
    Bash(find * -fprint*), Bash(rg --pre *), Bash(rg --hostname-bin *), Bash(rg -z *),
    Bash(git -c *), Bash(git --config-env *), Bash(git log --output *), Bash(git diff --output *),
    Bash(git show --output *), Bash(git log --ext-diff *), Bash(git diff --ext-diff *),
    Bash(git show --ext-diff *), Bash(git log --textconv *), Bash(git diff --textconv *),
    Bash(git show --textconv *), Bash(git branch *), Bash(base64 -o *)
  except Bash(git branch), Bash(git branch --list)
  because "Gemini asks before it."
"""
_DEFAULTS = "default allow Read(./**), Glob(./**), Grep(./**), LS(./**), WebSearch"


# Accepting edits is about tools there, and about programs that edit here.
_COMMANDS_ASK = Flat(
    "commands-while-editing",
    "",
    "of Gemini's own: commands ask in autoEdit",
    "run_shell_command",
    "ask",
    -1,
    modes=frozenset({"auto_edit"}),
)


def convert_gemini(text: str, *, with_defaults: bool = False) -> Conversion:
    """The policy for a policy file (TOML) or settings (JSON). Raises ConversionError where `text` is neither.

    with_defaults: reading the workspace and searching the web are allowed, as there.
    """
    if text.removeprefix("\ufeff").lstrip().startswith("{"):
        settings = read_json(text)
        if not isinstance(settings, Members):
            raise ConversionError("these are no settings: not a JSON object")
        rules, others = settings_rules(settings)
    else:
        rules, others = _policy_file(text)
    flats = sorted((flat for rule in rules for flat in rule), key=lambda flat: -flat.priority)
    flats.append(_COMMANDS_ASK)
    closing = [_BUILD_FILES, *([_RASH_COMMANDS] if _allows_commands(flats) else [])]
    closing += [_DEFAULTS] if with_defaults else []
    return assemble(HEADER, [*_blocks(flats), *others], closing)


def _allows_commands(flats: list[Flat]) -> bool:
    """Whether a rule allows commands, whatever they are."""
    allows = [flat for flat in flats if flat.effect == "allow" and not flat.kind and not flat.server]
    return any(flat.tool in ("run_shell_command", "*") for flat in allows)


def _policy_file(text: str) -> tuple[list[list[Flat]], list[Block]]:
    if len(text) > MAX_CHARACTERS:
        raise ConversionError(f"the text has {len(text)} characters; the limit is {MAX_CHARACTERS}")
    try:
        file = tomllib.loads(text.removeprefix("\ufeff"))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConversionError(f"not TOML: {error}") from None
    rules = [read_flat(rule, index) for index, rule in enumerate(read_rules(file.get("rule", [])), 1)]
    return rules, list(_others(file))


def _others(file: dict[str, Any]) -> Iterator[Block]:
    checkers = file.get("safety_checker", [])
    for index in range(1, len(checkers) + 1 if isinstance(checkers, list) else 2):
        yield lost(f"safety_checker[{index}]", "safety_checker", "checkers are Gemini's own programs")
    for key in file:
        if key not in ("rule", "safety_checker"):
            yield lost(key, key, "the key is not known")


def _blocks(flats: list[Flat]) -> Iterator[Block]:
    """A block for each rule, the highest priority first."""
    starts = starts_of(flats)
    before: list[Saying] = []
    strict = False  # an allow that came before asks about redirections
    for flat in flats:
        sayings = sayings_of(flat._replace(redirects=flat.redirects and not strict), starts)
        strict = strict or (flat.effect == "allow" and flat.tool in ("run_shell_command", "*") and not flat.redirects)
        statements: list[str] = []
        for saying in sayings:
            statements += said(saying, before, flat.label + (f"-{len(statements) + 1}" if statements else ""))
        before += sayings
        why = next(((saying.why, saying.instead) for saying in sayings if saying.why), None)
        yield Block(flat.shown, tuple(statements), Note(flat.place, *why) if why and flat.place else None)
