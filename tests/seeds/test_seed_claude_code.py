"""What Claude Code's permission system does, done by its profile: one test for each feature that no other test shows."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from remit import Request
from remit.classifier.answers import ALLOW, DENY, TOO_LONG, UNAVAILABLE, Answer
from remit.importers import convert
from remit.sessions.updates import KINDS, Update, applied
from remit.transcript import compact
from remit_dsl.checker import check
from remit_dsl.diagnostics import has_errors
from remit_dsl.lints import lint
from remit_dsl.policy import PolicySource
from remit_dsl.program import TIERS
from remit_dsl.source import Source

HEAD = "policy t for org\nuse std\nuse std.reading\n"


class Scripted:
    """A classifier with one answer, which notes what it was asked about."""

    def __init__(self, word: str) -> None:
        self.word, self.asked, self.history = word, 0, [""]

    def classify(self, request: Request, history: list[str]) -> Answer:
        self.asked, self.history = self.asked + 1, history
        return Answer(self.word, "said so")


# --- the three answers, rules and their sources ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "decision"), [("git status", "allow"), ("npm run build", "ask"), ("git push -f", "deny")]
)
def test_three_answers_and_a_denial_says_why(deciding: Any, command: str, decision: str) -> None:
    decide = deciding(HEAD + 'deny force: Bash(git push -f *) because "Open a pull request."\n')
    verdict = decide(command)
    assert verdict.decision == decision
    assert (verdict.reason.message == "Open a pull request.") is (decision == "deny")


def test_a_rule_of_any_source_counts_and_says_where_it_comes_from() -> None:
    """Five tiers stand for the eight sources: managed, user, project and local settings, flags, arguments, commands, session."""
    files = []
    for tier in TIERS:
        text = f"policy {tier}.p for {tier}\nuse std\ndeny {tier}-rule: Bash({tier}-tool *)\n"
        files.append(PolicySource(Source(f"{tier}.remit", text), tier))
    checked = check(files)
    assert not has_errors(checked.diagnostics)
    rows = [row for done in checked.checked.values() for _, row in done.rules if row[0].endswith("-rule")]
    assert sorted((row[0], row[14], row[15]) for row in rows) == sorted(
        (f"{tier}-rule", tier, f"{tier}.remit:3") for tier in TIERS
    )


def test_no_source_lifts_a_deny_of_another(deciding: Any) -> None:
    """Denials stand before permissions, whoever wrote which."""
    decide = deciding(HEAD + "allow all: Bash(*)\ndeny push: Bash(git push *)\n")
    assert decide("git push", mode="bypassPermissions").decision == "deny"


# --- the ladder -----------------------------------------------------------------------------------------------------

LADDER = (
    HEAD
    + "deny whole-tool: WebSearch\nask whole-tool-asks: NotebookEdit\ndeny content: Bash(rm *)\n"
    + "ask content-asks: Bash(npm publish *)\nask talks: AskUserQuestion\nallow all: Bash(*), NotebookEdit, Write\n"
)


@pytest.mark.parametrize(
    ("call", "mode", "decision", "rule"),
    [
        (("WebSearch", {"query": "x"}), "bypassPermissions", "deny", "whole-tool"),
        (("NotebookEdit", {"notebook_path": "a.ipynb"}), "bypassPermissions", "ask", "whole-tool-asks"),
        (("rm x",), "bypassPermissions", "deny", "content"),
        (("AskUserQuestion", {}), "bypassPermissions", "ask", "talks"),
        (("npm publish",), "bypassPermissions", "ask", "content-asks"),
        (("Write", {"file_path": ".git/hooks/x"}), "bypassPermissions", "ask", "repository"),
        (("WebFetch", {"url": "https://a.example"}), "bypassPermissions", "allow", ""),
        (("make",), "default", "allow", "all"),
        (("WebFetch", {"url": "https://a.example"}), "default", "ask", ""),
    ],
    ids=["1a", "1b", "1d", "1e", "1f", "1g", "2a", "2b", "3"],
)
def test_the_ladder(deciding: Any, call: tuple[Any, ...], mode: str, decision: str, rule: str) -> None:
    """Each step in its place: what stands before `bypass` is not lifted by it."""
    verdict = deciding(LADDER)(*call, mode=mode)
    assert (verdict.decision, verdict.reason.rule) == (decision, rule)


# --- modes ----------------------------------------------------------------------------------------------------------

MODES = {
    "default": ("allow", "ask", "ask", "ask"),
    "acceptEdits": ("allow", "allow", "ask", "ask"),
    "plan": ("allow", "deny", "deny", "deny"),
    "bypassPermissions": ("allow", "allow", "allow", "ask"),
    "dontAsk": ("allow", "deny", "deny", "deny"),
    "auto": ("allow", "allow", "ask", "ask"),
    "bubble": ("allow", "ask", "ask", "ask"),
}


@pytest.mark.parametrize("mode", MODES)
def test_modes(profile: Any, mode: str) -> None:
    """Reading, an edit inside the workspace, a command, and a file that decides what runs later."""
    decide = profile("claude-code")
    calls: list[tuple[Any, ...]] = [
        ("Read", {"file_path": "src/a"}),
        ("Edit", {"file_path": "src/a"}),
        ("npm run build",),
        ("Write", {"file_path": ".claude/settings.json"}),
    ]
    assert tuple(decide(*call, mode=mode).decision for call in calls) == MODES[mode]


def test_dont_ask_is_done_at_the_one_exit(deciding: Any) -> None:
    """Whatever asked, and however early: a rule, a guard, a doubt, the lack of a rule, a piece that cannot be read."""
    decide = deciding(HEAD + "ask a: Bash(npm publish *)\ndeny b: Bash(rm *)\n")
    for command in ("npm publish", "echo x > .git/hooks/a", "$X x", "make", "echo 'x"):
        assert decide(command).decision == "ask"
        assert decide(command, mode="dontAsk").reason.code in ("non_interactive",)
        assert decide(command, mode="dontAsk").decision == "deny"


def test_a_background_agent_bubbles_or_is_refused(profile: Any) -> None:
    """In `bubble` the parent's person is asked; a silent sub-agent has nobody."""
    decide = profile("claude-code")
    assert decide("npm run build", mode="bubble", agent_kind="subagent").decision == "ask"
    assert decide("npm run build", mode="default", agent_kind="silent").decision == "deny"


# --- commands -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "decision"),
    [
        ("npm run a", "allow"),
        ("npm run a && npm run b", "allow"),
        ("npm run a && make", "ask"),
        ("npm run a; git push $(rm -rf /)", "deny"),
        ("npm run a | rm x", "deny"),
        ("if [ -f x ]; then npm run a; fi", "allow"),
        ("npm run 'a", "ask"),
        ("npm run a <<'E'\nE\n(", "ask"),
    ],
)
def test_commands_are_taken_apart(deciding: Any, command: str, decision: str) -> None:
    """Every part must be permitted, any denial denies, what hides in a substitution is seen, what cannot be read is asked."""
    assert deciding(HEAD + "allow run: Bash(npm run *)\ndeny rm: Bash(rm *)\n")(command).decision == decision


def test_the_results_of_the_parts_are_in_the_answer(deciding: Any) -> None:
    verdict = deciding(HEAD + "allow run: Bash(npm run *)\nask push: Bash(git push *)\n")("npm run a && git push")
    assert [(unit.text, unit.decision, unit.reason.rule) for unit in verdict.units] == [
        ("npm run a", "allow", "run"),
        ("git push", "ask", "push"),
    ]


@pytest.mark.parametrize("pattern", ["git *", "git:*"])
@pytest.mark.parametrize(("command", "decision"), [("git", "deny"), ("git x y", "deny"), ("gitk", "ask")])
def test_a_star_at_the_end_also_means_nothing(deciding: Any, pattern: str, command: str, decision: str) -> None:
    assert deciding(HEAD + f"deny g: Bash({pattern})\n")(command).decision == decision


# --- safety checks --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", [".git/config", ".claude/settings.json", ".vscode/tasks.json", "/h/.bashrc", "/h/.zshrc", "/h/.profile"]
)
@pytest.mark.parametrize("tool", ["Write", "Edit"])
def test_safety_checks_outlive_bypass_and_allow_and_a_classifier_may_answer_them(
    profile: Any, tool: str, path: str
) -> None:
    decide = profile("claude-code", "allow everything: Write, Edit, fs.write(**)\n")
    given = {"file_path": path}
    assert decide(tool, given, mode="bypassPermissions").reason.code == "guard"
    assert decide(tool, given, mode="default").decision == "ask"
    assert decide(tool, given, mode="auto", classifier="allow").decision == "allow"
    assert decide(tool, given, mode="auto", classifier="deny").decision == "deny"


@pytest.mark.parametrize(
    "path", ["x/../.git/config.remit", "/h/.ssh/authorized_keys", "/proc/self/cwd/p.remit", ".git//p.remit"]
)
def test_what_nobody_may_answer_automatically(profile: Any, path: str) -> None:
    """Who gets into the machine and what the policies say, however the path is written."""
    decide = profile("claude-code")
    assert decide("Write", {"file_path": path}, mode="auto", classifier="allow").decision == "ask"


def test_a_path_trick_reaches_the_same_check(profile: Any) -> None:
    """Another spelling of a guarded path is the same path."""
    decide = profile("claude-code")
    for path in ("./.git/hooks/x", "src/../.git/hooks/x", "/w/.git/hooks/x", ".git/./hooks//x"):
        assert decide("Write", {"file_path": path}, mode="bypassPermissions").reason.rule == "repository"


# --- auto -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", ["Bash(python3 *)", "Bash(node *)", "Bash(bash *)", "Bash(eval *)", "Bash(sudo *)"])
def test_auto_sets_dangerous_allow_rules_aside(profile: Any, rule: str) -> None:
    decide = profile("claude-code", f"allow dangerous: {rule}\n")
    command = rule[5:-3] + " x"
    assert decide(command, mode="auto", classifier="deny").decision == "deny"
    assert "dangerous" not in {unit.reason.rule for unit in decide(command, mode="auto").units}
    assert "dangerous" in {unit.reason.rule for unit in decide(command).units}


def test_auto_asks_the_classifier_last(sessions: Any, call: Callable[..., Request]) -> None:
    """Not about edits that `acceptEdits` takes, nor about reading; about what nobody speaks of it is asked."""
    classifier = Scripted(ALLOW)
    engine = sessions(HEAD, classifier=classifier)
    for given in (("Edit", {"file_path": "src/a"}), ("Read", {"file_path": "src/a"}), ("ls src",)):
        assert engine.decide(call(*given, mode="auto", session="s")).decision == "allow"
    assert classifier.asked == 0
    assert engine.decide(call("git push", mode="auto", session="s")).reason.code == "classifier"
    assert [json.loads(line)["call"] for line in classifier.history] == ["src/a", "src/a", "ls src"]


@pytest.mark.parametrize(
    "call", [("Task", {"prompt": "x"}), ("REPL", {"code": "x"}), ("Bash", {"command": "node x.js"})]
)
def test_no_fast_path_for_what_may_hide_anything(profile: Any, call: tuple[Any, ...]) -> None:
    """Sub-agents, code and programs that run code are the classifier's to see."""
    verdict = profile("claude-code", "allow code: exec(node)\n")(*call, mode="auto")
    assert (verdict.decision, verdict.open) == ("ask", True)


@pytest.mark.parametrize(
    ("word", "unavailable", "decision"),
    [
        (DENY, "deny", "deny"),
        (UNAVAILABLE, "deny", "deny"),
        (UNAVAILABLE, "ask", "ask"),
        (TOO_LONG, "deny", "ask"),
    ],
)
def test_auto_fails_closed(sessions: Any, call: Any, word: str, unavailable: str, decision: str) -> None:
    engine = sessions(HEAD, classifier=Scripted(word), on_unavailable=unavailable)
    verdict = engine.decide(call("git push", mode="auto", session="s"))
    assert verdict.decision == decision
    assert "said so" in verdict.reason.message
    assert ("try again" in verdict.reason.message) is (word == UNAVAILABLE and decision == "deny")


def test_calls_are_shown_to_the_classifier_in_short() -> None:
    assert compact({"command": "ls -la"}) == "ls -la"
    assert compact({"file_path": "/tmp/x", "content": "new content"}) == "/tmp/x: new content"


@pytest.mark.parametrize(("denials", "in_a_row"), [(3, 3), (20, 0)])
def test_denial_limits_bring_the_human_back(deciding: Any, denials: int, in_a_row: int) -> None:
    from remit.request import Session

    decide = deciding(HEAD)
    before = Session("s", denials=denials - 1, consecutive_denials=max(0, in_a_row - 1))
    assert decide("git push", mode="auto", classifier="allow", session=before).decision == "allow"
    reached = Session("s", denials=denials, consecutive_denials=in_a_row)
    verdict = decide("git push", mode="auto", classifier="allow", session=reached)
    assert (verdict.decision, verdict.reason.code, verdict.end_run) == ("ask", "denial_limit", True)


# --- updates, suggestions, switches -----------------------------------------------------------------------------------


def test_six_updates(sessions: Any, call: Any) -> None:
    """Each kind does what it says to the decisions of the session."""
    assert KINDS == ("addRules", "replaceRules", "removeRules", "setMode", "addDirectories", "removeDirectories")
    engine = sessions(HEAD)

    def decision(*given: Any) -> str:
        return engine.decide(call(*given, session="s")).decision  # type: ignore[no-any-return]

    def change(update: Update) -> None:
        engine.store.change("s", lambda state: applied(state, update))

    change(Update("addRules", ("allow Bash(make *)",)))
    assert decision("make") == "allow"
    change(Update("replaceRules", ("allow Bash(npm run *)",), effect="allow"))
    assert (decision("make"), decision("npm run x")) == ("ask", "allow")
    change(Update("removeRules", ("allow Bash(npm run *)",)))
    assert decision("npm run x") == "ask"
    change(Update("setMode", mode="bypassPermissions"))
    assert decision("make") == "allow"
    change(Update("setMode", mode=""))
    change(Update("addDirectories", directories=("/other",)))
    assert decision("Read", {"file_path": "/other/x"}) == "allow"
    change(Update("removeDirectories", directories=("/other",)))
    assert decision("Read", {"file_path": "/other/x"}) == "ask"


def test_an_accepted_suggestion_ends_the_asking(sessions: Any, call: Any) -> None:
    """The answer to a question is also a rule for the next time, one for each part of a command."""
    engine = sessions(HEAD)
    asked = engine.decide(call("npm run build && git push", session="s"))
    rules = tuple(item["rule"] for item in asked.suggestions)
    assert rules == ("allow Bash(npm run *)", "allow Bash(git push *)")
    engine.store.change("s", lambda state: applied(state, Update("addRules", rules)))
    assert engine.decide(call("npm run test && git push origin x", session="s")).decision == "allow"


def test_bypass_can_be_switched_off_and_rules_be_managed_only() -> None:
    policy = convert(
        "claude-code",
        json.dumps(
            {
                "permissions": {"disableBypassPermissionsMode": "disable", "allow": ["Bash(make:*)"]},
                "allowManagedPermissionRulesOnly": True,
            }
        ),
    )
    team = Source("team.remit", "policy team.p for team\nuse std\nallow own: Bash(ls *)\ndeny more: Bash(rm *)\n")
    checked = check([PolicySource(Source("org.remit", policy), "org"), PolicySource(team, "team")])
    assert "bypassPermissions" in checked.forbidden_modes
    assert [item.code for item in checked.diagnostics if item.source_name == "team.remit"] == ["W601"]


# --- reasons and shadowed rules -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "changes", "code"),
    [
        ("git push -f", {}, "rule"),
        ("npm run x", {"mode": "bypassPermissions"}, "mode"),
        ("npm run x", {"mode": "auto", "classifier": "deny"}, "classifier"),
        ("echo x > .git/x", {}, "guard"),
        ("npm run x", {"mode": "dontAsk"}, "non_interactive"),
        ("echo 'x", {}, "unparseable"),
        ("npm run x", {}, "no_rule"),
        ("ls", {}, "default"),
    ],
)
def test_every_decision_has_a_reason(deciding: Any, command: str, changes: dict[str, str], code: str) -> None:
    assert deciding(HEAD + "deny f: Bash(git push -f *)\n")(command, **changes).reason.code == code


@pytest.mark.parametrize("first", ["deny", "ask"])
def test_shadowed_rules_are_found_with_a_reason_and_a_fix(first: str) -> None:
    text = f'{HEAD}{first} all-of-it: Bash(git *) because "x"\nallow status: Bash(git status *)\n'
    found = [item for item in lint(check([PolicySource(Source("p.remit", text), "org")]), "") if item.code == "L701"]
    assert [item.message for item in found] == [f"`status` never decides: {first} `all-of-it` (p.remit:4) covers it"]
    assert "`except`" in found[0].help
