"""The real Claude Code asks the daemon by a hook of type http, judged by what its tool call left in the workspace."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest
from driver import client

pytestmark = [
    pytest.mark.clients,
    pytest.mark.skipif(os.environ.get("REMIT_CLIENTS") != "1", reason="runs a real agent client: set REMIT_CLIENTS=1"),
]

PORT = 8731  # the client has a network of its own
URL = f"http://127.0.0.1:{PORT}/v1/hooks/claude-code"
CALL = {"tool": "Bash", "input": {"command": "touch ran", "description": "x"}}
# What stands in for the client: it starts a daemon in the client's network, then the client.
WITH_DAEMON = """\
#!/bin/sh
"{remit}" serve --policy "{policy}" --socket none --listen 127.0.0.1:{port} >/dev/null 2>"{log}" &
for _ in $(seq 300); do grep -q "tcp: " "{log}" && break; sleep 0.1; done
exec "{client}" "$@"
"""
START = "policy org.clients for org\nuse std\n"
DENY = START + 'deny no-touching: Bash(touch *) because "Not on this machine."\n'
ALLOW = START + "allow making: Bash(touch *)\nallow fs.write(./**)\n"
ASK = START + 'ask making: Bash(touch *) because "A human decides."\n'


@pytest.fixture(scope="session")
def binary() -> Path:
    missing = [tool for tool in ("npm", "unshare", "ip") if shutil.which(tool) is None]
    if missing:
        pytest.fail(f"REMIT_CLIENTS=1 needs {', '.join(missing)} on this machine")
    return client.install()


@pytest.mark.parametrize(("policy", "mode", "created", "told"), [
    pytest.param(DENY, "default", [], "Not on this machine.", id="a deny"),
    pytest.param(DENY, "bypassPermissions", [], "Not on this machine.", id="a deny whatever the mode"),
    pytest.param(ALLOW, "default", ["ran"], "", id="an allow"),
    pytest.param(ASK, "bypassPermissions", [], "A human decides.", id="an ask without a human"),
    pytest.param("deny broken(", "bypassPermissions", [], "remit", id="policies that cannot be used"),
    pytest.param(START, "bypassPermissions", ["ran"], "", id="no opinion"),
])  # fmt: skip
def test_outcome(binary: Path, tmp_path: Path, policy: str, mode: str, created: list[str], told: str) -> None:
    (tmp_path / "org.remit").write_text(policy)
    remit = Path(sys.executable).with_name("remit")
    script = tmp_path / "client"
    places = {"remit": remit, "policy": tmp_path / "org.remit", "log": tmp_path / "log", "client": binary, "port": PORT}
    script.write_text(WITH_DAEMON.format(**places))
    script.chmod(0o700)
    handler = {"type": "http", "url": URL, "timeout": 10, "onFailure": "block"}
    result = client.run(script, {"call": CALL, "handler": handler, "mode": mode})
    assert result["told"] is not None, result
    assert result["created"] == created, result
    assert told in result["told"]["text"]
