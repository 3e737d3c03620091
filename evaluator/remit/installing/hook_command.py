"""The command line that an agent runs for every call: absolute, isolated from the workspace, and refusing whatever fails."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Sequence

from remit import launch

# Above what the hook gives itself (`remit.hook.DEADLINE_S`): the client lets a call through when its own time is over.
TIMEOUT_SECONDS = 10
# `… launch.py' hook AGENT …`, `… -m remit hook AGENT …`
_OURS = re.compile(r"(?:/remit/launch\.py'?|-m remit) hook ([a-z-]+)")


def hook_words(agent: str, options: Sequence[str]) -> list[str]:
    """The hook as words: interpreter, launcher, agent, options."""
    return [sys.executable, "-I", "-S", launch.__file__, "hook", agent, *options]


def hook_command(agent: str, options: Sequence[str]) -> str:
    """The hook for `sh -c`: an answer is passed on once it is complete, and everything else (a missing interpreter, a process that was
    killed, half an answer, or one that could not be passed on) is exit code 2 with a reason, which refuses the call in every client that
    runs commands."""
    words = shlex.join(hook_words(agent, options))
    refused = "echo 'remit: refused, or the hook failed' >&2; exit 2"
    # A shell that is bash takes functions from variables, and a project's settings may set those; `unset` is none that they can replace
    # (bash(1) "POSIX mode": special builtins are found before functions).
    return f"unset -f printf; out=$({words}) && printf '%s' \"$out\" && exit 0; {refused}"


def agent_of(command: object) -> str:
    """Which agent's hook a command is, "" for a command of somebody else."""
    found = _OURS.search(command) if isinstance(command, str) else None
    return found[1] if found else ""


def words_of(command: str) -> list[str]:
    """The words of the hook inside a command of `hook_command`, or the command's own; [] for what cannot be read."""
    inner = command.partition("out=$(")[2].partition(") && ")[0] or command
    try:
        return shlex.split(inner)
    except ValueError:
        return []
