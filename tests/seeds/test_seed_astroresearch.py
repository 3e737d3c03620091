"""What AstroResearch's permission system does, as far as a policy engine has a part in it, done by its profile and importer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from remit import Engine, Request
from remit.effects.audit.record import fields_of
from remit.effects.decided import Decided
from remit.importers import convert
from remit.paths import NoFiles
from remit.pipeline import Ask, Block, Change, Pipeline
from remit.sessions.updates import Update, applied

ENVIRONMENT = "\n".join([
    "AGENT_PERMISSIONS_DENY=run_bash(rm *),read_file(*.env),*(sudo),download_paper",
    "AGENT_PERMISSIONS_ASK=file_write,run_bash(git push)",
    "AGENT_PERMISSIONS_ALLOW=run_bash(ls*),search_papers",
    "AGENT_PERMISSION_MODE=default",
])  # fmt: skip
PROFILE = Path(__file__).resolve().parents[2] / "policies" / "profiles" / "astroresearch.remit"
TOOLS = "tool download_paper { subject id: text }\ntool search_papers { subject query: text  readonly }\n"


# --- the first layer: what a tool says of itself ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tool", "traits"),
    [
        ("search_papers", {"concurrent"}),
        ("rag_search", {"concurrent"}),
        ("read_file", {"concurrent"}),
        ("grep_files", {"concurrent"}),
        ("load_skill", {"concurrent"}),
        ("download_paper", {"aborts-siblings"}),
        ("parse_paper", {"aborts-siblings"}),
        ("file_write", set()),
        ("save_memory", {"uninterruptible"}),
        ("run_bash", {"uninterruptible"}),
        ("ask_user", {"uninterruptible"}),
        ("subagent", {"uninterruptible"}),
    ],
)
def test_traits_of_tools(tool: str, traits: set[str]) -> None:
    """Whether a call may run beside others, ends what it began, and ends those beside it: a host can ask."""
    text = PROFILE.read_text(encoding="utf-8")
    found = Engine.from_source(text, files=NoFiles()).program.tool(tool)
    assert found is not None
    assert set(found.traits) == traits


def test_a_rule_for_one_tool_lies_over_the_general_ones(profile: Any) -> None:
    decide = profile("astroresearch", "ask careful: save_note\n")
    assert decide("save_note", {"text": "x"}).decision == "ask"
    assert decide("todo_write", {}).decision == "allow"


# --- the second: rules --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "decision"),
    [
        (("run_bash", {"command": "rm -rf /"}), "deny"),
        (("run_bash", {"command": "ls && rm x"}), "deny"),
        (("read_file", {"file_path": "a/.env"}), "deny"),
        (("run_bash", {"command": "sudo ls"}), "deny"),
        (("download_paper", {"id": "1"}), "deny"),
        (("file_write", {"file_path": "a"}), "ask"),
        (("run_bash", {"command": "git push"}), "ask"),
        (("run_bash", {"command": "ls -la"}), "allow"),
        (("search_papers", {"query": "x"}), "allow"),
        (("todo_write", {}), "allow"),
    ],
)
def test_rules_from_the_environment(deciding: Any, call: tuple[Any, ...], decision: str) -> None:
    """Deny, then ask, then allow, then allow all the same: by tool, prefix, suffix, text within, and any tool with a content."""
    policy = convert("astroresearch", ENVIRONMENT, with_defaults=True)
    assert deciding(policy + TOOLS)(*call).decision == decision


@pytest.mark.parametrize(
    ("mode", "decisions"),
    [
        ("default", ("allow", "ask", "deny")),
        ("acceptEdits", ("allow", "ask", "deny")),
        ("bypassPermissions", ("allow", "ask", "deny")),
        ("dontAsk", ("allow", "deny", "deny")),
    ],
)
def test_modes(profile: Any, mode: str, decisions: tuple[str, ...]) -> None:
    """An edit inside, the network, a refused command. An ask that somebody wrote is not skipped in bypass."""
    decide = profile("astroresearch")
    calls: list[tuple[Any, ...]] = [
        ("file_edit", {"file_path": "a"}),
        ("run_bash", {"command": "curl https://a.example"}),
        ("run_bash", {"command": "sudo x"}),
    ]
    assert tuple(decide(*call, mode=mode).decision for call in calls) == decisions


def test_the_source_of_a_rule_is_told(sessions: Any, call: Any) -> None:
    """The environment's rules, and those that somebody gave during the session."""
    engine = sessions(convert("astroresearch", ENVIRONMENT))
    engine.store.change("s", lambda state: applied(state, Update("addRules", ("deny Bash(make *)",))))
    assert engine.decide(call("make", session="s")).reason.tier == "session"
    assert engine.decide(call("run_bash", {"command": "rm x"}, session="s")).reason.policy == "imported.astroresearch"


# --- the third: steps before and after ------------------------------------------------------------------------------------


def _judged(*steps: Any, command: str = "ls", **changes: Any) -> tuple[str, Any, str]:
    engine = Engine.from_source("policy p\nuse std\nallow a: Bash(ls *)\ndeny b: Bash(rm *)\n", files=NoFiles())
    request = Request("Bash", {"command": command}, cwd="/w", home="/h")._replace(**changes)
    done = Pipeline(engine, [(f"step{at}", step) for at, step in enumerate(steps)]).judge(request)
    return done.verdict.decision, done.request.input["command"], done.verdict.reason.rule


def test_a_step_lets_on_blocks_changes_or_asks() -> None:
    assert _judged(lambda _: None) == ("allow", "ls", "a")
    assert _judged(lambda _: Block("no")) == ("deny", "ls", "step:step0")
    assert _judged(lambda _: Change({"command": "ls -l"})) == ("allow", "ls -l", "a")
    assert _judged(lambda _: Ask("sure?")) == ("ask", "ls", "step:step0")


def test_what_a_step_changed_is_judged_as_changed() -> None:
    assert _judged(lambda _: Change({"command": "rm x"})) == ("deny", "rm x", "b")
    assert _judged(lambda _: Ask("sure?"), lambda _: Change({"command": "rm x"}))[0] == "deny"


def test_a_step_after_the_call_changes_the_output() -> None:
    engine = Engine.from_source("policy p\n", files=NoFiles())
    pipeline = Pipeline(engine, after=[("mask", lambda _, output: output.replace("secret", "***"))])
    assert pipeline.output(Request("Bash"), "a secret") == "a ***"


def test_what_the_audit_table_holds_is_in_the_record() -> None:
    engine = Engine.from_source("policy p\nuse std\n", files=NoFiles())
    request = Request("Bash", {"command": "ls"}, cwd="/w", home="/h", session="run-7", agent="lead", agent_kind="main")
    fields = fields_of(Decided(request, engine.decide(request), 1000.0, 0.25, "library"))
    assert {
        "session": "run-7",
        "tool": "Bash",
        "decision": "ask",
        "seconds": 0.25,
        "agent": "lead",
    }.items() <= fields.items()


# --- the fourth: the path sandbox -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("read_file", {"file_path": "/etc/passwd"}),
        ("read_file", {"file_path": "../../etc/passwd"}),
        ("read_file", {"file_path": "~/x"}),
        ("file_write", {"file_path": "/etc/x"}),
        ("file_edit", {"file_path": "/w/../x"}),
        ("grep_files", {"pattern": "x", "path": "/etc"}),
        ("glob_files", {"pattern": "/etc/*"}),
    ],
)
def test_the_sandbox_refuses(profile: Any, tool: str, given: dict[str, str]) -> None:
    assert profile("astroresearch")(tool, given).decision == "deny"


def test_a_link_that_leads_out_is_followed(tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / "out").symlink_to("/etc")
    text = PROFILE.read_text(encoding="utf-8")
    engine = Engine.from_source(text)
    cwd = str(tmp_path / "w")
    for path, decision in (("out/passwd", "deny"), ("in", "allow")):
        request = Request("read_file", {"file_path": path}, cwd=cwd, workspace=(cwd,), home="/h")
        assert engine.decide(request).decision == decision


def test_more_roots(profile: Any) -> None:
    """Library, skills and additional folders are folders of the workspace."""
    decide = profile("astroresearch")
    given = {"file_path": "/library/a.pdf"}
    assert decide("read_file", given).decision == "deny"
    assert decide("read_file", given, workspace=("/w", "/library")).decision == "allow"


# --- the fifth: commands ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "decision"),
    [
        ('grep "ssh_config" a.rs', "allow"),
        ('echo "use sudo carefully"', "allow"),
        ("cat ./vim/vimrc", "allow"),
        ("python script.py", "allow"),
        ("vim file.txt", "deny"),
        ("ls; vim file.txt", "deny"),
        ("$(echo sud; echo o) /etc/passwd", "ask"),
        ("`echo sudo` x", "ask"),
        ("bash", "deny"),
        ("bash -c", "deny"),
        ("SUDO=1 sudo x", "deny"),
        ("rm -rf /", "deny"),
        ("chmod -R 777 x", "deny"),
        ("curl https://a.example", "ask"),
        ("wget https://a.example", "ask"),
    ],
)
def test_commands(profile: Any, command: str, decision: str) -> None:
    """Whole words at the place of a program, however the command is put together; what is not known is asked."""
    assert profile("astroresearch")("run_bash", {"command": command}).decision == decision


def test_an_empty_command_is_no_allowed_one(profile: Any) -> None:
    """Where nothing is allowed by default: it runs nothing, and nothing names it."""
    decide = profile("claude-code")
    assert decide("").decision == "ask"
    assert decide("   ").decision == "ask"


def test_too_much_at_once(profile: Any) -> None:
    """Planned there: a limit on what is written."""
    decide = profile("astroresearch")
    assert decide("file_write", {"file_path": "a", "content": "x" * 1_000_000}).decision == "allow"
    assert decide("file_write", {"file_path": "a", "content": "x" * 1_000_001}).reason.rule == "too-much-at-once"


# --- the sixth: sub-agents --------------------------------------------------------------------------------------------------


def test_a_silent_sub_agent_asks_nobody(profile: Any) -> None:
    decide = profile("astroresearch")
    for kind, decision in (("main", "ask"), ("silent", "deny")):
        assert decide("run_bash", {"command": "curl a.example"}, agent_kind=kind).decision == decision


def test_a_sub_agent_has_the_rules_of_its_parent_and_may_be_held_to_few_tools(profile: Any) -> None:
    """Planned there: least privilege, as a rule for that agent."""
    decide = profile("astroresearch", "deny only-looking: * except read_file, search_papers for agent reader\n")
    assert decide("read_file", {"file_path": "a"}, agent="reader").decision == "allow"
    assert decide("search_papers", {}, agent="reader").decision == "allow"
    assert decide("run_bash", {"command": "ls"}, agent="reader").decision == "deny"
    assert decide("run_bash", {"command": "ls"}, agent="lead").decision == "allow"
    assert decide("run_bash", {"command": "sudo x"}, agent="lead").decision == "deny"


# --- the seventh: bounds of a run -------------------------------------------------------------------------------------------

LIMITS = "policy p for org\nuse std\nuse std.limits\ndefault allow\n"
RUN = LIMITS + "deny long: * when session.steps > 8\ndeny dear: * when session.tokens > 40000\n"


def test_the_same_call_three_times(sessions: Any, call: Any) -> None:
    engine = sessions(LIMITS)
    seen = [engine.decide(call("make", session="s")).decision for _ in range(4)]
    assert seen == ["allow", "allow", "allow", "deny"]
    assert engine.decide(call("make -k", session="s")).decision == "allow"


@pytest.mark.parametrize(
    ("field", "within", "beyond"), [("steps", 8, 9), ("tokens", 40000, 40001), ("cancelled", False, True)]
)
def test_steps_tokens_and_cancelling(sessions: Any, call: Any, field: str, within: Any, beyond: Any) -> None:
    engine = sessions(RUN)
    for value, decision in ((within, "allow"), (beyond, "deny")):
        engine.store.change("s", lambda state, value=value: state._replace(**{field: value}))
        assert engine.decide(call(f"echo {value}", session="s")).decision == decision


def test_denials_are_counted_and_end_the_run(deciding: Any) -> None:
    """Both limits are facts that a rule can ask for; the importer writes such rules."""
    from remit.request import Session

    policy = convert("astroresearch", "AGENT_DENIAL_MAX_CONSECUTIVE=2\nAGENT_DENIAL_MAX_TOTAL=5\n", with_defaults=True)
    decide = deciding(policy)
    for before, decision in (
        (Session("s", denials=4, consecutive_denials=1), "allow"),
        (Session("s", denials=5), "deny"),
    ):
        assert decide("ls", session=before).decision == decision
    assert decide("ls", session=Session("s", denials=2, consecutive_denials=2)).decision == "deny"


@pytest.mark.parametrize(
    ("command", "level", "reason"),
    [
        ("ls", "low", ""),
        ("touch a", "medium", "writes files"),
        ("curl https://a.example", "medium", "connects to other hosts"),
        ("rm -r /other/x", "high", "deletes files outside of the workspace"),
        ("touch /usr/bin/x", "high", "changes files of the system"),
        ("git push", "high", "publishes to others"),
    ],
)
def test_risk_is_explained(deciding: Any, command: str, level: str, reason: str) -> None:
    risk = deciding("policy p\nuse std\n")(command).risk()
    assert risk["level"] == level
    assert not reason or reason in risk["why"]
    assert reason in risk["explanation"]


def test_a_session_gets_rules_and_a_mode_from_outside(sessions: Any, call: Any) -> None:
    engine = sessions(LIMITS)
    engine.store.change("s", lambda state: applied(state, Update("addRules", ("ask Bash(make *)",))))
    assert engine.decide(call("make", session="s")).decision == "ask"
    engine.store.change("s", lambda state: applied(state, Update("setMode", mode="dontAsk")))
    assert engine.decide(call("make x", session="s")).decision == "deny"
    engine.store.change("s", lambda state: applied(state, Update("removeRules", ("ask Bash(make *)",))))
    assert engine.decide(call("make y", session="s")).decision == "allow"
