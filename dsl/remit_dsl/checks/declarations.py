"""What a file declares by itself: its header, sets and data; and the statements that only make sense together with other files."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from remit_dsl.checks.contents import read_pattern
from remit_dsl.checks.findings import Findings
from remit_dsl.patterns import PatternError
from remit_dsl.policy import Declared, PolicySource, SetValue
from remit_dsl.source import Span
from remit_dsl.tree import (
    DataDef,
    Default,
    EnvDef,
    File,
    ForbidMode,
    Header,
    LowerTiers,
    ModeDef,
    OnUnparseable,
    ProgramDef,
    Rule,
    SetDef,
    Statement,
    Test,
    Text,
    ToolDef,
    Use,
)
from remit_dsl.vocabulary import SET_NOTATION


def declare(given: PolicySource, file: File) -> Declared:
    """What `file` declares; everything wrong in that is in its diagnostics."""
    findings = Findings(given.source)
    header = _header(file, findings)
    name = header.name.text if header is not None else _stem(given.source.name)
    statements = file.statements
    set_defs = tuple([item for item in statements if isinstance(item, SetDef)])
    data_defs = tuple([item for item in statements if isinstance(item, DataDef)])
    return Declared(
        source=given.source,
        name=name,
        name_span=header.name.span if header is not None else Span(0, 0),
        tier=_tier(given, header, findings),
        trusted=given.trusted,
        title=header.title.value if header is not None and header.title is not None else "",
        owner=header.owner.value if header is not None and header.owner is not None else "",
        file=file,
        uses=tuple([item for item in statements if isinstance(item, Use)]),
        sets=_sets(set_defs, name, findings),
        set_defs=set_defs,
        data=_data(data_defs, name, given, findings),
        data_defs=data_defs,
        tools=tuple([item for item in statements if isinstance(item, ToolDef)]),
        modes=tuple([item for item in statements if isinstance(item, ModeDef)]),
        programs=tuple([item for item in statements if isinstance(item, ProgramDef)]),
        env=tuple([item for item in statements if isinstance(item, EnvDef)]),
        forbidden=tuple([item for item in statements if isinstance(item, ForbidMode)]),
        lower=tuple([item for item in statements if isinstance(item, LowerTiers)]),
        unparseable=tuple([item for item in statements if isinstance(item, OnUnparseable)]),
        tests=tuple([item for item in statements if isinstance(item, Test)]),
        labels=_labels(statements, findings),
        diagnostics=tuple(findings.items),
    )


def _stem(source_name: str) -> str:
    base = source_name.replace("\\", "/").rsplit("/", 1)[-1]
    return base.removesuffix(".remit") or "policy"


def _header(file: File, findings: Findings) -> Header | None:
    headers = [item for item in file.statements if isinstance(item, Header)]
    for extra in headers[1:]:
        findings.error("E305", extra.span, "a file is one policy and has one header")
    if headers and file.statements[0] is not headers[0]:
        findings.error("E305", headers[0].span, "the header is the first statement of its file")
    return headers[0] if headers else None


def _tier(given: PolicySource, header: Header | None, findings: Findings) -> str:
    if header is None or header.tier is None:
        return given.tier
    claimed = header.tier.text
    if claimed in given.claims:
        return claimed
    message = f"a file from here cannot be of tier {claimed}; it counts as {given.tier}"
    findings.warning("W603", header.tier.span, message)
    return given.tier


def _labels(statements: Iterable[Statement], findings: Findings) -> frozenset[str]:
    seen: set[str] = set()
    for item in statements:
        if not isinstance(item, Rule) or item.label is None:
            continue
        label = item.label
        if label.text in seen:
            findings.error("E207", label.span, f"label `{label.text}` is used twice in this policy")
        seen.add(label.text)
    _one_global_default(statements, findings)
    return frozenset(seen)


def _one_global_default(statements: Iterable[Statement], findings: Findings) -> None:
    wide = [item for item in statements if isinstance(item, Default) and not item.targets]
    for extra in wide[1:]:
        findings.error("E208", extra.span, "a second default for everything", "a policy has one of these")


def _sets(definitions: Iterable[SetDef], policy: str, findings: Findings) -> dict[str, SetValue]:
    sets: dict[str, SetValue] = {}
    for definition in definitions:
        name = definition.name
        if name.text in sets:
            findings.error("E208", name.span, f"set `{name.text}` is defined twice")
            continue
        patterns = [_item(item, definition, findings) for item in definition.items]
        sets[name.text] = SetValue(definition.kind, f"{policy}:{name.text}", tuple(patterns))
    return sets


def _item(item: Text, definition: SetDef, findings: Findings) -> Any:
    pattern = read_pattern(SET_NOTATION[definition.kind], item.value)
    if not isinstance(pattern, PatternError):
        return pattern
    start = min(item.span.start + pattern.offset, item.span.end - 1)
    findings.error("E301", Span(start, start + 1), pattern.message, pattern.help)
    return None


def _data(definitions: Iterable[DataDef], policy: str, given: PolicySource, findings: Findings) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for definition in definitions:
        name, file = definition.name, definition.file
        if name.text in data:
            findings.error("E208", name.span, f"data `{name.text}` is defined twice")
        elif (text := given.data.get(file.value)) is None:
            findings.error("E506", file.span, f"data file `{file.value}` cannot be read")
            data[name.text] = None
        else:
            data[name.text] = _json(text, file, findings)
    return data


def _json(text: str, file: Text, findings: Findings) -> Any:
    """The value of a JSON text (RFC 8259), without the liberties that Python's reader takes."""
    try:
        return json.loads(text, object_pairs_hook=_no_repeats, parse_constant=_refuse, parse_float=_refuse_infinite)
    except (ValueError, RecursionError) as error:
        detail = "nested too deep" if isinstance(error, RecursionError) else str(error)
        findings.error("E507", file.span, f"data file `{file.value}` is not JSON: {detail}")
        return None


def _no_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name occurs twice in one object")
    return found


def _refuse(constant: str) -> Any:
    raise ValueError(f"`{constant}` is no JSON value")


def _refuse_infinite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError("a number is out of range")
    return value
