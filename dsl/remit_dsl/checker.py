"""Syntax trees -> one checked whole: every name resolved, every pattern compiled, every right respected.

Steps: read each file (parse, declare), find what is in force among all of them (tools, modes, programs, environment), then check each
file's rules in that world. What is known of a file that did not change, in a world that did not change, is kept in a `Memory`, so
that a change costs what changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from remit_dsl.checks.declarations import declare
from remit_dsl.checks.definitions import in_force
from remit_dsl.checks.findings import Findings
from remit_dsl.checks.modes import forbidden_modes, mode_names, mode_rows
from remit_dsl.checks.programs import Environment, Programs, environment, merge_all
from remit_dsl.checks.rights import default_rights, denying_tiers, has_right, rights_of, rights_of_tiers
from remit_dsl.checks.rules import check_rules
from remit_dsl.checks.tests import check_tests
from remit_dsl.checks.tools import tool_kinds, tool_rows
from remit_dsl.diagnostics import Diagnostic, cap, has_errors
from remit_dsl.library import STD, brought_by, modules
from remit_dsl.parser import parse
from remit_dsl.policy import CheckedFile, Declared, PolicySource, Row, SetValue, World
from remit_dsl.program import TIERS
from remit_dsl.program_checks import check_program
from remit_dsl.programs import compile_program
from remit_dsl.source import Source
from remit_dsl.suggest import did_you_mean
from remit_dsl.tree import ProgramDef

_Key = tuple[Any, ...]

# What may only be unknown because the file that declares it could not be read.
_CONSEQUENCES = frozenset(("E203", "E204", "E205", "E206", "W604", "W605", "W606"))


@dataclass(slots=True)
class Memory:
    """What earlier runs found out. Entries that a run does not touch are dropped at its end."""

    read: dict[_Key, tuple[Declared | None, tuple[Diagnostic, ...]]] = field(default_factory=dict)
    checked: dict[Declared, tuple[World, CheckedFile]] = field(default_factory=dict)
    specs: dict[int, tuple[ProgramDef, dict[str, Any] | None, tuple[Diagnostic, ...]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Checked:
    """All files together, ready to become a program. files: in force, the standard library's first, then by tier and name."""

    files: tuple[Declared, ...]
    checked: Mapping[Declared, CheckedFile]
    tools: Mapping[str, Row]
    modes: Mapping[str, Row]
    forbidden_modes: list[str]
    programs: Programs
    environment: Environment
    word_sets: frozenset[str]
    rights: Mapping[str, frozenset[str]]
    diagnostics: tuple[Diagnostic, ...]


def check(given: Iterable[PolicySource], memory: Memory | None = None) -> Checked:
    """The files checked together; whatever is wrong or left out is in `diagnostics`, sorted and capped."""
    run = _Run(memory if memory is not None else Memory())
    files = run.files_of(given)
    return run.check(files)


class _Run:
    """One run of the checker over all files."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.diagnostics: list[Diagnostic] = []
        self.findings: dict[Declared, Findings] = {}
        self.rights: dict[Declared, frozenset[str]] = {}
        self.worlds: dict[Declared, World] = {}
        self._incomplete = False
        self._kinds: Mapping[str, str] = {}
        self._mode_names: Mapping[str, tuple[str, ...]] = {}

    # --- files ---------------------------------------------------------------------------------------------------

    def files_of(self, given: Iterable[PolicySource]) -> tuple[Declared, ...]:
        """The files that could be read, with the modules of the standard library that they use."""
        read: dict[_Key, tuple[Declared | None, tuple[Diagnostic, ...]]] = {}
        own: list[Declared] = []
        for source in given:
            key = (source.source, source.tier, source.trusted, source.claims, tuple(sorted(source.data.items())))
            read[key] = self.memory.read.get(key) or _read(source)
            declared, problems = read[key]
            self.diagnostics += problems
            if declared is not None:
                own.append(declared)
        self._incomplete = any(declared is None for declared, _ in read.values())
        own.sort(key=lambda file: (TIERS.index(file.tier), file.name, file.source.name))
        self._unique_names(own)
        rights = rights_of_tiers(own)
        library = self._library(own, rights)
        self.memory.read = read
        files = (*library, *own)
        for file in files:
            self.findings[file] = Findings(file.source)
            self.rights[file] = rights_of(file, rights)
            self.diagnostics += file.diagnostics
        return files

    def _unique_names(self, files: Iterable[Declared]) -> None:
        known: dict[str, Declared] = {}
        for file in files:
            earlier = known.setdefault(file.name, file)
            if file.name == STD or file.name.startswith(f"{STD}."):
                self._refuse_name(file, "is a name of the standard library")
            elif earlier is not file:
                self._refuse_name(file, f"is already in {earlier.source.name}")

    def _refuse_name(self, file: Declared, why: str) -> None:
        help_text = "give each file a header with a name of its own: `policy NAME`"
        place, message = file.name_span, f"policy `{file.name}` {why}"
        self.diagnostics.append(Diagnostic("E208", message, help_text, file.source.name, place.start, place.end))

    def _library(self, own: Iterable[Declared], rights: Mapping[str, frozenset[str]]) -> list[Declared]:
        """The modules in use. One that permits belongs to the highest tier that may use it, not to the highest there is."""
        used: dict[str, str] = {}
        for file in own:
            for use in file.uses:
                if use.module.text != "std.reading" or "allow" in rights_of(file, rights):
                    used.setdefault(use.module.text, file.tier)
        library = []
        for name, source in modules():
            if name in brought_by(used):
                tier = used.get(name, TIERS[0]) if name == "std.reading" else TIERS[0]
                declared, problems = _read_module(source, tier)
                self.diagnostics += problems
                library += [declared] if declared is not None else []
        return library

    # --- the world -----------------------------------------------------------------------------------------------

    def check(self, files: tuple[Declared, ...]) -> Checked:
        tools = in_force(files, lambda file: file.tools, self.rights, self.findings, "tool")
        rows = tool_rows(tools, self.findings)
        modes = in_force(files, lambda file: file.modes, self.rights, self.findings, "mode")
        self._kinds, self._mode_names = tool_kinds(rows), mode_names(modes)
        aliases = {name: row[0] for name, row in rows.items() if row[0] not in ("", name)}
        denying = denying_tiers(files)
        for file in files:
            rights = self.rights[file]
            defaults = default_rights(file, rights, denying)
            self.worlds[file] = World(self._kinds, aliases, self._mode_names, self._sets(file, files), rights, defaults)
        used: set[str] = set()
        modes_out = mode_rows(modes, self.worlds.__getitem__, self.findings, used)
        forbidden = forbidden_modes(files, self.worlds.__getitem__, modes_out, self.findings)
        programs = merge_all(files, self._spec, self.rights, self.findings)
        variables = environment(files, self.rights, self.findings)
        self._check_bounds(files)
        self._check_tests(files)
        checked = self._check_rules(files)
        for done in checked.values():
            used |= done.word_sets
        self.memory.specs = {
            id(node): self.memory.specs[id(node)] for file in files if not file.standard for node in file.programs
        }
        return Checked(
            files, checked, rows, modes_out, forbidden, programs, variables, frozenset(used),
            rights_of_tiers(files), self._all_diagnostics(checked),
        )  # fmt: skip

    def _sets(self, file: Declared, files: Iterable[Declared]) -> Mapping[str, SetValue]:
        """The sets that a file sees: its own, and those of the policies that it uses."""
        if not file.uses:
            return file.sets
        sets = dict(file.sets)
        reachable = {other.name: other for other in files if _may_use(file, other)}
        known = {STD, *[name for name, _ in modules()], *reachable}
        for use in file.uses:
            name = use.module.text
            if name not in known:
                help_text = did_you_mean(name, known)
                self.findings[file].error("E205", use.module.span, f"there is no policy `{name}` to use", help_text)
            elif name in reachable:
                sets = {**reachable[name].sets, **sets}
            elif name == "std.reading":
                has_right("allow", self.rights[file], use.module.span, self.findings[file], f"`use {name}`")
        return sets

    def _spec(self, file: Declared, node: ProgramDef) -> dict[str, Any] | None:
        if file.standard:
            return _module_specs(file)[id(node)]
        known = self.memory.specs.get(id(node))
        if known is None or known[0] is not node:
            problems = tuple(check_program(node, file.source.name))
            known = self.memory.specs[id(node)] = (
                node,
                None if has_errors(problems) else compile_program(node),
                problems,
            )
        self.findings[file].items += known[2]
        return known[1]

    # --- rules ---------------------------------------------------------------------------------------------------

    def _check_bounds(self, files: Iterable[Declared]) -> None:
        """Reports bounds that have no effect: only trusted files may set them."""
        for file in files:
            for bound in file.lower if not file.trusted else ():
                message = "`lower tiers may` has no effect: the file is not trusted"
                self.findings[file].warning("W601", bound.span, message, "see `remit trust`")

    def _check_tests(self, files: Iterable[Declared]) -> None:
        labels = frozenset[str]().union(*[file.labels for file in files])
        for file in files:
            check_tests(file.tests, labels, self.worlds[file], self.findings[file])

    def _check_rules(self, files: Iterable[Declared]) -> dict[Declared, CheckedFile]:
        kept: dict[Declared, tuple[World, CheckedFile]] = {}
        for file in files:
            world = self.worlds[file]
            known = self.memory.checked.get(file)
            kept[file] = known if known is not None and known[0] == world else (world, check_rules(file, world))
        self.memory.checked = kept
        return {file: done for file, (_, done) in kept.items()}

    def _all_diagnostics(self, checked: Mapping[Declared, CheckedFile]) -> tuple[Diagnostic, ...]:
        found = [item for file, done in checked.items() for item in (*self.findings[file].items, *done.diagnostics)]
        if self._incomplete:
            found = [item for item in found if item.code not in _CONSEQUENCES]
        return cap([*self.diagnostics, *found])


def _may_use(file: Declared, other: Declared) -> bool:
    """Whether `other` is of the file's tier or above, and trusted unless the file is not either: whoever fills a set decides what
    the rules about it mean."""
    above = TIERS.index(other.tier) <= TIERS.index(file.tier)
    return other is not file and above and (other.trusted or not file.trusted) and not other.standard


def _read(given: PolicySource) -> tuple[Declared | None, tuple[Diagnostic, ...]]:
    file, problems = parse(given.source)
    return (declare(given, file) if file is not None else None), problems


@cache
def _read_module(source: Source, tier: str) -> tuple[Declared | None, tuple[Diagnostic, ...]]:
    """A module of the standard library: the same for everybody, so read once per process."""
    declared, problems = _read(PolicySource(source, tier, claims=(tier,)))
    return (replace(declared, standard=True) if declared is not None else None), problems


@cache
def _module_specs(file: Declared) -> dict[int, dict[str, Any]]:
    """The compiled program declarations of a module, by the identity of their nodes."""
    return {id(node): compile_program(node) for node in file.programs}
