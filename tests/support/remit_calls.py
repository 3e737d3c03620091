"""What a call of the command line gives back; how tests name the fixture that makes one."""

from __future__ import annotations

import json
from typing import Any, NamedTuple, Protocol


class Result(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Remit(Protocol):
    def __call__(self, *arguments: str, stdin: bytes = b"") -> Result: ...
