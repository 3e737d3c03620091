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


TRAITS = """\
policy t.traits for org
tool note { subject text: text  uninterruptible }
tool look { readonly  concurrent }
tool fetch { subject url: url does net.connect  aborts-siblings  concurrent }
tool glance = look { }
tool gaze = look { uninterruptible }
"""


@pytest.mark.parametrize(
    ("tool", "traits"),
    [
        ("note", ("uninterruptible",)),
        ("look", ("concurrent",)),
        ("fetch", ("aborts-siblings", "concurrent")),
        ("glance", ("concurrent",)),
        ("gaze", ("uninterruptible",)),
    ],
)
def test_a_host_can_ask_for_the_traits_of_a_tool(tool: str, traits: tuple[str, ...]) -> None:
    found = Engine.from_source(TRAITS).program.tool(tool)
    assert found is not None
    assert found.traits == traits


def test_traits_decide_nothing() -> None:
    plain = Engine.from_source(TRAITS.replace("uninterruptible", "").replace("concurrent", ""), files=NoFiles())
    traits = Engine.from_source(TRAITS, files=NoFiles())
    for tool in ("note", "look", "fetch"):
        request = Request(tool, {"text": "x", "url": "https://a.example/"}, cwd="/w", home="/h")
        assert plain.decide(request).reason == traits.decide(request).reason
