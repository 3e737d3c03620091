"""Where the client comes from and how it is shut in.

The client is installed once, by npm, into a cache folder (REMIT_CLIENTS_CACHE, default ~/.cache/remit-clients); its
package holds a native binary, which needs no Node. It then runs in network, mount and process namespaces of its own
(unshare(1)): loopback only, and no managed settings of this machine.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

VERSION = os.environ.get("REMIT_CLAUDE_VERSION", "2.1.332")
PACKAGE = "@anthropic-ai/claude-code"
INSIDE = """
ip link set lo up
if [ -d /etc/claude-code ]; then mount -t tmpfs none /etc/claude-code; fi
exec "$@"
"""


def install() -> Path:
    """The client's binary, installed when it is not in the cache yet. Raises CalledProcessError when npm fails."""
    cache = Path(os.environ.get("REMIT_CLIENTS_CACHE", Path.home() / ".cache" / "remit-clients"))
    prefix = cache / f"claude-{VERSION}"
    if not _binaries(prefix):
        prefix.mkdir(parents=True, exist_ok=True)
        options = ["--no-fund", "--no-audit", "--ignore-scripts"]
        subprocess.run(["npm", "install", "--prefix", prefix, *options, f"{PACKAGE}@{VERSION}"], check=True)
    return _binaries(prefix)[0]


def _binaries(prefix: Path) -> list[Path]:
    return sorted(prefix.glob("node_modules/@anthropic-ai/claude-code-*/claude"))


def run(binary: Path, scenario: dict[str, Any]) -> dict[str, Any]:
    """What session.py reports of this scenario. Raises CalledProcessError when the run itself fails."""
    namespaces = ["unshare", "--net", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child"]
    if os.getuid() != 0:
        namespaces += ["--user", "--map-root-user"]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(__file__).parents[1])}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(scenario, file)
        file.flush()
        session = [sys.executable, "-m", "driver.session", str(binary), file.name]
        done = subprocess.run(
            [*namespaces, "bash", "-euc", INSIDE, "inside", *session],
            env=environment, stdout=subprocess.PIPE, text=True, check=True,
        )  # fmt: skip
    result: dict[str, Any] = json.loads(done.stdout)
    return result
