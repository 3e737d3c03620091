"""The daemon answers a hook exactly as the hook process would, and never lets a call through because something went wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from daemon_process import Daemon, payload

from remit.daemon.options import account_home

PATH = "/v1/hooks/claude-code"
DEMO = [
    json.loads(line)
    for line in (Path(__file__).parents[3] / "policies/demo/claude-code.jsonl").read_text().splitlines()
]
PROJECT_POLICY = 'policy shop.rules for project\nuse std\nask tests: Bash(npm run test*) because "Flaky."\n'
FOUND_POLICY = 'policy mine for user\nuse std\nallow looking: Bash(git *), Bash(cd *)\ndeny pushes: Bash(git push *) because "No."\n'
IN_PROCESS = """\
import sys
from remit import hook
hook._ask_daemon = lambda *rest: None
hook.run(sys.argv[1:])
"""


def hook_process(sent: bytes, *options: str, project: str = "", home: str = "") -> tuple[int, bytes, bytes]:
    """Exit code, output and complaint of a hook process that asks no daemon."""
    environment = {"HOME": home or account_home(), **({"CLAUDE_PROJECT_DIR": project} if project else {})}
    done = subprocess.run(
        [sys.executable, "-I", "-c", IN_PROCESS, "claude-code", *options],
        input=sent, capture_output=True, env=environment, timeout=60, check=False, cwd="/",
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def daemon_says(
    daemon: Daemon, sent: bytes, policies: list[str], project: str = "", **labels: str
) -> tuple[int, bytes, bytes]:
    """The same of what the daemon tells a hook process to do."""
    fields = {"Remit-Policies": json.dumps(policies), "Remit-Home": daemon.account, "Remit-Labels": json.dumps(labels)}
    answer = daemon.post(PATH, sent, {**fields, **({"Remit-Project-Dir": project} if project else {})})
    assert answer.status_code == 200
    if answer.headers.get("Remit-Exit") == "2":
        return 2, b"", answer.content + b"\n"
    return 0, answer.content, b""


REFUSED = [
    b"", b"{", b"[]", b'{"hook_event_name": "New"}', json.dumps(payload(cwd="src")).encode(),
    json.dumps(payload(tool_input=None)).encode(), json.dumps(payload(tool_name=5)).encode(),
    json.dumps(payload(tool_input={"command": "x" * (1 << 20)})).encode(),
]  # fmt: skip
OTHERS = [
    json.dumps(payload(hook_event_name="PostToolUse")).encode(),
    json.dumps(payload(hook_event_name="PermissionRequest")).encode(),
    json.dumps(payload("deploy now")).encode(),
    json.dumps(payload("npm run \ud800")).encode(),
    json.dumps(payload("rm -rf /", permission_mode="bypassPermissions")).encode(),
]


def test_it_answers_as_the_process_does(daemon: Daemon) -> None:
    policies = [str(daemon.policies)]
    for sent in [*[json.dumps(item).encode() for item in DEMO[:12]], *OTHERS, *REFUSED]:
        told = daemon_says(daemon, sent, policies, env="prod")
        assert told == hook_process(sent, "--policy", policies[0], "--label", "env=prod"), sent[:300]


@pytest.fixture(scope="module")
def finding() -> Iterator[Daemon]:
    """A daemon without policies of its own; its user has one, and a project."""
    with Daemon(policy=None, at_home=True) as running:
        (running.home / ".config/remit").mkdir(parents=True)
        (running.home / ".config/remit/mine.remit").write_text(FOUND_POLICY)
        project = running.root / "shop"
        (project / ".remit").mkdir(parents=True)
        (project / ".remit/rules.remit").write_text(PROJECT_POLICY)
        yield running


def test_without_policies_it_finds_those_that_the_process_finds(finding: Daemon) -> None:
    project = str(finding.root / "shop")
    for command in ("git status", "npm run test:unit", "git push origin x", "cd src && git log"):
        for place in (project, f"{project}/src/deep", "/tmp"):
            sent = json.dumps(payload(command, cwd=place)).encode()
            for named in ("", project):
                told = daemon_says(finding, sent, [], named)
                assert told == hook_process(sent, "--home", finding.account, project=named, home=finding.account), (
                    command,
                    place,
                    named,
                )


def test_found_policies_are_looked_at_anew(finding: Daemon) -> None:
    project = finding.root / "other"
    project.mkdir()
    sent = json.dumps(payload("git status", cwd=str(project))).encode()
    assert b'"allow"' in daemon_says(finding, sent, [])[1]
    (project / ".remit").mkdir()
    rule = project / ".remit" / "x.remit"
    rule.write_text('policy x for project\ndeny no: Bash(git status) because "not here"\n')
    assert b"not here" in daemon_says(finding, sent, [])[1]
    rule.write_text("deny no: Bash(")
    code, _, said = daemon_says(finding, sent, [])
    assert code == 2
    assert said == hook_process(sent, "--home", finding.account, home=finding.account)[2]
    rule.unlink()
    assert b'"allow"' in daemon_says(finding, sent, [])[1]


@pytest.mark.parametrize("policies", [[], ["/etc/other"], ["{own}", "/etc/other"]])
def test_a_hook_with_other_policies_decides_alone(daemon: Daemon, policies: list[str]) -> None:
    named = [path.format(own=daemon.policies) for path in policies]
    answer = daemon.post(PATH, payload(), {"Remit-Policies": json.dumps(named)})
    assert (answer.status_code, answer.json()["error"]) == (409, "other_policies")


def test_a_hook_with_another_home_decides_alone(daemon: Daemon) -> None:
    fields = {"Remit-Policies": json.dumps([str(daemon.policies)]), "Remit-Home": "/elsewhere"}
    assert daemon.post(PATH, payload(), fields).status_code == 409


def test_the_same_policies_spelled_differently(daemon: Daemon, finding: Daemon) -> None:
    assert daemon.post(PATH, payload(), {"Remit-Policies": json.dumps([f"{daemon.policies}/./"])}).status_code == 200
    assert finding.post(PATH, payload(), {"Remit-Policies": '["/etc/other"]'}).status_code == 409


def test_a_daemon_of_another_home_does_not_stand_in_for_the_accounts_policies() -> None:
    """Whoever can start one, with a home of their choice, would else choose the user's policies and the projects that are trusted."""
    with Daemon(policy=None) as running:
        (running.home / ".config/remit").mkdir(parents=True)
        (running.home / ".config/remit/mine.remit").write_text("policy mine for user\nuse std\nallow all: Bash(*)\n")
        assert running.post(PATH, payload("git status"), {"Remit-Policies": "[]"}).status_code == 409
        assert b'"allow"' in running.post(PATH, payload("git status")).content


@pytest.mark.parametrize("fields", [
    {"Remit-Policies": "x"}, {"Remit-Policies": "{}"}, {"Remit-Policies": "[1]"}, {"Remit-Policies": '["a"]'},
    {"Remit-Labels": "[]"}, {"Remit-Labels": '{"a": 1}'}, {"Remit-Labels": '{"a": "1", "a": "2"}'}, {"Remit-Home": "x"},
])  # fmt: skip
def test_what_no_hook_sends_is_no_answer(daemon: Daemon, fields: dict[str, str]) -> None:
    own = {"Remit-Policies": json.dumps([str(daemon.policies)])}
    assert daemon.post(PATH, payload("npm run x"), {**own, **fields}).status_code == 400


# --- hooks of type http: any status but 2xx lets the call through ------------------------------------------------------


def said(daemon: Daemon, sent: Any) -> dict[str, Any]:
    answer = daemon.post(PATH, sent)
    assert answer.status_code == 200
    assert "Remit-Exit" not in answer.headers
    assert answer.headers["content-type"] == "application/json"
    found: dict[str, Any] = answer.json()["hookSpecificOutput"]
    return found


def test_an_agent_asks_directly(daemon: Daemon) -> None:
    output = said(daemon, payload())
    assert (output["hookEventName"], output["permissionDecision"]) == ("PreToolUse", "deny")
    assert said(daemon, payload("npm run build"))["permissionDecision"] == "allow"
    assert said(daemon, payload("deploy now"))["permissionDecision"] == "deny"  # by the daemon's own label
    assert daemon.post(PATH, payload("ls")).content == b""
    assert daemon.post(PATH, payload(hook_event_name="Stop")).content == b""


@pytest.mark.parametrize("sent", REFUSED)
def test_what_cannot_be_judged_is_denied_with_status_200(daemon: Daemon, sent: bytes) -> None:
    output = said(daemon, sent)
    assert output["permissionDecision"] == "deny"
    assert output["permissionDecisionReason"].startswith("remit: ")


def test_a_permission_request_that_cannot_be_judged_is_denied_in_its_own_form(daemon: Daemon) -> None:
    output = said(daemon, payload(hook_event_name="PermissionRequest", tool_input=None))
    assert (output["hookEventName"], output["decision"]["behavior"]) == ("PermissionRequest", "deny")


def test_no_policy_denies() -> None:
    with Daemon(policy="deny broken(") as broken:
        assert said(broken, payload("npm run build"))["permissionDecision"] == "deny"
