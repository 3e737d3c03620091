"""When the tests with real agent clients run."""

from __future__ import annotations

import os
import shutil

import pytest

_TOOLS = [tool for tool in ("npm", "node", "unshare", "ip") if shutil.which(tool) is None]


def _asked() -> bool:
    """Whether they are to run. Raises where they are and cannot: a job that skips them would prove nothing."""
    if os.environ.get("REMIT_CLIENTS") != "1":
        return False
    if _TOOLS:
        raise RuntimeError(f"REMIT_CLIENTS=1 needs {', '.join(_TOOLS)} on this machine")
    return True


needs_clients = [
    pytest.mark.clients,
    pytest.mark.skipif(not _asked(), reason="runs a real agent client: set REMIT_CLIENTS=1"),
]
