"""Findings: where the checks of one file put what they find."""

from __future__ import annotations

from remit_dsl.diagnostics import Diagnostic
from remit_dsl.source import Source, Span


class Findings:
    """Collects the diagnostics of one source."""

    __slots__ = ("items", "source")

    def __init__(self, source: Source) -> None:
        self.source = source
        self.items: list[Diagnostic] = []

    def error(self, code: str, span: Span, message: str, help_text: str = "") -> None:
        """Something that must be mended before the policy can be used."""
        self.items.append(Diagnostic(code, message, help_text, self.source.name, span.start, span.end))

    def warning(self, code: str, span: Span, message: str, help_text: str = "") -> None:
        """Something that is left out or probably not meant."""
        self.items.append(Diagnostic(code, message, help_text, self.source.name, span.start, span.end, "warning"))
