"""Lints: what is right in a policy and probably not meant. Each module looks for one thing; all are warnings (L7xx).

`lint` runs them all. A comment `# lint: ignore L701` at a rule silences one code there.
"""

from __future__ import annotations

from remit_dsl.checker import Checked
from remit_dsl.diagnostics import Diagnostic, cap
from remit_dsl.lints import broad, duplicates, keeping, narrow, unreachable
from remit_dsl.lints.ignoring import ignored_lines, is_ignored
from remit_dsl.lints.subject import subject_of

LINTS = (unreachable.find, duplicates.find, narrow.find, broad.find, keeping.find)


def lint(checked: Checked, today: str = "") -> tuple[Diagnostic, ...]:
    """What the lints find in policies that check without errors, by place, at most 100. today: ISO date that `until` is compared
    with; "" compares nothing."""
    subject = subject_of(checked, today)
    lines = {file.source.name: ignored_lines(file) for file in checked.files if not file.standard}
    found = [finding for find in LINTS for finding in find(subject)]
    return cap(
        [
            Diagnostic(item.code, item.message, item.help, item.site.file.source.name, *item.span, "warning")
            for item in found
            if not is_ignored(item, lines[item.site.file.source.name])
        ]
    )
