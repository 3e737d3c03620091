"""Steps of a host around a decision: stricter, never looser."""

from __future__ import annotations

from typing import Any

import pytest

from remit import Engine, Request
from remit.paths import NoFiles
from remit.pipeline import After, Ask, Before, Block, Change, Pipeline

POLICY = "policy p.x for org\nuse std\ndeny no-rm: Bash(rm *)\nallow looking: Bash(ls *)\n"
CANCELLED = {"run-2"}


def request(command: str, **changes: Any) -> Request:
    return Request("Bash", {"command": command}, cwd="/w", workspace=["/w"], home="/h")._replace(**changes)


def judged(command: str, *steps: Before, **changes: Any) -> tuple[str, Any]:
    engine = Engine.from_source(POLICY, files=NoFiles())
    pipeline = Pipeline(engine, [(f"s{at}", step) for at, step in enumerate(steps)])
    call, verdict = pipeline.judge(request(command, **changes))
    return verdict.decision, call.input["command"]


def changes_to(command: str) -> Before:
    return lambda _request: Change({"command": command})


def cancelling(call: Request) -> Block | None:
    return Block("the run was cancelled") if call.session in CANCELLED else None


def breaks(_request: Request) -> None:
    raise KeyError("x")


@pytest.mark.parametrize(
    ("command", "steps", "changes", "decision", "runs"),
    [
        ("ls", [], {}, "allow", "ls"),
        ("ls", [lambda _: None], {}, "allow", "ls"),
        ("ls", [lambda _: Block("no")], {}, "deny", "ls"),
        ("ls", [changes_to("rm x")], {}, "deny", "rm x"),  # judged as changed
        ("rm x", [changes_to("ls")], {}, "allow", "ls"),
        ("rm x", [changes_to("ls"), changes_to("ls -l")], {}, "allow", "ls -l"),
        ("ls", [lambda _: Block("no"), changes_to("ls -l")], {}, "deny", "ls"),  # the first block ends it
        ("ls", [lambda _: Ask("sure?")], {}, "ask", "ls"),
        ("rm x", [lambda _: Ask("sure?")], {}, "deny", "rm x"),
        ("make", [lambda _: Ask("sure?")], {}, "ask", "make"),
        ("ls", [lambda _: Ask("sure?")], {"interactive": False}, "deny", "ls"),
        ("ls", [lambda _: Ask("sure?")], {"agent_kind": "silent"}, "deny", "ls"),
        ("ls", [lambda _: Ask("sure?")], {"mode": "dontAsk"}, "deny", "ls"),
        ("ls", [lambda _: Ask("sure?"), changes_to("rm x")], {}, "deny", "rm x"),
        ("ls", [breaks], {}, "deny", "ls"),
        ("ls", [lambda _: True], {}, "deny", "ls"),
        ("ls", [cancelling], {"session": "run-1"}, "allow", "ls"),
        ("ls", [cancelling], {"session": "run-2"}, "deny", "ls"),
    ],
)  # fmt: skip
def test_steps(command: str, steps: list[Any], changes: dict[str, Any], decision: str, runs: str) -> None:
    assert judged(command, *steps, **changes) == (decision, runs)


def test_the_output_goes_through_all_steps_in_order() -> None:
    def masks(_request: Request, output: Any) -> Any:
        return str(output).replace("secret", "***")

    def cuts(_request: Request, output: Any) -> Any:
        return str(output)[:8]

    steps: list[tuple[str, After]] = [("mask", masks), ("cut", cuts)]
    pipeline = Pipeline(Engine.from_source(POLICY), after=steps)
    assert pipeline.output(request("ls"), "a secret and more") == "a *** an"


def test_a_reason_names_the_step() -> None:
    pipeline = Pipeline(Engine.from_source(POLICY), [("quota", lambda _: Block("too many"))])
    reason = pipeline.judge(request("ls")).verdict.reason
    assert (reason.code, reason.rule, reason.message) == ("rule", "step:quota", "too many")
