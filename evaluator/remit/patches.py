"""The files that a patch text names: the `apply_patch` form of Codex ("*** Update File: x") and unified diffs."""

from __future__ import annotations

HEADERS = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")
BEGIN, END = "*** Begin Patch", "*** End Patch"


def patched_files(text: str) -> tuple[str, ...] | None:
    """The files named, in order; None when the text is not such a patch, so that nothing is known of it."""
    lines = text.splitlines()
    if any(line.strip() == BEGIN for line in lines):
        names = [line[len(head) :].strip() for line in lines for head in HEADERS if line.startswith(head)]
    else:
        names = [_diff_name(line) for line in lines if line.startswith(("--- ", "+++ "))]
    found = tuple(dict.fromkeys([name for name in names if name and name != "/dev/null"]))
    return found or None


def _diff_name(line: str) -> str:
    name = line[4:].split("\t", 1)[0].strip()
    return name[2:] if name.startswith(("a/", "b/")) else name
