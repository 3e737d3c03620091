"""Claude Code's path rules, as path patterns.

There, they follow gitignore(5) below an anchor: `//x` is absolute, `~/x` below home, `/x` below the folder of the
settings, `x` and `./x` below the working directory; a pattern without a slash, and one with `**/` in front, matches at
any depth (code.claude.com/docs/en/permissions, "Read and Edit"). Here, the working directory and a project's settings
folder are the workspace. A deny or ask that floats does so everywhere, an allow only inside the workspace.
"""

from __future__ import annotations

import re
from itertools import dropwhile

from remit.importers.claude_reading import Effect
from remit_dsl.records import NamedTuple

_DRIVE = re.compile(r"([A-Za-z]):[\\/]+")


class PathReading(NamedTuple):
    """pattern: the path pattern, "" if there is none. why: what it does not say exactly, "" if nothing."""

    pattern: str
    why: str = ""


def read_path(content: str, effect: Effect) -> PathReading:
    """The path pattern of a rule. Where the rule leaves its anchor (`../x`) the pattern is wider, and `why` says so."""
    text = _posix(content.strip())
    if not text or text.startswith("!") or _ends_in_backslash(text):
        return PathReading("", "it is no path pattern")
    anchor, body, why = _anchored(text)
    parts = [part for part in body.split("/") if part not in ("", ".")]
    if ".." in parts:
        below = parts[len(parts) - parts[::-1].index("..") :] or ["**"]
        return PathReading(_joined("", below, "deny"), "a pattern does not climb with `..`")
    if body.endswith("/"):
        parts.append("**")
    if not anchor:
        parts = list(dropwhile("**".__eq__, parts))
    return PathReading(_joined(anchor, parts or ["**"], effect), why)


def _posix(text: str) -> str:
    """Windows paths in the form Claude Code compares: `C:\\x` is `/c/x`."""
    drive = _DRIVE.match(text)
    if not drive:
        return text
    return f"//{drive[1].lower()}/" + text[drive.end() :].replace("\\", "/")


def _anchored(text: str) -> tuple[str, str, str]:
    """Anchor ("" = any depth), the rest, and what the anchor does not say exactly."""
    if text.startswith("//"):
        return "/", text[2:], ""
    if text == "~" or text.startswith("~/"):
        return "~/", text[2:], ""
    if text.startswith("/"):
        return "./", text[1:], "a path with one leading slash depends on where the settings file is"
    floats = "/" not in text.rstrip("/") or text.startswith("**/")
    return "" if floats else "./", text, ""


def _joined(anchor: str, parts: list[str], effect: Effect) -> str:
    if parts == ["*"] and not anchor:
        parts = ["**"]
    body = "/".join(parts)
    if anchor:
        return anchor + body
    floating = body if parts[0] == "**" else "**/" + body
    return floating if effect != "allow" else "./" + floating


def _ends_in_backslash(text: str) -> bool:
    return (len(text) - len(text.rstrip("\\"))) % 2 == 1
