"""Which definition of a name is in force, where several files define it: that of the highest tier, and a user's over the standard's.

A definition of a lower tier has no effect and is reported; two of one tier are an error, since no order of files would be right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from remit_dsl.checks.findings import Findings
from remit_dsl.checks.rights import LOOSENING, has_right
from remit_dsl.policy import Declared
from remit_dsl.program import TIERS
from remit_dsl.records import NamedTuple
from remit_dsl.tree import ModeDef, Name, ToolDef


class Defined(NamedTuple):
    """A definition in force, and the file that it stands in."""

    node: ToolDef | ModeDef
    file: Declared


def in_force(
    files: Iterable[Declared],
    nodes_of: Callable[[Declared], Iterable[ToolDef | ModeDef]],
    rights: Mapping[Declared, frozenset[str]],
    findings: Mapping[Declared, Findings],
    what: str,
) -> dict[str, Defined]:
    """The definition in force for each name. `files` come with the standard library first, then by tier."""
    found: dict[str, Defined] = {}
    for file in files:
        for node in nodes_of(file):
            subject = f"{what} `{node.names[0].text}`"
            if not has_right(LOOSENING, rights[file], node.names[0].span, findings[file], subject):
                continue
            for name in node.names:
                if _takes_force(name, found.get(name.text), file, findings[file], what):
                    found[name.text] = Defined(node, file)
    return found


def _takes_force(name: Name, earlier: Defined | None, file: Declared, findings: Findings, what: str) -> bool:
    if earlier is None:
        return True
    if overrides(file, earlier.file):
        return True
    if earlier.file.tier == file.tier:
        findings.error("E208", name.span, f"{what} `{name.text}` is defined twice", _where(earlier.file))
    else:
        message = f"{what} `{name.text}` has no effect here: a higher tier defines it"
        findings.warning("W602", name.span, message, _where(earlier.file))
    return False


def overrides(file: Declared, earlier: Declared) -> bool:
    """Whether a file of the highest tier replaces or extends what the standard library says."""
    return earlier.standard and not file.standard and file.tier == TIERS[0]


def _where(file: Declared) -> str:
    return f"it is defined in {file.source.name} (policy {file.name}, tier {file.tier})"
