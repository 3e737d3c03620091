"""The index of a program: from what a call shows to the targets that could match it, without looking at the rules one by one.

Every pattern is filed under its rarest literal piece (a word, a path component, a host's end). A look-up by the pieces of a call
gives all targets that can match and few that do not; whoever asks checks those. A call with unknown pieces asks for
`all`. References are [rule, target] pairs of positions in the program's order.

Shape (plain JSON):
    tools    {tool: [ref…]}                  targets for any call of a literally named tool
    tool_any [ref…]                          the same for tool globs, and every content target of one
    shell    {program: {word: [ref…]}}       by base name, then rarest literal word ("" if there is none)
    shell_any [ref…]                         shell patterns whose program is not literal
    like     [ref…]                          text patterns
    subject  {tool: BUCKET}                  path, host and text patterns over the subject
    caps     {capability: BUCKET}
    when     whether any rule has a condition; until: whether any rule ends
    BUCKET = {parts: {component: refs}, ends: {".ext": refs}, hosts: {suffix: refs}, exact: {text: refs}, any: refs, all: refs}
"""

from __future__ import annotations

from remit_dsl.globs import fold_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Mapping
    from typing import Any, TypeAlias

Ref = list[int]
Bucket: TypeAlias = "dict[str, Any]"


def build_index(rules: list[list[Any]]) -> dict[str, Any]:
    """The index of rule rows (program.Rule as lists)."""
    rarity = _word_counts(rules)
    index: dict[str, Any] = {
        "tools": {}, "tool_any": [], "shell": {}, "shell_any": [], "like": [], "subject": {}, "caps": {},
        "when": any(rule[5] is not None for rule in rules), "until": any(rule[8] for rule in rules),
    }  # fmt: skip
    for at, rule in enumerate(rules):
        for place, target in enumerate(rule[3]):
            _file(index, target, [at, place], rarity)
    return index


def with_path_patterns(index: dict[str, Any], more: Iterable[tuple[list[Any], Ref, list[Any]]]) -> dict[str, Any]:
    """The index with further path patterns of targets that are in it: each a target, its reference, the patterns. `index` stays as it is.

    Quicker by far than `build_index`, which weighs all rules: a pattern is filed under any of its literal pieces here.
    """
    caps, subject = dict(index["caps"]), dict(index["subject"])
    own: dict[str, Bucket] = {}
    for target, ref, patterns in more:
        kind, name = target[0], target[1]
        buckets = caps if kind == "cap" else subject
        if not isinstance(name, str):  # tools by a glob: any call of one finds the target
            continue
        if (key := f"{kind} {name}") not in own:
            own[key] = buckets[name] = {
                section: dict(refs) if isinstance(refs, dict) else list(refs) for section, refs in buckets[name].items()
            }
        for pattern in patterns:
            section, piece = _path_place(pattern, _NO_COUNTS)
            if section == "any":
                own[key]["any"].append(ref)
            else:
                own[key][section][piece] = [*own[key][section].get(piece, ()), ref]
    return {**index, "caps": caps, "subject": subject}


class _NoCounts(dict[str, int]):
    def __missing__(self, word: str) -> int:
        return 0


_NO_COUNTS = _NoCounts()


def _word_counts(rules: list[list[Any]]) -> Counter[str]:
    import collections  # a hook does without

    counts: Counter[str] = collections.Counter()
    for rule in rules:
        for target in rule[3]:
            for pattern in target[2]:
                counts.update(_literals(target[0] if target[0] != "cap" else target[1], pattern))
    return counts


def _literals(kind: str, pattern: Any) -> list[str]:
    """The literal pieces of a pattern that any text it matches must hold."""
    if kind == "shell":
        return [word for word in pattern[0][1:] if isinstance(word, str) and not word.startswith(("-", "~"))]
    if kind == "path" or kind.startswith("fs."):
        return [fold_text(part) for part in pattern[1] if isinstance(part, str)]
    return []


def _file(index: dict[str, Any], target: list[Any], ref: Ref, rarity: Counter[str]) -> None:
    kind, name, patterns = target[0], target[1], target[2]
    if kind == "cap":
        bucket = index["caps"].setdefault(name, _bucket())
        _file_patterns(bucket, name, patterns, ref, rarity)
    elif kind == "shell":
        _file_shell(index, patterns[0], ref, rarity)
    elif kind == "like":
        index["like"].append(ref)
    elif not isinstance(name, str):
        index["tool_any"].append(ref)
    elif kind == "any":
        index["tools"].setdefault(name, []).append(ref)
    else:
        _file_patterns(index["subject"].setdefault(name, _bucket()), kind, patterns, ref, rarity)


def _file_shell(index: dict[str, Any], pattern: Any, ref: Ref, rarity: Counter[str]) -> None:
    words = pattern[0]
    if not words or not isinstance(words[0], str):
        index["shell_any"].append(ref)
        return
    keys = _literals("shell", pattern)
    key = min(keys, key=lambda word: (rarity[word], word)) if keys else ""
    index["shell"].setdefault(base_name(words[0]), {}).setdefault(key, []).append(ref)


def base_name(program: str) -> str:
    """The last component of a program's path."""
    return program.rsplit("/", 1)[-1]


def _bucket() -> Bucket:
    return {"parts": {}, "ends": {}, "hosts": {}, "exact": {}, "any": [], "all": []}


def _file_patterns(bucket: Bucket, kind: str, patterns: list[Any], ref: Ref, rarity: Counter[str]) -> None:
    bucket["all"].append(ref)
    if not patterns:
        bucket["any"].append(ref)
    for pattern in patterns:
        section, key = _place(kind, pattern, rarity)
        refs = bucket[section] if section == "any" else bucket[section].setdefault(key, [])
        if not refs or refs[-1] != ref:
            refs.append(ref)


def _place(kind: str, pattern: Any, rarity: Counter[str]) -> tuple[str, str]:
    """The section and key of a bucket that a pattern is filed under."""
    if kind == "path" or kind.startswith("fs."):
        return _path_place(pattern, rarity)
    if kind in ("host", "net.connect"):
        labels = pattern[0]
        if isinstance(labels, (list, tuple)) and labels and all(isinstance(label, str) for label in labels[1:]):
            known = labels if isinstance(labels[0], str) else labels[1:]
            return ("hosts", ".".join(known)) if known else ("any", "")
        return "any", ""
    return ("exact", pattern) if isinstance(pattern, str) else ("any", "")


def _path_place(pattern: Any, rarity: Mapping[str, int]) -> tuple[str, str]:
    keys = _literals("path", pattern)
    if keys:
        return "parts", min(keys, key=lambda part: (rarity[part], part))
    for part in reversed(pattern[1]):
        tail = part[-1] if isinstance(part, (list, tuple)) and part else None
        if isinstance(tail, str) and "." in tail:
            return "ends", fold_text(tail[tail.rindex(".") :])
    return "any", ""


def path_refs(bucket: Bucket, paths: tuple[str, ...]) -> list[Ref]:
    """References that can match one of these absolute paths or a folder above it."""
    found = list(bucket["any"])
    parts, ends = bucket["parts"], bucket["ends"]
    for path in paths:
        for part in fold_text(path).split("/"):
            if part in parts:
                found += parts[part]
            if ends and "." in part and part[part.rindex(".") :] in ends:
                found += ends[part[part.rindex(".") :]]
    return found


def host_refs(bucket: Bucket, name: str) -> list[Ref]:
    """References that can match this host name."""
    found = list(bucket["any"])
    hosts = bucket["hosts"]
    while hosts:
        if name in hosts:
            found += hosts[name]
        _, dot, name = name.partition(".")
        if not dot:
            break
    return found


def text_refs(bucket: Bucket, text: str) -> list[Ref]:
    """References that can match this text as a whole."""
    return [*bucket["any"], *bucket["exact"].get(text, ())]
