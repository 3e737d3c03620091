"""What `PROGRAM --help` says of options: which stand together, and which take a value."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

TIME_LIMIT = 10.0
# `  -x, --long=VALUE  text`, `  -x VALUE, --long VALUE`, `      --long[=VALUE]`
_OPTION = re.compile(
    r"^ {1,10}(?:(?P<letter>-\w)(?P<attached>[ =]?(?:<[^>]+>|[A-Z][A-Z0-9_-]*))?(?:,? +|/|, ?))?"
    r"(?P<long>--[a-zA-Z][\w-]*)(?P<value>\[=[^\]]+\]|=\S+|[ ](?:<[^>]+>|[A-Z][A-Z0-9_-]{1,}\b))?"
)


# Words by which help texts name a value that is a file, a folder, a host or a command.
_NAMING = re.compile(r"file|path|dir|folder|url|host|prog|cmd|command|prefix", re.IGNORECASE)


class Offered(NamedTuple):
    """An option of a help text. takes: `none`, `value` or `optional`. names_something: its value is a file, a host or a command."""

    letter: str
    long: str
    takes: str
    names_something: bool


@cache
def help_text(*command: str) -> str:
    """What a command prints about itself, as far as it does so in time."""
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIME_LIMIT, check=False,
            env={"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C", "PAGER": "cat", "TERM": "dumb"},
            start_new_session=True,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return (done.stdout + b"\n" + done.stderr).decode("utf-8", errors="replace")


def offered(text: str) -> Iterator[Offered]:
    """The options of a help text whose lines begin with them."""
    for line in text.splitlines():
        found = _OPTION.match(line.replace("\t", "    "))
        if found is None:
            continue
        value = found["value"] or ""
        takes = "optional" if value.startswith("[=") else "value" if value or found["attached"] else "none"
        names = _NAMING.search(value or found["attached"] or "") is not None
        yield Offered(found["letter"] or "", found["long"], takes, names)
