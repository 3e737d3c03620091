"""One run of the client against the scripted model: `python -m driver.session BINARY RUN.json` prints a JSON result.

Meant to be started inside a network namespace of its own (see client.py): it takes it for granted that nothing but
loopback can be reached. RUN.json: `mode`, `call` {tool, input}, `handler` (the hook handler as the settings file wants
it), `files` {path under the home: text}; `{home}`, `{workspace}` and `{remit}` (the installed command) are filled in.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

from driver.model import ScriptedModel

LIMIT_SECONDS = 60
# Switches of the client: talk to nobody but the model; root may use the bypass mode.
SWITCHES = (
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
    "DISABLE_AUTOUPDATER",
    "DISABLE_ERROR_REPORTING",
    "DISABLE_TELEMETRY",
    "IS_SANDBOX",
    "NO_COLOR",
)


def main(binary: str, run_file: str) -> None:
    """Run and print the files that the call created, what the model was told, what the client said, its exit status."""
    with tempfile.TemporaryDirectory(prefix="client-") as folder:
        home, workspace = Path(folder, "home"), Path(folder, "workspace")
        workspace.mkdir()
        run = _filled(Path(run_file).read_text(), home, workspace)
        hooks = {"PreToolUse": [{"matcher": "*", "hooks": [run["handler"]]}]}
        _write(home, {".claude/settings.json": json.dumps({"hooks": hooks}), **run.get("files", {})})
        print(json.dumps(_converse(binary, run, home, workspace)))


def _filled(text: str, home: Path, workspace: Path) -> dict[str, Any]:
    places = {"home": home, "workspace": workspace, "remit": Path(sys.executable).with_name("remit")}
    for name, place in places.items():
        text = text.replace(f"{{{name}}}", str(place))
    run: dict[str, Any] = json.loads(text)
    return run


def _write(home: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        target = home / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)


def _converse(binary: str, run: dict[str, Any], home: Path, workspace: Path) -> dict[str, Any]:
    with ScriptedModel(run["call"]) as model:
        threading.Thread(target=model.serve_forever, daemon=True).start()
        client = subprocess.run(
            [binary, "-p", "go on", "--permission-mode", run["mode"], "--model", "sonnet"],
            cwd=workspace,
            env=_environment(home, model.url),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=LIMIT_SECONDS,
            check=False,
        )
        model.shutdown()
    created = sorted(path.name for path in workspace.iterdir())
    told = model.outcome._asdict() if model.outcome else None
    return {"created": created, "told": told, "said": client.stdout[-2000:], "exit": client.returncode}


def _environment(home: Path, url: str) -> dict[str, str]:
    return {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "LANG": "C.UTF-8",
        "SHELL": "/bin/bash",
        "TERM": "dumb",
        "TMPDIR": str(home.parent),
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "not-a-key",
        **dict.fromkeys(SWITCHES, "1"),
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
