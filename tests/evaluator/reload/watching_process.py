"""A process that watches a policy path and prints each revision that comes in force; a line on its input ends it."""

from __future__ import annotations

import sys

from remit.reload.watched import Watched

if __name__ == "__main__":
    with Watched(sys.argv[1], on_change=lambda program: print(program.revision, flush=True)):
        sys.stdin.readline()
