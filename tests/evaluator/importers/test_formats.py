"""What becomes of single settings: the decisions of the policy, one table for each format."""

from __future__ import annotations

import pytest

from remit import Engine, Request
from remit.files import NoFiles
from remit.importers import ConversionError, convert, convert_report

WORK = "/home/user/project"


def _decisions(source: str, calls: list[tuple[str, str, str]], mode: str = "default") -> list[tuple[str, str, str]]:
    """The calls (tool, parameter=value, decision) with what is decided."""
    engine = Engine.from_source(source, files=NoFiles(), second_opinion="off")
    found = []
    for tool, given, _ in calls:
        name, _, value = given.partition("=")
        request = Request(tool, {name: value} if name else {}, cwd=WORK, home="/home/user", mode=mode)
        found.append((tool, given, engine.decide(request).decision))
    return found


ASTRORESEARCH = """\
# the lists
export AGENT_PERMISSIONS_DENY="run_bash(rm *),read_file(*.env),*(sudo),download_paper"
AGENT_PERMISSIONS_ASK='file_write,run_bash(git push)'  # two
AGENT_PERMISSIONS_ALLOW=run_bash(git *)
AGENT_ADDITIONAL_DIRS=/data/papers
AGENT_DENIAL_MAX_CONSECUTIVE=5
PATH=/usr/bin
"""


def test_astroresearch() -> None:
    calls = [
        ("run_bash", "command=rm -rf x", "deny"),
        ("run_bash", "command=rm  x", "deny"),
        ("run_bash", "command=cd a && rm x", "deny"),
        ("run_bash", "command=git rm x", "allow"),
        ("run_bash", "command=sudo ls", "deny"),
        ("run_bash", "command=git push origin", "ask"),
        ("run_bash", "command=echo git push", "ask"),
        ("run_bash", "command=python x.py", "ask"),
        ("read_file", "file_path=a/.env", "deny"),
        ("read_file", "file_path=/data/papers/a", "allow"),
        ("read_file", "file_path=a.txt", "ask"),
        ("file_write", "file_path=a.txt", "ask"),
        ("search_papers", "pattern=how to sudo", "deny"),
        ("search_papers", "pattern=stars", "ask"),
        ("download_paper", "url=https://a.example/", "deny"),
    ]
    assert _decisions(convert("astroresearch", ASTRORESEARCH), calls) == calls
    allowed = [
        ("search_papers", "pattern=stars", "allow"),
        ("run_bash", "command=rm x", "deny"),
        ("file_write", "", "ask"),
    ]
    assert _decisions(convert("astroresearch", ASTRORESEARCH, with_defaults=True), allowed) == allowed


AGENTSCOPE = """{"mode": "default", "working_directories": {"/data": {"path": "/data", "source": "s"}},
 "deny_rules": {"Bash": [{"rule_content": "git push:*"}, {"rule_content": "rm -rf"}], "Write": [{"rule_content": "/etc/*"}],
                "Read": [{"rule_content": "*.py[co]"}], "pay": [{"rule_content": "{\\"to\\": \\"eve\\"}"}]},
 "ask_rules": {"Grep": [{"rule_content": null}]},
 "allow_rules": {"Bash": [{"rule_content": "git:*"}, {"rule_content": "npm run *"}],
                 "Write": [{"rule_content": "/home/user/project/*"}]}}"""


def test_agentscope() -> None:
    calls = [
        ("Bash", "command=git status", "allow"),
        ("Bash", "command=git status && npm run x", "allow"),
        ("Bash", "command=git status && make", "ask"),
        ("Bash", "command=timeout 5 git status", "ask"),
        ("Bash", "command=git status\ngit log", "ask"),
        ("Bash", "command=git -C x push", "deny"),
        ("Bash", "command=cd a; rm -r -f x", "deny"),
        ("Bash", "command=echo 'rm -rf'", "deny"),
        ("Write", "file_path=/etc/x/y", "deny"),
        ("Write", "file_path=/home/user/project/../../../etc/x", "deny"),
        ("Write", "file_path=/home/user/project/a/b", "allow"),
        ("Write", "file_path=/home/user/other", "ask"),
        ("Read", "file_path=/x/y.pyc", "deny"),
        ("Read", "file_path=/x/y.py", "ask"),
        ("Grep", "pattern=x", "ask"),
        ("pay", "to=eve", "deny"),
        ("pay", "to=ada", "ask"),
    ]
    assert _decisions(convert("agentscope", AGENTSCOPE), calls) == calls
    edits = [("Write", "file_path=/data/x", "allow"), ("Write", "file_path=/srv/x", "ask")]
    assert _decisions(convert("agentscope", AGENTSCOPE), edits, "accept_edits") == edits


OPENCODE = """{"permission": {"bash": {"*": "ask", "git *": "allow", "git push *": "deny",
  "git push origin feature/*": "allow", "rm *": "deny"},
 "edit": {"*": "deny", "src/*": "allow", "src/*.lock": "ask"}, "read": {"*": "allow", "*.env": "deny"},
 "webfetch": {"*": "deny", "https://a.example/*": "allow"}, "external_directory": "deny", "srv_*": "deny", "doom_loop": "deny"}}"""


def test_opencode_the_last_entry_counts() -> None:
    calls = [
        ("bash", "command=git status", "allow"),
        ("bash", "command=git", "allow"),
        ("bash", "command=git push origin main", "deny"),
        ("bash", "command=git push origin feature/x", "allow"),
        ("bash", "command=git push -f origin feature/x", "deny"),
        ("bash", "command=git status && rm x", "deny"),
        ("bash", "command=make", "ask"),
        ("edit", "filePath=src/a/b.py", "allow"),
        ("edit", "filePath=src/a/x.lock", "ask"),
        ("edit", "filePath=docs/a.md", "deny"),
        ("edit", "filePath=src/../docs/a.md", "deny"),
        ("read", "filePath=a.py", "allow"),
        ("read", "filePath=x/.env", "deny"),
        ("read", "filePath=/etc/passwd", "deny"),
        ("webfetch", "url=https://a.example/x", "allow"),
        ("webfetch", "url=https://b.example/x", "deny"),
        ("mcp__srv__tool", "", "deny"),
        ("mcp__other__tool", "", "ask"),
    ]
    assert _decisions(convert("opencode", OPENCODE), calls) == calls


def test_opencode_later_keys_come_before_earlier_ones() -> None:
    calls = [("bash", "command=ls", "deny"), ("read", "filePath=a", "allow"), ("mcp__a__b", "", "allow")]
    assert _decisions(convert("opencode", '{"permission": {"*": "allow", "bash": "deny"}}'), calls) == calls
    calls = [("bash", "command=ls", "allow"), ("read", "filePath=a", "allow")]
    assert _decisions(convert("opencode", '{"permission": {"bash": "deny", "*": "allow"}}'), calls) == calls


def test_opencode_what_an_agent_restricts_holds_for_all() -> None:
    done = convert_report("opencode", '{"agent": {"x": {"permission": {"bash": "deny", "edit": "allow"}}}}')
    assert _decisions(done.source, [("bash", "command=ls", "")]) == [("bash", "command=ls", "deny")]
    assert [note.place for note in done.notes] == ["agent.x.permission.edit", "agent.x.permission.bash"]


GEMINI = """
[[rule]]
toolName = "run_shell_command"
commandPrefix = ["git", "npm run"]
decision = "allow"
priority = 100
[[rule]]
toolName = "run_shell_command"
commandPrefix = "git push"
decision = "deny"
priority = 200
[[rule]]
toolName = "run_shell_command"
commandPrefix = "git push origin feature"
decision = "ask_user"
priority = 300
[[rule]]
toolName = ["read_file", "write_file"]
decision = "allow"
priority = 50
[[rule]]
mcpName = "good"
toolName = "*"
decision = "allow"
priority = 50
[[rule]]
toolName = "*"
decision = "deny"
priority = 1
"""


def test_gemini_the_highest_priority_counts() -> None:
    calls = [
        ("run_shell_command", "command=git status", "allow"),
        ("run_shell_command", "command=git status && npm run x", "allow"),
        ("run_shell_command", "command=git status > x", "ask"),
        ("run_shell_command", "command=git push", "deny"),
        ("run_shell_command", "command=git push origin feature", "ask"),
        ("run_shell_command", "command=git status; git push", "deny"),
        ("run_shell_command", "command=make", "deny"),
        ("run_shell_command", "command=gitk", "deny"),
        ("read_file", "file_path=a", "allow"),
        ("write_file", "file_path=a", "allow"),
        ("write_file", "file_path=x/package.json", "ask"),
        ("web_fetch", "url=https://a.example/", "deny"),
        ("mcp__good__x", "", "allow"),
        ("mcp__other__x", "", "deny"),
    ]
    assert _decisions(convert("gemini", GEMINI), calls) == calls


def test_gemini_settings() -> None:
    settings = """{"tools": {"allowed": ["run_shell_command(git)"], "exclude": ["web_fetch"], "core": ["read_file"]},
        "security": {"disableYoloMode": true}}"""
    calls = [
        ("run_shell_command", "command=git log", "allow"),
        ("run_shell_command", "command=make", "deny"),
        ("read_file", "file_path=a", "allow"),
        ("web_fetch", "url=https://a.example/", "deny"),
        ("glob", "pattern=x", "deny"),
    ]
    source = convert("gemini", settings)
    assert _decisions(source, calls) == calls
    assert "forbid mode yolo" in source


CODEX = """
prefix_rule(pattern=["git", ["status", "commit"]], decision="allow")
prefix_rule(pattern=["git", "commit", "--amend"], decision="forbidden", justification="Make a new one.")
prefix_rule(["npm"], "prompt")
network_rule(host="evil.example", protocol="https", decision="deny")
"""


def test_codex_rules() -> None:
    calls = [
        ("Bash", "command=git status -s", "allow"),
        ("Bash", "command=git commit", "allow"),
        ("Bash", "command=git commit -m x --amend", "deny"),
        ("Bash", "command=/usr/bin/git status", "ask"),
        ("Bash", "command=timeout 5 git status", "ask"),
        ("Bash", "command=npm ci", "ask"),
        ("Bash", "command=curl https://evil.example/x", "deny"),
        ("Bash", "command=make", "ask"),
    ]
    assert _decisions(convert("codex", CODEX), calls) == calls


def test_codex_settings() -> None:
    settings = 'approval_policy = "never"\nsandbox_mode = "workspace-write"\n[mcp_servers.s]\nenabled_tools = ["a"]\n'
    calls = [
        ("Write", "file_path=/etc/x", "deny"),
        ("Write", f"file_path={WORK}/x", "ask"),
        ("Bash", "command=curl https://a.example/", "deny"),
        ("mcp__s__a", "", "ask"),
        ("mcp__s__b", "", "deny"),
    ]
    assert _decisions(convert("codex", settings), calls) == calls
    asked = [("Write", "file_path=/etc/x", "ask")]
    assert _decisions(convert("codex", settings.replace("never", "on-request")), asked) == asked


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("codex", 'prefix_rule(pattern=["a" + "b"])'),
        ("codex", "x = 1\nprefix_rule(pattern=['a'])"),
        ("codex", "prefix_rule(pattern=['a'], decision=open('x'))"),
        ("codex", "prefix_rule(pattern=[])"),
        ("codex", "__import__('os').system('x')"),
        ("codex", "sandbox_mode = 'none'"),
        ("gemini", '[[rule]]\ntoolName = "x"\ndecision = "allow"\npriority = 1000'),
        ("gemini", '[[rule]]\ntoolName = "x"\ndecision = "maybe"\npriority = 1'),
        ("gemini", '[[rule]]\ntoolName = "x"\ncommandPrefix = "a"\ndecision = "deny"\npriority = 1'),
        ("gemini", '{"tools": {"exclude": "x"}}'),
        ("agentscope", '{"deny_rules": []}'),
        ("agentscope", '{"deny_rules": {"Bash": [{"rule_content": 1}]}}'),
        ("opencode", '{"permission": {"bash": "maybe"}}'),
        ("opencode", '{"permission": 1}'),
        ("astroresearch", "PATH=/usr/bin"),
        ("astroresearch", "AGENT_PERMISSIONS_DENY='x"),
        ("astroresearch", "rm -rf"),
    ],
)
def test_what_the_original_would_not_load_is_refused(name: str, text: str) -> None:
    with pytest.raises(ConversionError):
        convert(name, text)
