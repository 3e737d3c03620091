"""What callers may have to catch. Decisions never raise; loading does.

RemitError
    LoadError   no program came of the policies
"""

from __future__ import annotations

from remit_dsl.diagnostics import Diagnostic
from remit_dsl.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class RemitError(Exception):
    """Anything that this package raises on purpose."""


class LoadError(RemitError):
    """No program came of the policies. diagnostics says why; sources (by name) are for showing the places."""

    def __init__(self, diagnostics: Sequence[Diagnostic], sources: Mapping[str, Source]) -> None:
        super().__init__(diagnostics, sources)
        self.diagnostics = tuple(diagnostics)
        self.sources = dict(sources)

    def __str__(self) -> str:
        from remit_dsl.render import render_text

        return render_text(self.diagnostics, self.sources)
