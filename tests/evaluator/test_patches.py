"""The files that patches name."""

from __future__ import annotations

import pytest

from remit.patches import patched_files

CODEX = "*** Begin Patch\n*** Update File: src/a.py\n*** Move to: src/b.py\n@@\n-x\n+y\n*** Add File: .env\n+A=1\n*** End Patch\n"
DIFF = "diff --git a/x b/x\n--- a/x\n+++ b/y\t2026-01-01\n@@ -1 +1 @@\n-1\n+2\n--- /dev/null\n+++ b/new\n"


@pytest.mark.parametrize(
    ("text", "files"),
    [
        pytest.param(CODEX, ("src/a.py", "src/b.py", ".env"), id="apply_patch"),
        pytest.param(DIFF, ("x", "y", "new"), id="unified diff"),
        pytest.param("*** Begin Patch\n*** End Patch", None, id="names nothing"),
        pytest.param("hello", None, id="no patch"),
        pytest.param("", None, id="empty"),
    ],
)
def test_patched_files(text: str, files: tuple[str, ...] | None) -> None:
    assert patched_files(text) == files
