"""The requests in docs/daemon.md are answered as it says; `"…"` stands for anything."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from daemon_process import Daemon

DOCUMENT = Path(__file__).parents[3] / "docs" / "daemon.md"
UNIT = DOCUMENT.parent / "systemd" / "remit.service"
EXAMPLES = re.findall(r"```http\n(GET|POST) (\S+)\n(.*?)\n\n?(\d{3})\n(.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL)


def is_like(found: Any, told: Any) -> bool:
    if told == "…":
        return True
    if isinstance(told, dict):
        return isinstance(found, dict) and found.keys() == told.keys() and all(is_like(found[k], told[k]) for k in told)
    if isinstance(told, list):
        return isinstance(found, list) and len(found) == len(told) and all(map(is_like, found, told))
    return bool(found == told)


@pytest.mark.parametrize(("method", "path", "body", "status", "told"), EXAMPLES)
def test_an_example(daemon: Daemon, method: str, path: str, body: str, status: str, told: str) -> None:
    answer = daemon.get(path) if method == "GET" else daemon.post(path, body.encode())
    assert answer.status_code == int(status)
    assert is_like(answer.json(), json.loads(told)), answer.text


def test_all_examples_are_read() -> None:
    assert len(EXAMPLES) == DOCUMENT.read_text("utf-8").count("```http\n")


def test_every_route_is_told() -> None:
    from remit.daemon.openapi import OPERATIONS

    text = DOCUMENT.read_text("utf-8").replace("AGENT", "{agent}").replace("MODE", "{mode}")
    assert [operation.path for operation in OPERATIONS if operation.path not in text] == []


def test_the_unit_starts_the_daemon_with_options_that_it_has() -> None:
    from remit.cli.serve import command

    known = {option for parameter in command.params for option in parameter.opts}
    assert set(re.findall(r"(--[a-z-]+) ", UNIT.read_text("utf-8"))) <= known
