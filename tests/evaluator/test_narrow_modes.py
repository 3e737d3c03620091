"""Modes that take narrow allows only, and guards that a classifier may answer."""

from __future__ import annotations

import pytest

from remit.engine import Engine
from remit.explain import explain
from remit.files import NoFiles
from remit.request import Request, Session
from remit.verdict import Verdict
from remit_dsl.checker import check
from remit_dsl.policy import PolicySource
from remit_dsl.source import Source

POLICY = """policy p for org
use std
set tools = words { make, py* }
allow scripts: Bash(npm run *), Bash(python3 *), Bash(@tools *), Bash(python3 -m pytest *), Bash(sudo *)
allow anything: exec(*)
allow accesses: exec(wc), exec(rm), fs.read(./**), fs.delete(**), fs.delete(./build/**), net.connect(*)
allow sandbox: Bash(ruby *) when request.user == "root"
allow remotely: Bash(bash -c *)
default allow exec(perl)
"""
ENGINE = Engine.from_source(POLICY, files=NoFiles())
CALL = Request("Bash", {}, cwd="/w", workspace=("/w",), home="/h", user="root", mode="auto")


def decided(command: str, **changes: object) -> Verdict:
    return ENGINE.decide(CALL._replace(input={"command": command}, **changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("command", "default", "auto"),
    [
        ("npm run build", "allow", "allow"),
        ("python3 x.py", "allow", "ask"),
        ("python3 -m pytest -q", "allow", "allow"),
        ("make all", "allow", "ask"),
        ("sudo npm run build", "allow", "ask"),
        ("sort a", "allow", "ask"),
        ("wc a", "allow", "allow"),
        ("rm build/x", "allow", "allow"),
        ("rm x", "allow", "ask"),
        ("ruby x.rb", "allow", "ask"),
        ("npm run build && python3 x.py", "allow", "ask"),
        ("timeout 5 python3 x.py", "allow", "ask"),
        ("curl https://a.example", "allow", "ask"),
    ],
)
def test_broad_allows_are_set_aside(command: str, default: str, auto: str) -> None:
    """In the mode `auto`, and there only; of a rule the targets that are narrow still count."""
    assert (decided(command, mode="default").decision, decided(command).decision) == (default, auto)


def test_what_is_set_aside_is_the_classifiers_to_answer() -> None:
    assert decided("python3 x.py", classifier="allow").reason.code == "classifier"
    assert decided("python3 x.py", classifier="deny").decision == "deny"


def test_explain_says_so() -> None:
    facts = ENGINE.observe(CALL._replace(input={"command": "python3 x.py"}))
    lines = {line.rule: line.set_aside for line in explain(ENGINE.program, facts).units[0].rules}
    assert lines["scripts"]
    assert not {line.rule for line in explain(ENGINE.program, facts).units[0].rules if line.effect != "allow"}
    facts = ENGINE.observe(CALL._replace(input={"command": "python3 -m pytest"}))
    assert not next(line for line in explain(ENGINE.program, facts).units[0].rules if line.rule == "scripts").set_aside


def test_whoever_may_not_loosen_may_not_forbid_the_mode() -> None:
    """Without it the broad rules would count again."""
    files = [Source("a.remit", "policy a for org\nuse std\nlower tiers may deny\n")]
    files.append(Source("b.remit", "policy b for team\nuse std\nforbid mode auto\n"))
    found = [item.code for item in check([PolicySource(file) for file in files]).diagnostics]
    assert found == ["W601"]


# --- guards -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "allowed"),
    [
        ("echo x > .git/hooks/pre-commit", True),
        ("echo x > .claude/settings.json", True),
        ("echo x > .vscode/tasks.json", True),
        ("echo x >> ~/.bashrc", True),
        ("echo x > org.remit", False),
        ("echo x > .git/org.remit", False),
        ("echo x >> ~/.ssh/authorized_keys", False),
        ("echo x > /etc/cron.d/x", False),
        ("remit trust .", False),
        ("echo x > .git/hooks/pre-commit; echo x >> ~/.ssh/authorized_keys", False),
        ("echo x > .git/hooks/pre-commit; echo 'x", False),
        ('echo x > .git/hooks/"$NAME".remit', False),
    ],
)
def test_which_guards_a_classifier_may_answer(command: str, allowed: bool) -> None:
    """Those of editors, repositories, agents and shells; of several that ask the one that it may not answer speaks."""
    assert decided(command).decision == "ask"
    assert decided(command).open is allowed
    assert decided(command, classifier="allow").decision == ("allow" if allowed else "ask")
    assert decided(command, mode="default", classifier="allow").decision == "ask"
    assert decided(command, mode="bypass", classifier="allow").decision == "ask"


def test_the_denial_limit_takes_the_guard_back() -> None:
    verdict = decided("echo x > .git/hooks/x", classifier="allow", session=Session("s", consecutive_denials=3))
    assert (verdict.decision, verdict.reason.code, verdict.end_run) == ("ask", "denial_limit", True)


def test_a_deny_that_may_match_is_no_guard() -> None:
    engine = Engine.from_source(POLICY + "deny hooks: fs.write(**/hooks/**)\n", files=NoFiles())
    call = CALL._replace(input={"command": 'echo x > .git/"$A"/x'}, classifier="allow")
    verdict = engine.decide(call)
    assert (verdict.decision, verdict.reason.code) == ("ask", "uncertain")
