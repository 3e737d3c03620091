"""Tool declarations: which names are one tool, and which are tools of their own."""

from __future__ import annotations

import pytest

from remit import Engine, Request
from remit.paths import NoFiles

POLICY = """\
policy t.tools for org
tool one, two { subject path: path does fs.read }
tool uno, une = one {}
tool deux = two { subject path }
deny only-une: une(./b)
allow first: one(./a)
"""


@pytest.mark.parametrize(
    ("tool", "path", "decision"),
    [
        ("one", "a", "allow"),
        ("uno", "a", "allow"),  # another name of the same tool
        ("two", "a", "ask"),  # declared beside it: a tool of its own, for which nobody said a word
        ("deux", "a", "ask"),
        ("une", "b", "deny"),
        ("uno", "b", "ask"),  # a rule for an agent's own name is about that name
    ],
)
def test_a_rule_holds_for_the_names_of_its_tool(tool: str, path: str, decision: str) -> None:
    engine = Engine.from_source(POLICY, files=NoFiles())
    verdict = engine.decide(Request(tool, {"path": path}, cwd="/w", workspace=["/w"], home="/h"))
    assert verdict.decision == decision, verdict.reason
