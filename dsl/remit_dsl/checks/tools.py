"""Tool declarations: aliases follow their base, parameters get their kinds."""

from __future__ import annotations

from collections.abc import Mapping

from remit_dsl.checks.definitions import Defined
from remit_dsl.checks.findings import Findings
from remit_dsl.policy import Declared, Row
from remit_dsl.suggest import did_you_mean
from remit_dsl.tree import ToolDef, ToolParam
from remit_dsl.vocabulary import CAPABILITIES

# Which kinds a value may have that a tool does something of this notation with.
_KINDS_FOR = {"path": ("path", "patch", "text"), "host": ("url", "host", "text"), "word": ("shell", "text")}


def tool_rows(defined: Mapping[str, Defined], findings: Mapping[Declared, Findings]) -> dict[str, Row]:
    """name -> [common name, [[subject, names, kind, does, tree, default]…], readonly, traits], for every name of a tool."""
    rows: dict[str, Row] = {}
    for name in defined:
        _resolve(name, defined, findings, rows, ())
    return rows


def tool_kinds(rows: Mapping[str, Row]) -> dict[str, str]:
    """name -> kind of the subject, "" for a tool that has none."""
    return {name: next((param[2] for param in row[1] if param[0]), "") for name, row in rows.items()}


def _resolve(
    name: str,
    defined: Mapping[str, Defined],
    findings: Mapping[Declared, Findings],
    rows: dict[str, Row],
    above: tuple[str, ...],
) -> Row:
    """The row of `name`, its base resolved first."""
    if name in rows:
        return rows[name]
    node, file = defined[name]
    assert isinstance(node, ToolDef)
    base = _base_row(node, name, defined, findings, rows, above)
    params = _params(node, base, findings[file])
    common = base[0] if base is not None and base[0] else name
    readonly = node.readonly or (base is not None and not node.params and bool(base[2]))
    traits = list(node.traits) or (base[3] if base is not None else [])
    rows[name] = [common, params, readonly, traits]
    if "*" in name:
        findings[file].error("E307", node.names[0].span, f"`{name}` declares no single tool", "write its full name")
    return rows[name]


def _base_row(
    node: ToolDef,
    name: str,
    defined: Mapping[str, Defined],
    findings: Mapping[Declared, Findings],
    rows: dict[str, Row],
    above: tuple[str, ...],
) -> Row | None:
    """The row of what `name` is an alias of, None if of nothing. Where that is an error, a row without parameters (None)."""
    base = node.base
    if base is None:
        return None
    file = defined[name].file
    if base.text in (*above, name):
        findings[file].error("E308", base.span, f"tool `{name}` is an alias of itself")
    elif base.text not in defined:
        findings[file].error("E204", base.span, f"unknown tool `{base.text}`", did_you_mean(base.text, defined))
    else:
        return _resolve(base.text, defined, findings, rows, (*above, name))
    return ["", None, False, []]


def _params(node: ToolDef, base: Row | None, findings: Findings) -> list[Row]:
    """The parameters written; those without a kind take what the base's of the same place has. None written: the base's."""
    if not node.params and base is not None:
        return list(base[1] or ())
    rows, places, seen = [], {True: 0, False: 0}, set()
    for param in node.params:
        place = places[param.subject]
        places[param.subject] += 1
        if param.subject and place:
            findings.error("E307", param.span, "a tool has one subject", "say `also` for other parameters")
        inherited = [row for row in base[1] or () if row[0] == param.subject] if base is not None else []
        model = inherited[place] if place < len(inherited) else None
        rows.append(_param(param, model))
        # A kind that is missing because the base is wrong was reported there.
        _check_param(param, rows[-1], model is None and (base is None or base[1] is not None), findings)
        for name in param.names:
            if name.text in seen:
                findings.error("E208", name.span, f"parameter `{name.text}` is named twice")
            seen.add(name.text)
    return rows


def _param(param: ToolParam, base: Row | None) -> Row:
    base = base if param.kind is None else None
    kind = param.kind.text if param.kind is not None else base[2] if base is not None else ""
    does = [name.text for name in param.does] or (base[3] if base is not None else [])
    default = param.default.value if param.default is not None else base[5] if base is not None else None
    tree = param.tree or (base is not None and bool(base[4]))
    return [param.subject, [name.text for name in param.names], kind, does, tree, default]


def _check_param(param: ToolParam, row: Row, needs_kind: bool, findings: Findings) -> None:
    kind = row[2]
    if needs_kind and not kind:
        help_text = "say which kind: shell, path, url, host, text, patch or cwd"
        findings.error("E307", param.span, f"parameter `{row[1][0]}` has no kind", help_text)
    for name in param.does:
        if kind and kind not in _KINDS_FOR[CAPABILITIES[name.text]]:
            findings.error("E307", name.span, f"a parameter of kind {kind} cannot do `{name.text}`")
