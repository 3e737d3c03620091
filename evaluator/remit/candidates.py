"""Which targets of a program could match a unit: index look-ups only. Whoever asks checks the few that come back."""

from __future__ import annotations

from remit.facts import NO, Access, Facts, HostFact, PathFact, Unit
from remit.match_shell import match_element
from remit.spellings import other_paths
from remit_dsl.globs import glob_matches
from remit_dsl.index import host_refs, path_refs, text_refs
from remit_dsl.plans import ANY_WORDS
from remit_dsl.program import Program, Target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from remit.shell.words import Word

MAX_NAMES = 4096  # programs whose hits are kept
# rule -> the targets that may match it, each with the access it may match (None: the unit itself)
Hits = dict[int, list[tuple[Target, Access | None]]]


def hits_of(program: Program, facts: Facts, unit: Unit) -> Hits:
    """All targets that could match `unit` or one of its accesses. The answer is not to be changed."""
    index = program.tables["index"]
    hits, shared = ({}, False) if unit.kind == "tool" else _shell_hits(program, index, unit)
    caps = index["caps"]
    by_tool = index["tools"] or index["subject"] or index["tool_any"]
    touched = [access for access in unit.accesses if access.kind in caps] if caps else ()
    if shared and (by_tool or touched):
        hits = {rule: list(pairs) for rule, pairs in hits.items()}
    if by_tool:
        _tool_hits(program, index, facts, unit, hits)
    for access in touched:
        _add(program, access_refs(caps[access.kind], access), access, hits)
    return hits


def _add(program: Program, refs: Iterable[Any], access: Access | None, hits: Hits) -> None:
    """Add the targets that references name, each once."""
    seen: set[tuple[int, int]] = set()
    for rule, place in refs:
        if (rule, place) in seen:
            continue
        seen.add((rule, place))
        hit = (program.target(rule, place), access)
        if rule in hits:
            hits[rule].append(hit)
        else:
            hits[rule] = [hit]


def _shell_hits(program: Program, index: dict[str, Any], unit: Unit) -> tuple[Hits, bool]:
    """The hits of a command's words, and whether they are shared with other commands: then they must not be changed."""
    name = unit.program
    if name is None or unit.argv[0] != name:
        return _uncommon_hits(program, index, unit), False
    words = index["shell"].get(name)
    if words is None:
        return _shared_hits(program, index, name, ()), True
    found: list[Any] = []
    for word in _spelled(program, unit):
        if word.__class__ is not str:
            found = [ref for key, refs in words.items() if key for ref in refs]
            break
        if word in words and word:
            found += words[word]
    shared = _shared_hits(program, index, name, words.get("", ()))
    if not found:
        return shared, True
    hits = {rule: list(pairs) for rule, pairs in shared.items()}
    _add(program, found, None, hits)
    return hits, False


def _uncommon_hits(program: Program, index: dict[str, Any], unit: Unit) -> Hits:
    """The hits of a command whose program is not known, or is named by its path."""
    hits: Hits = {}
    if unit.program is None:
        # A command without words (`> x`, `A=1`) is one of "every command", and nothing else.
        _add(program, _every_shell_ref(index) if unit.argv or unit.kind == "opaque" else index["shell_any"], None, hits)
    else:
        words = index["shell"].get(unit.program)
        if words is not None:
            _add(program, _word_refs(words, _spelled(program, unit)), None, hits)
        _add(program, index["shell_any"], None, hits)
    _add(program, index["like"], None, hits)
    return hits


def _spelled(program: Program, unit: Unit) -> Sequence[Word]:
    """The words behind a program, and the other names of its subcommands."""
    words, analysis = unit.argv[1:], unit.analysis
    if analysis is None or not analysis.subcommands or unit.program is None:
        return words
    spec = program.spec(unit.program)
    if spec is None:
        return words
    paths = other_paths(spec, [str(unit.argv[at]) for at in analysis.subcommands])
    return words if len(paths) == 1 else (*words, *[name for path in paths for name in path])


def _word_refs(words: dict[str, list[Any]], spelled: Sequence[Word]) -> Iterable[Any]:
    """References filed under a word of the command; all of the program's where a word is not known."""
    found: list[Any] = list(words.get("", ()))
    for word in spelled:
        if type(word) is not str:
            return [ref for refs in words.values() for ref in refs]
        if word in words and word:
            found += words[word]
    return found


def _shared_hits(program: Program, index: dict[str, Any], name: str, refs: Iterable[Any]) -> Hits:
    """What every command of the program `name` hits whatever its words, kept for up to MAX_NAMES of them."""
    known: dict[str, Hits] | None = program.cache.get("shared hits")
    if known is None:
        known = program.cache["shared hits"] = {}
    found = known.get(name)
    if found is None:
        found = {}
        fitting = [ref for ref in index["shell_any"] if _may_name(program, ref, name)]
        _add(program, [*refs, *fitting, *index["like"]], None, found)
        if len(known) >= MAX_NAMES:
            known.clear()
        known[name] = found
    return found


def _may_name(program: Program, ref: Any, name: str) -> bool:
    """Whether a shell pattern whose program is a glob or a set can match a command of this program."""
    words = program.target(ref[0], ref[1]).patterns[0].words
    return not words or words[0] == ANY_WORDS or match_element(words[0], name, program.tables["sets"]) != NO


def _every_shell_ref(index: dict[str, Any]) -> list[Any]:
    found: list[Any] = [ref for words in index["shell"].values() for refs in words.values() for ref in refs]
    found += index["shell_any"]
    return found


def _tool_hits(program: Program, index: dict[str, Any], facts: Facts, unit: Unit, hits: Hits) -> None:
    names = (facts.tool,) if facts.tool == facts.agent_tool else (facts.tool, facts.agent_tool)
    key = ("tool refs", *names)
    refs = program.cache.get(key)
    if refs is None:
        refs = _tool_refs(program, index, names)
        if facts.declared:  # as many as a program declares
            program.cache[key] = refs
    if refs:
        _add(program, refs, None, hits)
    for name in names if unit.kind == "tool" else ():
        bucket = index["subject"].get(name)
        if bucket is not None:
            _add(program, _subject_refs(bucket, facts.subject), None, hits)


def _tool_refs(program: Program, index: dict[str, Any], names: Iterable[str]) -> list[Any]:
    """References of targets for any call of a tool that has these names."""
    found = [ref for name in names for ref in index["tools"].get(name, ())]
    for ref in index["tool_any"]:
        glob = program.target(ref[0], ref[1]).name
        if any([glob_matches(glob, name) for name in names]):
            found.append(ref)
    return found


def _subject_refs(bucket: dict[str, Any], subject: Any) -> Iterable[Any]:
    if isinstance(subject, PathFact) and subject.paths:
        return path_refs(bucket, subject.paths)
    if isinstance(subject, HostFact) and subject.name is not None:
        return host_refs(bucket, subject.name)
    if isinstance(subject, str):
        return text_refs(bucket, subject)
    return bucket["all"]  # type: ignore[no-any-return]


def access_refs(bucket: dict[str, Any], access: Access) -> Iterable[Any]:
    """References of a capability's bucket that could match an access."""
    path = access.path
    if path is not None and path.paths and not access.tree:
        return path_refs(bucket, path.paths)
    host = access.host
    if host is not None and host.name is not None:
        return host_refs(bucket, host.name)
    if type(access.program) is str:
        return [*text_refs(bucket, access.program.rsplit("/", 1)[-1]), *bucket["exact"].get(access.program, ())]
    return bucket["all"]  # type: ignore[no-any-return]
