"""What all tests of Python hosts share: a policy, a gate, and a tool that remembers that it ran."""

from __future__ import annotations

from remit import Engine, Request
from remit.hosts.gate import Gate
from remit.paths import NoFiles

POLICY = """\
policy acme.host for org
use std
tool run = Bash { subject command }
deny no-rm: Bash(rm *) because "Nothing is removed here."
ask publishing: Bash(git push *) because "A person publishes."
allow looking: Bash(ls *), Bash(echo *)
"""


class Ran(list[str]):
    """The commands that a tool really ran."""

    def __call__(self, command: str) -> str:
        self.append(command)
        return f"ran {command}"


def gate(policy: str = POLICY) -> Gate:
    return Gate(Engine.from_source(policy, files=NoFiles()), Request("", cwd="/w", workspace=["/w"], home="/h"))
