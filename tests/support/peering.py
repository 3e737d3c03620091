"""Systems that decide beside remit: how they are asked, and how two decisions on one call are compared and counted.

A peer runs as a process of its own, in a session of its own, which ends with the test. What it needs is installed once, into a cache
folder (REMIT_PEERS_CACHE, default ~/.cache/remit-peers).
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from remit import Engine, Verdict
from remit.files import NoFiles
from remit_dsl.compiler import compile_policies
from remit_dsl.program import Program
from remit_dsl.source import Source

CACHE = Path(os.environ.get("REMIT_PEERS_CACHE", Path.home() / ".cache" / "remit-peers"))
INSTALL_SECONDS = 600
ANSWER_SECONDS = 60
_ORDER = {"allow": 0, "ask": 1, "deny": 2}


def installed(name: str, *commands: Sequence[str | Path]) -> Path:
    """The peer's folder in the cache, filled by the commands (`{}`: the folder) unless that was done before. Raises CalledProcessError."""
    folder = CACHE / name
    done = folder / "installed"
    if not done.exists():
        folder.mkdir(parents=True, exist_ok=True)
        for command in commands:
            words = [str(word).replace("{}", str(folder)) for word in command]
            subprocess.run(words, check=True, timeout=INSTALL_SECONDS, stdout=subprocess.DEVNULL)
        done.touch()
    return folder


class Peer:
    """A process that answers each line of JSON with another."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def ask(self, question: Any) -> Any:
        """The answer to a question. Raises RuntimeError where none comes in time."""
        sent, answers = self._process.stdin, self._process.stdout
        assert sent is not None
        assert answers is not None
        timer = threading.Timer(ANSWER_SECONDS, _end, [self._process])
        timer.start()
        try:
            sent.write(json.dumps(question) + "\n")
            sent.flush()
            line = answers.readline()
        finally:
            timer.cancel()
        if not line:
            raise RuntimeError(f"the peer gave no answer to {question}")
        return json.loads(line)


@contextlib.contextmanager
def peer(command: Sequence[str | Path], folder: Path, environment: dict[str, str]) -> Iterator[Peer]:
    """The peer, until the end of the block; what it complains of goes to a file in `folder`, where it runs."""
    with (folder.parent / "peer.log").open("w") as log:
        process = subprocess.Popen(
            [str(word) for word in command], cwd=folder, env={"PATH": os.environ["PATH"], **environment},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True,
        )  # fmt: skip
        try:
            yield Peer(process)
        finally:
            _end(process)
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    with contextlib.suppress(OSError):
                        stream.close()


def _end(process: subprocess.Popen[str]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def engine_of(*policies: str) -> Engine:
    """The engine of policy texts, on a machine without files."""
    program = compile_policies([Source(f"{place}.remit", text) for place, text in enumerate(policies)])
    assert isinstance(program, Program), program
    return Engine(program, files=NoFiles(), second_opinion="off")


class Tally:
    """How decisions compare: how many calls, how many decided alike, stricter by the reason of remit's, and every looser one.

    again: the peer's decision on a call, spelled plainly. A peer that compares text may ask about one spelling, and allow another of
    the same words; then the two are alike in plain words.
    """

    def __init__(self, again: Callable[[Any], str]) -> None:
        self._again = again
        self.equal = 0
        self.respelled = 0
        self.stricter: Counter[str] = Counter()
        self.looser: list[str] = []

    def add(self, theirs: str, verdict: Verdict, call: Any) -> None:
        """Counts a call that the peer decided as allow, ask or deny."""
        difference = _ORDER[verdict.decision] - _ORDER[theirs]
        if not difference:
            self.equal += 1
        elif difference > 0:
            self.stricter[verdict.reason.code] += 1
        elif _ORDER[verdict.decision] >= _ORDER[self._again(call)]:
            self.respelled += 1
        else:
            self.looser.append(f"{theirs} there, {verdict.decision} here ({verdict.reason.code}): {call}")

    def row(self, name: str) -> str:
        """The line of the table in docs/peers.md."""
        by_count = sorted(self.stricter.items(), key=lambda each: (-each[1], each[0]))
        stricter = ", ".join(f"{count} {code}" for code, count in by_count) or "none"
        more = self.stricter.total()
        total = self.equal + self.respelled + more + len(self.looser)
        return f"| {name} | {total} | {self.equal} | {self.respelled} | {more} | {stricter} | {len(self.looser)} |"


def check_row(path: Path, name: str, row: str, update: bool) -> None:
    """Compares a row with the one that stands in the table; `update`: writes it."""
    lines = path.read_text().splitlines()
    places = [place for place, line in enumerate(lines) if line.startswith(f"| {name} |")]
    assert len(places) == 1, f"{path} has no row for {name}"
    if update:
        lines[places[0]] = row
        path.write_text("\n".join(lines) + "\n")
    assert row == lines[places[0]], "run with --update-golden and look at the difference"
