"""Diagnostics as text for people, and as JSON, SARIF and workflow commands for machines."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any, Final
from urllib.parse import quote

from remit_dsl.codes import CODES
from remit_dsl.diagnostics import Diagnostic
from remit_dsl.escapes import UNWRITABLE
from remit_dsl.source import Source

Sources = Mapping[str, Source]

MAX_COLUMNS = 200  # of the source line that is shown
_TAB_COLUMNS = 4
_UNWRITABLE: Final = re.compile(f"[{UNWRITABLE}]")
_COLOURS: Final = {"error": "\x1b[1;31m", "warning": "\x1b[1;33m", "note": "\x1b[1;34m"}
_RESET: Final = "\x1b[0m"


def render_text(diagnostics: Iterable[Diagnostic], sources: Sources, *, colour: bool = False) -> str:
    """Each diagnostic with its line, a caret under the place, and the help; a blank line between two, "" for none.

    Safe to print: control characters and the like, also in names and messages, are shown as `\\u{…}` or `\ufffd`.
    """
    return "\n".join([_one_text(diagnostic, sources, colour) for diagnostic in diagnostics])


def render_json(diagnostics: Iterable[Diagnostic], sources: Sources) -> str:
    """A JSON list with one object for each diagnostic; lines and columns count from 1 in code points."""
    return json.dumps([_json_object(diagnostic, sources) for diagnostic in diagnostics], indent=2)


def render_github(diagnostics: Iterable[Diagnostic], sources: Sources) -> str:
    """One workflow command a line (GitHub Actions, "Workflow commands": error, warning, notice)."""
    return "".join([_workflow_command(diagnostic, sources) for diagnostic in diagnostics])


def render_sarif(diagnostics: Iterable[Diagnostic], sources: Sources, *, version: str = "") -> str:
    """A SARIF 2.1.0 log (OASIS sarif-v2.1.0) of one run; `version` is that of the tool."""
    found = list(diagnostics)
    codes = sorted({diagnostic.code for diagnostic in found})
    driver: dict[str, Any] = {"name": "remit", "rules": [_sarif_rule(code) for code in codes]}
    if version:
        driver["version"] = version
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_sarif_result(diagnostic, codes, sources) for diagnostic in found],
    }
    log = {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2)


# --- text -----------------------------------------------------------------------------------------------------


def _one_text(diagnostic: Diagnostic, sources: Sources, colour: bool) -> str:
    head = f"{diagnostic.severity}[{diagnostic.code}]"
    if colour:
        head = f"{_COLOURS[diagnostic.severity]}{head}{_RESET}"
    lines = [f"{head}: {_safe(diagnostic.message)}"]
    source = sources.get(diagnostic.source_name)
    if source is None:
        lines.append(f" --> {_safe(diagnostic.source_name)}")
        gutter = " "
    else:
        line, column = source.position(diagnostic.start)
        gutter = " " * len(str(line))
        shown, caret = _excerpt(source, diagnostic, column)
        if colour:
            caret = f"{_COLOURS[diagnostic.severity]}{caret}{_RESET}"
        lines.append(f"{gutter}--> {_safe(source.name)}:{line}:{column}")
        lines += [f"{gutter} |", f"{line} | {shown}".rstrip(), f"{gutter} | {caret}"]
    if diagnostic.help:
        lines.append(f"{gutter} = help: {_safe(diagnostic.help)}")
    return "\n".join(lines) + "\n"


def _excerpt(source: Source, diagnostic: Diagnostic, column: int) -> tuple[str, str]:
    """The line of the place, at most MAX_COLUMNS wide, and blanks and carets to put under it."""
    line_start = diagnostic.start - column + 1
    line_end = source.text.find("\n", line_start)
    line_end = len(source.text) if line_end < 0 else line_end
    end = min(max(diagnostic.end, diagnostic.start + 1), max(line_end, diagnostic.start + 1))
    # Only the neighbourhood is laid out: a line may hold megabytes.
    left = max(line_start, diagnostic.start - MAX_COLUMNS // 2)
    right = min(line_end, left + MAX_COLUMNS)
    if right == line_end:
        left = max(line_start, min(left, right - MAX_COLUMNS))
    before, width = _lay_out(source.text[left : diagnostic.start], 0)
    marked, marked_width = _lay_out(source.text[diagnostic.start : min(end, right)], width)
    after, _ = _lay_out(source.text[min(end, right) : right], width + marked_width)
    head, tail = "…" if left > line_start else "", "…" if right < line_end else ""
    caret = " " * (width + len(head)) + "^" * max(marked_width, 1)
    return head + before + marked + after.rstrip() + tail, caret


def _lay_out(text: str, column: int) -> tuple[str, int]:
    """The text as printed from this column on, and its width: tabs expanded, what cannot be printed replaced."""
    shown = []
    width = 0
    for character in text.rstrip("\r"):
        if character == "\t":
            step = _TAB_COLUMNS - (column + width) % _TAB_COLUMNS
            shown.append(" " * step)
            width += step
        elif _UNWRITABLE.match(character):
            shown.append("\ufffd")
            width += 1
        else:
            shown.append(character)
            width += _columns(character)
    return "".join(shown), width


def _columns(character: str) -> int:
    """Columns that a terminal gives to a character (Unicode Standard Annex 11: wide and full-width take two)."""
    if unicodedata.combining(character) or unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _safe(text: str) -> str:
    return _UNWRITABLE.sub(lambda match: f"\\u{{{ord(match.group()):X}}}", text)


# --- machines -------------------------------------------------------------------------------------------------


def _region(diagnostic: Diagnostic, sources: Sources) -> dict[str, int]:
    """Line and column of both ends, from 1, the end exclusive; empty when the source is not at hand."""
    source = sources.get(diagnostic.source_name)
    if source is None:
        return {}
    line, column = source.position(diagnostic.start)
    end_line, end_column = source.position(max(diagnostic.start, diagnostic.end))
    return {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}


def _json_object(diagnostic: Diagnostic, sources: Sources) -> dict[str, Any]:
    region = _region(diagnostic, sources)
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "help": diagnostic.help,
        "file": diagnostic.source_name,
        "line": region.get("startLine"),
        "column": region.get("startColumn"),
        "end_line": region.get("endLine"),
        "end_column": region.get("endColumn"),
    }


def _workflow_command(diagnostic: Diagnostic, sources: Sources) -> str:
    command = "notice" if diagnostic.severity == "note" else diagnostic.severity
    region = _region(diagnostic, sources)
    properties = [f"file={_property(diagnostic.source_name)}"]
    if region:
        properties += [f"line={region['startLine']}", f"col={region['startColumn']}"]
        if region["endLine"] == region["startLine"]:
            properties.append(f"endColumn={region['endColumn']}")
    text = _data(": ".join(filter(None, [diagnostic.message, diagnostic.help])))
    return f"::{command} {','.join(properties)},title={_property(diagnostic.code)}::{text}\n"


def _data(text: str) -> str:
    return _safe(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _sarif_rule(code: str) -> dict[str, Any]:
    title, explanation = CODES.get(code, (code, code))
    return {"id": code, "shortDescription": {"text": title}, "fullDescription": {"text": explanation}}


def _sarif_result(diagnostic: Diagnostic, codes: list[str], sources: Sources) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": quote(diagnostic.source_name, errors="replace")}}
    region = _region(diagnostic, sources)
    if region:
        place["region"] = region
    return {
        "ruleId": diagnostic.code,
        "ruleIndex": codes.index(diagnostic.code),
        "level": diagnostic.severity,
        "message": {"text": ". ".join(filter(None, [diagnostic.message, diagnostic.help]))},
        "locations": [{"physicalLocation": place}],
    }
