"""OpenID AuthZEN 1.0 over the real socket."""

from __future__ import annotations

from typing import Any

import pytest
from daemon_process import Daemon

ONE, MANY = "/access/v1/evaluation", "/access/v1/evaluations"


def evaluation(command: str = "npm run build", **changes: Any) -> dict[str, Any]:
    whole = {
        "subject": {"type": "agent", "id": "claude-code", "properties": {"department": "x"}},
        "action": {"name": "tools/call"},
        "resource": {"type": "tool", "id": "Bash", "properties": {"command": command}},
        "context": {"time": "2026-12-01T10:00", "cwd": "/tmp", "ip": "10.0.0.1"},
        "surprise": 1,
    }
    return {name: value for name, value in {**whole, **changes}.items() if value is not None}


def resource(command: str) -> dict[str, Any]:
    return {"resource": evaluation(command)["resource"]}


@pytest.mark.parametrize(("command", "permitted", "said"), [
    ("npm run build", True, "allow"), ("git push -f", False, "deny"), ("git push origin x", False, "ask"),
])  # fmt: skip
def test_one_evaluation(daemon: Daemon, command: str, permitted: bool, said: str) -> None:
    answer = daemon.post(ONE, evaluation(command), {"X-Request-ID": "r-1"})
    assert (answer.status_code, answer.headers["x-request-id"]) == (200, "r-1")
    assert answer.json()["decision"] is permitted
    assert answer.json()["context"]["decision"] == said
    assert answer.json()["context"]["reason_user"]["en"]
    assert answer.json()["context"]["reason_admin"]["en"]


@pytest.mark.parametrize("changes", [
    {"subject": None}, {"action": None}, {"resource": None}, {"subject": {"type": "agent"}}, {"subject": {"id": "x"}},
    {"action": {}}, {"action": {"name": 1}}, {"resource": {"type": "tool", "id": 5}}, {"context": []}, {"context": {"cwd": "src"}},
    {"resource": {"type": "tool", "id": "Bash", "properties": "npm run x"}}, {"context": {"interactive": "yes"}},
])  # fmt: skip
def test_what_is_malformed_is_an_error_and_no_decision(daemon: Daemon, changes: dict[str, Any]) -> None:
    answer = daemon.post(ONE, evaluation(**changes))
    assert answer.status_code == 400
    assert "decision" not in answer.json()


@pytest.mark.parametrize("changes", [
    {"subject": {"type": "robot", "id": "x"}}, {"action": {"name": "delete"}}, {"resource": {"type": "record", "id": "Bash"}},
])  # fmt: skip
def test_other_questions_are_denied(daemon: Daemon, changes: dict[str, Any]) -> None:
    answer = daemon.post(ONE, evaluation(**changes))
    assert (answer.status_code, answer.json()["decision"]) == (200, False)


ALLOWED, DENIED, ASKED = resource("npm run a"), resource("git push -f"), resource("git push origin x")


@pytest.mark.parametrize(("semantic", "items", "decisions"), [
    pytest.param(None, [ALLOWED, DENIED, ASKED, ALLOWED], [True, False, False, True], id="all, as nothing is said"),
    pytest.param("execute_all", [DENIED, ALLOWED], [False, True], id="all"),
    pytest.param("deny_on_first_deny", [ALLOWED, ASKED, ALLOWED], [True, False], id="up to the first denial"),
    pytest.param("permit_on_first_permit", [DENIED, ALLOWED, DENIED], [False, True], id="up to the first permission"),
])  # fmt: skip
def test_several(daemon: Daemon, semantic: str | None, items: list[dict[str, Any]], decisions: list[bool]) -> None:
    options = {"options": {"evaluations_semantic": semantic}} if semantic else {}
    answer = daemon.post(MANY, {**evaluation(resource=None), "evaluations": items, **options})
    assert [item["decision"] for item in answer.json()["evaluations"]] == decisions


def test_what_an_item_says_replaces_what_stands_at_the_top(daemon: Daemon) -> None:
    answer = daemon.post(MANY, {**evaluation(), "evaluations": [{}, DENIED, {"subject": {"type": "robot", "id": "x"}}]})
    assert [item["decision"] for item in answer.json()["evaluations"]] == [True, False, False]


def test_a_malformed_item_is_denied_in_its_place(daemon: Daemon) -> None:
    answer = daemon.post(MANY, {**evaluation(), "evaluations": [{"resource": {"id": "Bash"}}, ALLOWED]}).json()
    assert answer["evaluations"][0]["decision"] is False
    assert answer["evaluations"][0]["context"]["error"]["status"] == 400
    assert answer["evaluations"][1]["decision"] is True


@pytest.mark.parametrize("empty", [{}, {"evaluations": []}])
def test_without_a_list_it_is_one_evaluation(daemon: Daemon, empty: dict[str, Any]) -> None:
    assert daemon.post(MANY, {**evaluation(), **empty}).json()["decision"] is True


@pytest.mark.parametrize("wrong", [
    {"options": {"evaluations_semantic": "any"}}, {"evaluations": {}}, {"evaluations": [1]}, {"subject": "x"},
])  # fmt: skip
def test_a_malformed_list_is_an_error(daemon: Daemon, wrong: dict[str, Any]) -> None:
    assert daemon.post(MANY, {**evaluation(), "evaluations": [{}], **wrong}).status_code == 400


def test_the_configuration_names_the_endpoints(daemon: Daemon) -> None:
    found = daemon.get("/.well-known/authzen-configuration", Host="pdp.example").json()
    assert found["policy_decision_point"] == "http://pdp.example"
    assert found["access_evaluation_endpoint"] == "http://pdp.example" + ONE
    assert found["access_evaluations_endpoint"] == "http://pdp.example" + MANY
