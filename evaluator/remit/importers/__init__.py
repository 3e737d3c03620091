"""Importers: the permission settings of agents as policies.

`convert` gives the policy's source text; `convert_report` also tells what could not be carried over. Both raise
ConversionError for text that is not in the format. A policy is never looser than its original: see each importer.
"""

from __future__ import annotations

from remit.importers.agentscope import convert_context
from remit.importers.astroresearch import convert_environment
from remit.importers.claude_code import convert_settings
from remit.importers.codex import convert_codex
from remit.importers.conversion import Conversion, ConversionError, Note
from remit.importers.gemini import convert_gemini
from remit.importers.opencode import convert_opencode

__all__ = ["FORMATS", "Conversion", "ConversionError", "Note", "convert", "convert_report"]

FORMATS = {
    "claude-code": convert_settings,
    "codex": convert_codex,
    "gemini": convert_gemini,
    "agentscope": convert_context,
    "opencode": convert_opencode,
    "astroresearch": convert_environment,
}


def convert(format: str, text: str, *, with_defaults: bool = False) -> str:
    """The policy source for `text` in `format`, one of FORMATS."""
    return convert_report(format, text, with_defaults=with_defaults).source


def convert_report(format: str, text: str, *, with_defaults: bool = False) -> Conversion:
    """The policy source for `text` in `format`, one of FORMATS, and the notes.

    with_defaults: permits as well what the agent permits without a rule.
    """
    importer = FORMATS.get(format)
    if importer is None:
        raise ConversionError(f"unknown format `{format}`; known: {', '.join(FORMATS)}")
    return importer(text, with_defaults=with_defaults)
