"""Where a client comes from and how it is shut in.

It is installed once, by npm, into a cache folder (REMIT_CLIENTS_CACHE, default ~/.cache/remit-clients). It then runs in network, mount
and process namespaces of its own (unshare(1)): loopback only, and no managed settings of this machine.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from driver.programs import PROGRAMS

# REMIT_CLAUDE_VERSION, REMIT_CODEX_VERSION and the like try another version than the one that the tables were measured with.
VERSIONS = {
    agent: os.environ.get(f"REMIT_{agent.removesuffix('-code').upper()}_VERSION", program.version)
    for agent, program in PROGRAMS.items()
}
INSIDE = """
ip link set lo up
for folder in /etc/claude-code /etc/codex /etc/gemini-cli /etc/github-copilot; do
  if [ -d "$folder" ]; then mount -t tmpfs none "$folder"; fi
done
exec "$@"
"""


def install(agent: str) -> Path:
    """The client's binary, installed when it is not in the cache yet. Raises CalledProcessError when npm fails."""
    cache = Path(os.environ.get("REMIT_CLIENTS_CACHE", Path.home() / ".cache" / "remit-clients"))
    prefix = cache / f"{agent.removesuffix('-code')}-{VERSIONS[agent]}"
    if not _binaries(agent, prefix):
        prefix.mkdir(parents=True, exist_ok=True)
        wanted = f"{PROGRAMS[agent].package}@{VERSIONS[agent]}"
        options = ["--no-fund", "--no-audit", "--ignore-scripts"]
        subprocess.run(["npm", "install", "--prefix", prefix, *options, wanted], check=True)
    return _binaries(agent, prefix)[0]


def _binaries(agent: str, prefix: Path) -> list[Path]:
    return sorted(prefix.glob(f"node_modules/{PROGRAMS[agent].binary}"))


def run(agent: str, binary: Path, scenario: dict[str, Any]) -> dict[str, Any]:
    """What session.py reports of this scenario. Raises CalledProcessError when the run itself fails."""
    namespaces = ["unshare", "--net", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child"]
    if os.getuid() != 0:
        namespaces += ["--user", "--map-root-user"]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(__file__).parents[1])}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(scenario, file)
        file.flush()
        session = [sys.executable, "-m", "driver.session", agent, str(binary), file.name]
        done = subprocess.run(
            [*namespaces, "bash", "-euc", INSIDE, "inside", *session],
            env=environment, stdout=subprocess.PIPE, text=True, check=True,
        )  # fmt: skip
    result: dict[str, Any] = json.loads(done.stdout)
    return result
