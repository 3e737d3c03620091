"""One run of a client against the scripted model: `python -m driver.session AGENT BINARY RUN.json` prints a JSON result.

Meant to be started inside network and mount namespaces of its own (see client.py): it takes it for granted that nothing but loopback can
be reached. RUN.json: `mode`; `call` {tool, input}, or `shell`, a command; `files` {path under the home: text}; and the hook:

* `handler`: as Claude Code's settings want it; or
* `options`: words for `remit install`, and `broken`, one of `broken.WAYS`.
* `daemon`: "" = none, "dead" = a socket that nobody listens on any more, "alive" = `remit serve`, with `serve`, words for it.

`{home}`, `{workspace}`, `{remit}` (the installed command) and `{daemon}` (the daemon's address) are filled in.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from driver.broken import broken
from driver.daemon import Daemon
from driver.model import ScriptedModel
from driver.programs import PROGRAMS, Program, Run

from remit.installing.agents import TARGETS
from remit.sessions.store import Store

LIMIT_SECONDS = 90


def main(agent: str, binary: str, run_file: str) -> None:
    """Run and print: the files that the call created, what the model was told, how often it was asked for a turn, what the client said,
    its exit status, how many calls the daemon answered, and how many each session in the file `sessions.db` below the home has."""
    # Codex trusts no program below /tmp.
    with tempfile.TemporaryDirectory(prefix="client-", dir="/var/tmp") as folder, contextlib.ExitStack() as stack:
        home, workspace = Path(folder, "home"), Path(folder, "workspace")
        workspace.mkdir()
        home.mkdir(mode=0o700)
        _move_account(home)
        given = Path(run_file).read_text()
        places = {"home": home, "workspace": workspace, "remit": Path(sys.executable).with_name("remit")}
        _write(home, json.loads(_filled(given, places)).get("files", {}))
        daemon = stack.enter_context(_daemon(json.loads(_filled(given, places)), home))
        run = json.loads(_filled(given, {**places, "daemon": daemon.url if daemon else ""}))
        program = PROGRAMS[agent]
        model = stack.enter_context(_model(program, run))
        place = Run(binary, home, workspace, model.url, run["mode"])
        _write(home, program.files(place))
        _write(home, _hook(agent, run, home))
        client = _converse(program, place)
        created = sorted(path.name for path in workspace.iterdir())
        told = model.outcome._asdict() if model.outcome else None
        more = {"turns": model.turns, "asked": daemon.asked() if daemon else 0, "remembered": _remembered(home)}
        print(json.dumps({"created": created, "told": told, "said": client[1][-3000:], "exit": client[0], **more}))


def _move_account(home: Path) -> None:
    """Make it the home folder of this account in the account database (passwd(5)), inside this mount namespace: what variables say of it
    is not all that a hook and a daemon go by."""
    lines = [line.split(":") for line in Path("/etc/passwd").read_text().splitlines()]
    moved = [[*line[:5], str(home), *line[6:]] if line[2] == str(os.getuid()) else line for line in lines]
    accounts = home.parent / "passwd"
    accounts.write_text("".join([":".join(line) + "\n" for line in moved]))
    subprocess.run(["mount", "--bind", accounts, "/etc/passwd"], check=True)


def _filled(text: str, places: dict[str, Any]) -> str:
    for name, place in places.items():
        text = text.replace(f"{{{name}}}", str(place))
    return text


def _write(home: Path, files: Any) -> None:
    for name, text in files.items():
        target = home / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)


def _hook(agent: str, run: dict[str, Any], home: Path) -> dict[str, str]:
    """The settings file that registers the hook."""
    place = TARGETS[agent].user
    if "handler" in run:
        assert agent == "claude-code"
        return {place.path: json.dumps({"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [run["handler"]]}]}})}
    known = home / place.path
    before = known.read_text() if known.exists() else ""
    text = place.install(before, agent, run["options"])
    return {place.path: broken(text, run.get("broken", ""), home)}


@contextlib.contextmanager
def _daemon(run: dict[str, Any], home: Path) -> Iterator[Daemon | None]:
    if run.get("daemon") == "alive":
        with Daemon(home / "daemon.sock", run["serve"]) as daemon:
            yield daemon
    else:
        if run.get("daemon") == "dead":
            with socket.socket(socket.AF_UNIX) as listener:
                listener.bind(str(home / "daemon.sock"))
                listener.listen()
        yield None


@contextlib.contextmanager
def _model(program: Program, run: dict[str, Any]) -> Iterator[ScriptedModel]:
    call = run["call"] if "call" in run else program.shell(run["shell"])
    with ScriptedModel(program.dialect(), call) as model:
        threading.Thread(target=model.serve_forever, daemon=True).start()
        yield model
        model.shutdown()


def _converse(program: Program, place: Run) -> tuple[int | None, str]:
    """Exit status (None where the client did not end) and what the client said."""
    with tempfile.TemporaryFile("w+", dir=place.home.parent) as said:
        client = subprocess.Popen(
            program.command(place), cwd=place.workspace, env=_environment(program, place), stdin=subprocess.DEVNULL,
            stdout=said, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        status: int | None
        try:
            status = client.wait(LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            status = None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(client.pid, signal.SIGKILL)
        client.wait()
        said.seek(0)
        return status, said.read()


def _remembered(home: Path) -> list[int]:
    path = home / "sessions.db"
    return [Store(path).read(session).calls for session, _ in Store(path).ids()] if path.exists() else []


def _environment(program: Program, place: Run) -> dict[str, str]:
    return {
        "HOME": str(place.home),
        "PATH": os.environ["PATH"],
        "LANG": "C.UTF-8",
        "SHELL": "/bin/bash",
        "TERM": "dumb",
        "TMPDIR": str(place.home.parent),
        "NO_COLOR": "1",
        **program.environment(place),
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
