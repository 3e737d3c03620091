"""`# lint: ignore L705, L706` behind a rule's first line or on the line above it."""

from __future__ import annotations

from collections.abc import Mapping

from remit_dsl.lints.subject import Finding
from remit_dsl.policy import Declared

_MARK = "lint: ignore"


def ignored_lines(file: Declared) -> Mapping[int, frozenset[str]]:
    """Codes that are not to be reported, by the line of the rule."""
    found: dict[int, frozenset[str]] = {}
    for comment in file.file.comments:
        text = comment.text.lstrip("#").strip()
        if text.startswith(_MARK):
            codes = frozenset(text.removeprefix(_MARK).replace(",", " ").split())
            line, _ = file.source.position(comment.span.start)
            line += comment.own_line
            found[line] = found.get(line, frozenset()) | codes
    return found


def is_ignored(finding: Finding, lines: Mapping[int, frozenset[str]]) -> bool:
    """Whether a comment at the finding's rule names its code."""
    return finding.code in lines.get(finding.site.line, frozenset())
