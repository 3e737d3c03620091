"""Source text given on a command line (`sed`, `awk`, `python -c`) -> what it touches. Linear scanners, no interpreters.

sed and awk are followed exactly as far as their programs are plain, and a patch names its files. Of other languages only the string
literals are looked at: what looks like a path or a host is possible, and that something runs is possible always.
"""

from __future__ import annotations

import re

from remit.code_awk import scan_awk
from remit.code_facts import CodeFacts
from remit.code_sed import scan_sed
from remit.patches import patched_files

# Every stretch between two quotation marks, whichever: strings are among them, whatever quotes a language nests how.
_QUOTES = re.compile(r"""["'`\n]""")
_URL = re.compile(r"[a-z][a-z0-9+.-]{0,15}+://", re.IGNORECASE)
_HOST = re.compile(
    r"(?:[A-Za-z0-9_-]++\.)++[A-Za-z0-9-]++(?::[0-9]{1,5})?+|localhost(?::[0-9]{1,5})?+|\[[0-9A-Fa-f:]++\]"
)
_FILE = re.compile(r"[~.]?[\w@%+-]*+(?:\.[\w@%+-]++)++")
_BLANKS = frozenset(" \t\n\r")
# What may stand around a file's name in the text that opens it, and says how (perlfunc(1) "open").
_MODES = "<>+|& "


def scan_code(language: str, text: str) -> CodeFacts:
    """What `text` in `language` (`sed`, `awk`, `patch`, anything else) does. Total; linear in the text."""
    if language == "sed":
        return scan_sed(text)
    if language == "awk":
        return scan_awk(text)
    if language == "patch":
        names = patched_files(text)
        return CodeFacts(False, names or (), names or (), sure=names is not None)
    return _scan_literals(text)


def _scan_literals(text: str) -> CodeFacts:
    paths: dict[str, None] = {}
    hosts: dict[str, None] = {}
    for literal in _QUOTES.split(text)[1:]:
        value = literal.strip(_MODES)
        if not value or not _BLANKS.isdisjoint(value):
            continue
        if _URL.match(value) or _HOST.fullmatch(value):
            hosts[value] = None
        if not _URL.match(value) and ("/" in value or value[0] == "~" or _FILE.fullmatch(value)):
            paths[value] = None
    return CodeFacts(True, tuple(paths), tuple(paths), tuple(hosts), sure=False)
