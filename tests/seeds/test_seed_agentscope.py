"""What AgentScope 2's permission system does, done by its profile and importer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from remit.importers import convert
from remit.sessions.updates import Update, applied

CONTEXT = {
    "mode": "accept_edits",
    "working_directories": {"/w/more": {"path": "/w/more", "source": "userSettings"}},
    "allow_rules": {
        "Bash": [{"tool_name": "Bash", "rule_content": "npm run:*", "behavior": "allow", "source": "userSettings"}],
        "Write": [{"tool_name": "Write", "rule_content": "src/**", "behavior": "allow", "source": "userSettings"}],
    },
    "deny_rules": {
        "Bash": [{"tool_name": "Bash", "rule_content": "rm:*", "behavior": "deny", "source": "userSettings"}],
    },
    "ask_rules": {
        "Read": [{"tool_name": "Read", "rule_content": "docs/*.md", "behavior": "ask", "source": "session"}],
    },
}


# --- modes ----------------------------------------------------------------------------------------------------------

MODES = {
    "default": ("allow", "ask", "ask", "ask", "ask"),
    "accept_edits": ("allow", "allow", "allow", "ask", "ask"),
    "explore": ("allow", "deny", "deny", "deny", "deny"),
    "bypass": ("allow", "allow", "allow", "allow", "allow"),
    "dont_ask": ("allow", "deny", "deny", "deny", "deny"),
}


@pytest.mark.parametrize("mode", MODES)
def test_modes(profile: Any, mode: str) -> None:
    """A command that reads, an edit and a file command inside the folder, one outside, a file that decides what runs later."""
    decide = profile("agentscope")
    calls: list[tuple[Any, ...]] = [
        ("git status",),
        ("Write", {"file_path": "src/a"}),
        ("mkdir -p build && cp a build/a",),
        ("touch /tmp/x",),
        ("Write", {"file_path": "/h/.bashrc"}),
    ]
    assert tuple(decide(*call, mode=mode).decision for call in calls) == MODES[mode]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("rule", "decision"), [("deny", ("deny",)), ("ask", ("ask", "deny"))])
def test_deny_and_ask_rules_hold_in_every_mode(profile: Any, mode: str, rule: str, decision: tuple[str, ...]) -> None:
    decide = profile("agentscope", f"{rule} mine: Bash(git status *)\n")
    assert decide("git status", mode=mode).decision in decision
    assert decide("git status", mode=mode).reason.rule == "mine"


@pytest.mark.parametrize("mode", ["default", "accept_edits"])
def test_no_allow_rule_lifts_a_safety_question(profile: Any, mode: str) -> None:
    decide = profile("agentscope", "allow all: Write, fs.write(**), Bash(rm *)\n")
    for call in (("Write", {"file_path": "/h/.bashrc"}), ("rm -rf /srv/x",)):
        verdict = decide(*call, mode=mode)
        assert (verdict.decision, verdict.reason.code) == ("ask", "rule")
        assert verdict.reason.rule != "all"


def test_bypass_skips_safety_questions_and_nothing_else(profile: Any) -> None:
    decide = profile("agentscope", "deny start-up: fs.write(~/.bashrc)\n")
    assert decide("Write", {"file_path": "/h/.zshrc"}, mode="bypass").decision == "allow"
    assert decide("Write", {"file_path": "/h/.bashrc"}, mode="bypass").decision == "deny"


def test_a_mode_is_changed_at_run_time_and_rules_stay(sessions: Any, call: Any) -> None:
    engine = sessions("policy p for org\nuse std\nuse std.reading\n")
    change = engine.store.change
    change("s", lambda state: applied(state, Update("addRules", ("allow Bash(npm run *)",))))
    seen = []
    for mode in ("explore", "accept_edits", "dont_ask"):
        change("s", lambda state, mode=mode: applied(state, Update("setMode", mode=mode)))
        seen.append([engine.decide(call(command, session="s")).decision for command in ("npm run x", "make")])
    assert seen == [["deny", "deny"], ["allow", "ask"], ["allow", "deny"]]


# --- commands that read ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "command",
    [
        "ls -la", "cat a | head -3", "tail a", "grep -rn x .", "rg x", "find . -name a", "tree", "stat a", "wc a", "pwd",
        "which x", "git status && git log", "git diff", "git show", "git branch", "git blame a", "docker ps", "docker images",
    ],
)  # fmt: skip
def test_reading_commands_run_in_every_mode(profile: Any, mode: str, command: str) -> None:
    assert profile("agentscope")(command, mode=mode).decision == "allow"


@pytest.mark.parametrize("command", ["ls && rm x", "ls > files.txt", "ls >> files.txt", "find . -delete", "ls $(rm x)"])
def test_one_part_that_changes_something_makes_all_of_it_no_reading(profile: Any, command: str) -> None:
    assert profile("agentscope")(command).decision == "ask"
    assert profile("agentscope")(command, mode="explore").decision == "deny"


# --- rules ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "decision"),
    [
        (("npm run build",), "allow"),
        (("npm install",), "ask"),
        (("npm runx",), "ask"),
        (("ls && rm x",), "deny"),
        (("Write", {"file_path": "src/a/b.py"}), "allow"),
        (("Write", {"file_path": "x.py"}), "ask"),
        (("Read", {"file_path": "docs/a.md"}), "ask"),
    ],
)
def test_a_context_becomes_a_policy(deciding: Any, call: tuple[Any, ...], decision: str) -> None:
    """`PREFIX:*` for commands, globs for files, by tool."""
    assert deciding(convert("agentscope", json.dumps(CONTEXT)))(*call).decision == decision


def test_parameters_of_other_tools_are_compared_exactly(deciding: Any) -> None:
    """A rule for a tool with one parameter; what cannot be said so asks or is left out, with a note."""
    decide = deciding('policy p for org\nuse std\nallow exact: mcp__x__y when input.query == "hello"\n')
    assert decide("mcp__x__y", {"query": "hello"}).decision == "allow"
    assert decide("mcp__x__y", {"query": "hello "}).decision == "ask"


def test_working_directories_are_part_of_the_workspace(profile: Any) -> None:
    decide = profile("agentscope")
    for folders, decision in ((("/w",), "ask"), (("/w", "/more"), "allow")):
        assert decide("touch /more/x", mode="accept_edits", workspace=folders).decision == decision
        verdict = decide("Write", {"file_path": "/more/x"}, mode="accept_edits", workspace=folders)
        assert verdict.decision == decision


def test_every_target_of_a_file_command_must_lie_inside(profile: Any) -> None:
    decide = profile("agentscope")
    assert decide("cp a b", mode="accept_edits").decision == "allow"
    assert decide("cp a /tmp/b", mode="accept_edits").decision == "ask"
    assert decide("mv b ../b", mode="accept_edits").decision == "ask"
    assert decide("sed -i s/a/b/ x /etc/hosts", mode="accept_edits").decision == "ask"


def test_an_accepted_rule_is_kept_across_processes(sessions: Any, call: Any) -> None:
    policy = "policy p for org\nuse std\n"
    first = sessions(policy)
    [suggestion] = first.decide(call("npm run build", session="s")).suggestions
    first.store.change("s", lambda state: applied(state, Update("addRules", (suggestion["rule"],))))
    assert sessions(policy).decide(call("npm run test", session="s")).decision == "allow"
    assert sessions(policy).decide(call("npm run test", session="other")).decision == "ask"
