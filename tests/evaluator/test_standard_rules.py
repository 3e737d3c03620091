"""What the standard library's guards and defaults decide on real calls."""

from __future__ import annotations

import pytest

from remit import Engine, Request, Verdict
from remit.files import NoFiles

HOME = "/home/dev"
GUARDS = "use std\nallow fs.write(**), fs.delete(**), fs.read(**), Bash(*)\n"
READING = "use std\nuse std.reading\n"


@pytest.fixture(scope="module")
def guards() -> Engine:
    return Engine.from_source(GUARDS, files=NoFiles())


@pytest.fixture(scope="module")
def reading() -> Engine:
    return Engine.from_source(READING, files=NoFiles())


def decided(engine: Engine, tool: str, mode: str = "default", **given: str) -> Verdict:
    return engine.decide(Request(tool=tool, input=given, cwd="/w", workspace=["/w"], home=HOME, mode=mode))


@pytest.mark.parametrize("mode", ["default", "acceptEdits", "bypassPermissions"])
@pytest.mark.parametrize(
    ("path", "rule"),
    [
        ("/w/.git/hooks/pre-commit", "repository"), ("/w/sub/.git/config", "repository"), (".husky/pre-push", "repository"),
        (".claude/settings.json", "agent-settings"), (f"{HOME}/.claude/settings.json", "agent-settings"),
        ("/etc/claude-code/managed-settings.json", "agent-settings"), (".codex/config.toml", "agent-settings"),
        (".gemini/settings.json", "agent-settings"), (".github/hooks/x.json", "agent-settings"),
        (f"{HOME}/.copilot/hooks/x.json", "agent-settings"), (".cursor/hooks.json", "agent-settings"),
        (f"{HOME}/.config/opencode/plugin/x.js", "agent-settings"), (".opencode/plugin/x.js", "agent-settings"),
        (".mcp.json", "agent-settings"), (".vscode/tasks.json", "editor-settings"), (".idea/workspace.xml", "editor-settings"),
        ("~/.bashrc", "shell-start-up"), (f"{HOME}/.zshenv", "shell-start-up"), ("/etc/profile.d/x.sh", "shell-start-up"),
        (".remit/local.remit", "policy-files"), ("policies/org.remit", "policy-files"), ("/etc/remit/x", "policy-files"),
        (f"{HOME}/.cache/remit/0", "policy-files"), (f"{HOME}/.local/state/remit/trusted.json", "policy-files"),
        ("~/.ssh/authorized_keys", "access-to-this-machine"), ("/etc/cron.d/x", "scheduled"),
        (f"{HOME}/.config/systemd/user/x.service", "scheduled"), (f"{HOME}/.npmrc", "tool-start-up"),
    ],
)  # fmt: skip
def test_guarded_files(guards: Engine, path: str, rule: str, mode: str) -> None:
    for call in (
        decided(guards, "Write", mode, file_path=path, content="x"),
        decided(guards, "Edit", mode, path=path, old_string="a", new_string="b"),
        decided(guards, "Bash", mode, command=f"echo x > {path}"),
        decided(guards, "Bash", mode, command=f"rm -f {path}"),
        decided(guards, "Bash", mode, command=f"cp evil {path}"),
    ):
        assert (call.decision, call.reason.code, call.reason.rule) == ("ask", "guard", rule)


@pytest.mark.parametrize(
    "path",
    [
        "src/main.py", ".gitignore", ".github/workflows/ci.yml", "gitconfig.md", ".claude/plans/today.md",
        f"{HOME}/.claude/projects/w/memory/notes.md", "docs/settings.json", "vscode/tasks.json", "README.md",
    ],
)  # fmt: skip
def test_files_that_are_not_guarded(guards: Engine, path: str) -> None:
    assert decided(guards, "Write", file_path=path, content="x").decision == "allow"
    assert decided(guards, "Bash", command=f"echo x > {path}").decision == "allow"


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        ("crontab jobs", "scheduled"), ("cd x && crontab -", "scheduled"), ("at now + 1 minute -f x", "scheduled"),
        ("remit trust .", "trusting-policies"), ("sh -c 'remit trust .'", "trusting-policies"),
        ("nohup remit serve --home x &", "trusting-policies"),
        ("sed -i s/deny/allow/ .venv/lib/python3.11/site-packages/remit/decide.py", "policy-files"),
        ("rm -rf .git", "repository"), ("rm -r ~/.ssh", "access-to-this-machine"),
    ],
)  # fmt: skip
def test_guarded_commands(guards: Engine, command: str, rule: str) -> None:
    verdict = decided(guards, "Bash", "bypass", command=command)
    assert (verdict.decision, verdict.reason.rule) == ("ask", rule)


@pytest.mark.parametrize(
    "command",
    [
        "ls -la src", "cat README.md | head -20", "grep -rn TODO src", "cd src && git status", "git log --oneline -5",
        "git diff HEAD~1", "git show HEAD:README.md", "find . -name '*.py'", "sed -n 1,5p a.txt", "awk '{print $1}' a.txt",
        "timeout 5 ls", "sort a.txt | uniq -c | sort -rn", "ls > /dev/null 2>&1", "wc -l src/*.py", "jq . package.json",
        "head -c 100 a.bin | xxd", "diff -u a b",
    ],
)  # fmt: skip
def test_reading_in_the_workspace_is_allowed(reading: Engine, command: str) -> None:
    verdict = decided(reading, "Bash", command=command)
    assert (verdict.decision, verdict.reason.code) == ("allow", "default"), verdict.reason


@pytest.mark.parametrize(
    "command",
    [
        "cat ~/.netrc", "cat /etc/passwd", "grep -r x ..", "git diff --no-index /etc/passwd x", "git log --output=x",
        "git commit -m x", "git push", "git -C /other status", "git -c core.pager=x log", "git branch -D main",
        "find . -delete", "find . -exec rm {} +", "sed -i s/a/b/ x", "sed -n 'w out' x", "awk 'BEGIN{system(\"x\")}'",
        "sort -o out x", "ls > out", "date -s 12:00", "hostname evil", "python3 x.py", "npm test", "kill 1", "cat $FILE",
        "ls | sh", "LD_PRELOAD=x ls", "./ls", "env", "rg --pre ./x y", "xargs rm", "curl https://x.example", "ls & rm x",
    ],
)  # fmt: skip
def test_everything_else_is_not(reading: Engine, command: str) -> None:
    assert decided(reading, "Bash", command=command).decision == "ask"


@pytest.mark.parametrize(
    ("tool", "given", "decision"),
    [
        ("Read", {"file_path": "/w/src/a.py"}, "allow"), ("Read", {"path": "src/a.py"}, "allow"),
        ("Read", {"file_path": "/etc/passwd"}, "ask"), ("Read", {"file_path": "../x"}, "ask"), ("Read", {}, "ask"),
        ("read_file", {"absolute_path": "/w/a"}, "allow"), ("Grep", {"pattern": "x"}, "allow"),
        ("Grep", {"pattern": "x", "path": "/"}, "ask"), ("Glob", {"pattern": "**/*.py"}, "allow"),
        ("LS", {"path": "src"}, "allow"), ("Write", {"file_path": "a", "content": ""}, "ask"),
        ("WebFetch", {"url": "https://x.example"}, "ask"), ("mcp__x__y", {"path": "a"}, "ask"),
    ],
)  # fmt: skip
def test_reading_tools(reading: Engine, tool: str, given: dict[str, str], decision: str) -> None:
    assert decided(reading, tool, **given).decision == decision


@pytest.mark.parametrize(
    ("mode", "tool", "given", "decision"),
    [
        ("acceptEdits", "Edit", {"file_path": "/w/src/a.py"}, "allow"),
        ("acceptEdits", "Write", {"file_path": "src/a.py"}, "allow"),
        ("acceptEdits", "Write", {"file_path": "/etc/hosts.allow"}, "ask"),
        ("acceptEdits", "Bash", {"command": "npm test"}, "ask"),
        ("acceptEdits", "Bash", {"command": "mkdir -p x/y && touch x/y/z"}, "allow"),
        ("acceptEdits", "Bash", {"command": "cat > x <<'E'\na\nE"}, "allow"),
        ("acceptEdits", "Bash", {"command": "sed -i s/a/b/ a.txt && echo done >> log"}, "allow"),
        ("acceptEdits", "Bash", {"command": "cp /etc/passwd x"}, "ask"),
        ("acceptEdits", "Bash", {"command": "touch ../x"}, "ask"), ("acceptEdits", "Bash", {"command": "rm x"}, "ask"),
        ("acceptEdits", "Bash", {"command": "sed 's/a/b/e' a.txt"}, "ask"),
        ("acceptEdits", "Bash", {"command": "touch .git/hooks/pre-commit"}, "ask"),
        ("plan", "Read", {"file_path": "/w/a"}, "allow"), ("plan", "Write", {"file_path": "/w/a"}, "deny"),
        ("plan", "Bash", {"command": "git status"}, "allow"), ("plan", "Bash", {"command": "npm test"}, "deny"),
        ("bypassPermissions", "Bash", {"command": "npm test"}, "allow"),
        ("dontAsk", "Bash", {"command": "npm test"}, "deny"), ("dontAsk", "Read", {"file_path": "/w/a"}, "allow"),
    ],
)  # fmt: skip
def test_modes(reading: Engine, mode: str, tool: str, given: dict[str, str], decision: str) -> None:
    assert decided(reading, tool, mode, **given).decision == decision
