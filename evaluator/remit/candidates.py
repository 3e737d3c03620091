"""Which targets of a program could match a unit: index look-ups only. Whoever asks checks the few that come back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from remit.facts import Access, Facts, HostFact, PathFact, Unit
from remit_dsl.globs import glob_matches
from remit_dsl.index import host_refs, path_refs, text_refs
from remit_dsl.program import Program, Target

# rule -> the targets that may match it, each with the access it may match (None: the unit itself)
Hits = dict[int, list[tuple[Target, Access | None]]]


def hits_of(program: Program, facts: Facts, unit: Unit) -> Hits:
    """All targets that could match `unit` or one of its accesses."""
    hits: Hits = {}
    index = program.tables["index"]
    if unit.kind != "tool":
        _shell_hits(program, index, unit, hits)
    _tool_hits(program, index, facts, unit, hits)
    caps = index["caps"]
    for access in unit.accesses:
        bucket = caps.get(access.kind)
        if bucket is not None:
            _add(program, access_refs(bucket, access), access, hits)
    return hits


def _add(program: Program, refs: Iterable[Any], access: Access | None, hits: Hits) -> None:
    """Add the targets that references name, each once."""
    seen: set[tuple[int, int]] = set()
    for rule, place in refs:
        if (rule, place) not in seen:
            seen.add((rule, place))
            hits.setdefault(rule, []).append((program.rule(rule).targets[place], access))


def _shell_hits(program: Program, index: dict[str, Any], unit: Unit, hits: Hits) -> None:
    if unit.program is None:
        # A command without words (`> x`, `A=1`) is one of "every command", and nothing else.
        refs = _every_shell_ref(index) if unit.argv or unit.kind == "opaque" else index["shell_any"]
        _add(program, refs, None, hits)
    else:
        words = index["shell"].get(unit.program)
        if words is not None:
            _add(program, _word_refs(words, unit), None, hits)
        if index["shell_any"]:
            _add(program, index["shell_any"], None, hits)
    if index["like"]:
        _add(program, index["like"], None, hits)


def _word_refs(words: dict[str, list[Any]], unit: Unit) -> Iterable[Any]:
    """References filed under a word of the command; all of the program's where a word is not known."""
    if len(words) == 1 and "" in words:
        return words[""]
    found: list[Any] = list(words.get("", ()))
    for word in unit.argv[1:]:
        if type(word) is not str:
            return [ref for refs in words.values() for ref in refs]
        if word in words:
            found += words[word]
    return found


def _every_shell_ref(index: dict[str, Any]) -> list[Any]:
    found: list[Any] = [ref for words in index["shell"].values() for refs in words.values() for ref in refs]
    found += index["shell_any"]
    return found


def _tool_hits(program: Program, index: dict[str, Any], facts: Facts, unit: Unit, hits: Hits) -> None:
    for name in (facts.tool,) if facts.tool == facts.agent_tool else (facts.tool, facts.agent_tool):
        if name in index["tools"]:
            _add(program, index["tools"][name], None, hits)
        bucket = index["subject"].get(name) if unit.kind == "tool" else None
        if bucket is not None:
            _add(program, _subject_refs(bucket, facts.subject), None, hits)
    for ref in index["tool_any"]:
        glob = program.rule(ref[0]).targets[ref[1]].name
        if glob_matches(glob, facts.tool) or glob_matches(glob, facts.agent_tool):
            _add(program, (ref,), None, hits)


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
