"""What a command really does, by strace(1): which files it reads, writes and deletes, what it runs, what it connects to."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

TIME_LIMIT = 60.0
_CALLS = (
    "trace=open,openat,creat,truncate,rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat,link,linkat,"
    "symlink,symlinkat,mknod,mknodat,chmod,fchmodat,execve,connect,chdir,fchdir,clone,clone3,fork,vfork"
)
_LINE = re.compile(r"^(\d+) +(.*)$")
_CALL = re.compile(r"^(\w+)\((.*)\) += (-?\d+|\?)")
_TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"(\.\.\.)?')
_FOLDER = re.compile(r"(?:AT_FDCWD|\d+)<([^>]*)>")
_ADDRESS = re.compile(r'sin_port=htons\((\d+)\), sin_addr=inet_addr\("([^"]+)"\)')
_ESCAPE = re.compile(r"\\(x[0-9a-f]{2}|[0-7]{1,3}|.)")
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "v": "\v", "f": "\f"}


class Seen(NamedTuple):
    """One thing that happened. kind: `read`, `list` (a folder), `write`, `delete`, `run`, `connect`; target: a path or `host:port`."""

    kind: str
    target: str


class Trace(NamedTuple):
    """What a command did, and how it ended: the exit status, or None when it took too long."""

    seen: frozenset[Seen]
    status: int | None


def can_trace() -> bool:
    """Whether strace is here and may trace (a container may forbid ptrace(2))."""
    if shutil.which("strace") is None:
        return False
    return subprocess.run(["strace", "-qq", "-o", os.devnull, "true"], capture_output=True, check=False).returncode == 0


def trace(command: str, folder: Path, environment: Mapping[str, str], log: Path) -> Trace:
    """Run a bash command in `folder`, in a session of its own that is ended with it."""
    process = subprocess.Popen(
        [
            "strace",
            "-f",
            "--seccomp-bpf",
            "-y",
            "-qq",
            "-s",
            "300",
            "-e",
            _CALLS,
            "-o",
            str(log),
            "bash",
            "-c",
            command,
        ],
        cwd=folder,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    status: int | None
    try:
        status = process.wait(TIME_LIMIT)
    except subprocess.TimeoutExpired:
        status = None
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return Trace(frozenset(_events(log.read_text(encoding="utf-8", errors="replace"), str(folder))), status)


def _events(text: str, folder: str) -> Iterator[Seen]:
    """The things that happened, by the lines of a log. Each process starts where the one that made it was."""
    folders: dict[str, str] = {}
    pending: dict[str, str] = {}
    maker = ""
    for line in text.splitlines():
        split = _LINE.match(line)
        if split is None:
            continue
        process, call = split.groups()
        if process not in folders:
            folders[process] = folders.get(maker, folder)
        if call.startswith(("clone", "fork", "vfork")):
            maker = process
        if call.endswith("<unfinished ...>"):
            pending[process] = call.removesuffix("<unfinished ...>").rstrip()
            continue
        resumed = re.match(r"<\.\.\. \w+ resumed>(.*)$", call)
        if resumed is not None:
            call = pending.pop(process, "") + resumed[1]
        yield from _event(call, process, folders)


def _event(call: str, process: str, folders: dict[str, str]) -> Iterator[Seen]:
    found = _CALL.match(call)
    if found is None or found[3] == "?":
        return
    name, arguments, result = found[1], found[2], int(found[3])
    if name == "connect":
        address = _ADDRESS.search(arguments)
        if address is not None and address[1] != "0" and (result == 0 or "EINPROGRESS" in call):
            yield Seen("connect", f"{address[2]}:{address[1]}")
        return
    if result < 0:
        return
    paths = _paths(arguments, folders[process])
    if name in ("clone", "clone3", "fork", "vfork"):
        folders[str(result)] = folders[process]
    elif name == "chdir":
        folders[process] = paths[0]
    elif name == "fchdir":
        folders[process] = _FOLDER.findall(arguments)[0]
    elif name in ("open", "openat"):
        yield from _opened(paths[0], arguments)
    else:
        yield from _changed(name, paths, arguments)


def _opened(path: str, arguments: str) -> Iterator[Seen]:
    if "O_DIRECTORY" in arguments and "O_TMPFILE" not in arguments:
        yield Seen("list", path)
        return
    if "O_PATH" in arguments:
        return
    if "O_RDONLY" in arguments or "O_RDWR" in arguments:
        yield Seen("list" if os.path.isdir(path) else "read", path)
    if any(flag in arguments for flag in ("O_WRONLY", "O_RDWR", "O_CREAT")):
        yield Seen("write", path)


def _changed(name: str, paths: list[str], arguments: str) -> Iterator[Seen]:
    if name == "execve":
        yield Seen("run", paths[0])
    elif name in ("unlink", "unlinkat", "rmdir"):
        yield Seen("delete", paths[0])
    elif name.startswith("rename"):
        yield Seen("delete", paths[0])
        yield Seen("write", paths[1])
    elif name.startswith(("link", "symlink")):
        yield Seen("write", paths[-1])
    else:  # creat, truncate, mkdir, mknod, chmod
        yield Seen("write", paths[0])


def _paths(arguments: str, folder: str) -> list[str]:
    """The paths among the arguments of a call, absolute: each text behind the descriptor of its folder, else seen from `folder`."""
    found, at, base = [], 0, folder
    for match in _TEXT.finditer(arguments):
        named = _FOLDER.search(arguments[at : match.start()])
        base = named[1] if named is not None else folder
        found.append(os.path.normpath(os.path.join(base, _plain(match[1]))))
        at = match.end()
    return found


def _plain(text: str) -> str:
    """A text as strace writes it, without its escapes."""
    if "\\" not in text:
        return text
    raw = _ESCAPE.sub(_escaped, text)
    return raw.encode("latin-1", errors="replace").decode("utf-8", errors="replace")


def _escaped(match: re.Match[str]) -> str:
    escape = match[1]
    if escape[0] == "x":
        return chr(int(escape[1:], 16))
    if escape[0].isdigit():
        return chr(int(escape, 8))
    return _PLAIN.get(escape, escape)
