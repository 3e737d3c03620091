"""What the routes answer, to well-formed requests and to hostile ones."""

from __future__ import annotations

import json
from typing import Any

import pytest
from daemon_process import Daemon, bash
from opa_client.opa import OpaClient  # type: ignore[import-untyped]

DENIED, ASKED, ALLOWED = "git push -f", "git push origin main", "npm run build"


@pytest.mark.parametrize(("command", "decision"), [(DENIED, "deny"), (ASKED, "ask"), (ALLOWED, "allow")])
def test_one_call(daemon: Daemon, command: str, decision: str) -> None:
    answer = daemon.post("/v1/decide", bash(command)).json()
    assert answer["decision"] == decision
    assert answer["revision"].startswith("sha256:")
    assert answer["decision_id"]


def test_a_batch_is_answered_in_order_and_a_bad_element_is_an_error(daemon: Daemon) -> None:
    batch = [bash(ALLOWED), {"tool": "Bash", "imput": {}}, 7, bash(DENIED), None, bash(ASKED)]
    answer = daemon.post("/v1/decide", batch).json()
    assert [item.get("decision") for item in answer] == ["allow", None, None, "deny", None, "ask"]
    assert [item["error"] for item in answer if "error" in item] == ["bad_request"] * 3
    assert "imput" in answer[1]["message"]


def test_an_empty_batch_and_one_that_is_too_long(daemon: Daemon) -> None:
    assert daemon.post("/v1/decide", []).json() == []
    assert daemon.post("/v1/decide", [1] * 1001).status_code == 413


def test_large_calls_are_decided_too(daemon: Daemon) -> None:
    text = "x" * 200_000
    answer = daemon.post("/v1/decide", {"tool": "Write", "input": {"file_path": "/tmp/a", "content": text}}).json()
    assert answer["decision"] == "ask"


CALL = json.dumps(bash(ALLOWED))
HOSTILE = [
    pytest.param(b"", id="nothing"),
    pytest.param(b"{", id="half an object"),
    pytest.param(b"null", id="null"),
    pytest.param(b'"npm run build"', id="a text"),
    pytest.param(b"[" * 100_000, id="a deep array"),
    pytest.param(b'{"tool": "Bash", "input": ' + b'{"a": ' * 70 + b"1" + b"}" * 71, id="a deep object"),
    pytest.param(CALL.encode().replace(b'"Bash"', b"NaN"), id="NaN"),
    pytest.param(b'{"tool": "Bash", "input": {"timeout": 1e999, "command": "npm run x"}}', id="infinity"),
    pytest.param(b'{"tool": "Bash", "tool": "Read", "input": {}}', id="a key twice"),
    pytest.param(b'{"tool": "Bash", "input": {"command": "npm run x", "command": "npm run y"}}', id="a parameter twice"),
    pytest.param(b'{"tool": "Bash", "input": {"command": "npm run \\ud800"}}', id="half a surrogate pair"),
    pytest.param(b'{"tool": "Bash", "input": {"command": "npm run \xed\xa0\x80"}}', id="a surrogate in UTF-8"),
    pytest.param(b'{"tool": "Bash", "input": {"command": "npm run \xff"}}', id="not UTF-8"),
    pytest.param(CALL.encode("utf-16"), id="UTF-16"),
    pytest.param(b'{"tool": "Bash", "input": {"command": "npm run x"}} {}', id="two values"),
    pytest.param(b'{"tool": "Bash", "input": "npm run x"}', id="input is a text"),
    pytest.param(b'{"tool": "Bash", "input": {"command": "npm run x"}, "cwd": "src"}', id="a relative folder"),
    pytest.param(b'{"tool": "Bash", "input": {"command": "npm run x"}, "session": {"approved": ["x"]}}', id="approvals"),
    pytest.param(b'{"tool": "Bash", "input": {"command": "npm run x"}, "interactive": 1}', id="a number for a flag"),
    pytest.param(b'{"tool": ' + b"9" * 5000 + b"}", id="a number with 5,000 digits"),
]  # fmt: skip


@pytest.mark.parametrize("body", HOSTILE)
def test_what_is_no_call_is_no_decision(daemon: Daemon, body: bytes) -> None:
    answer = daemon.post("/v1/decide", body)
    assert answer.status_code == 400
    assert sorted(answer.json()) == ["error", "message"]
    nested = daemon.post("/v1/data/remit/decision", b'{"input": ' + body + b"}")
    assert nested.status_code == 400
    assert sorted(nested.json()) == ["code", "message"]


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_only_json_is_read(daemon: Daemon, kind: str) -> None:
    answer = daemon.post("/v1/decide", bash(ALLOWED), {"Content-Type": kind})
    assert (answer.status_code, answer.json()["error"]) == (415, "not_json")


def test_the_request_id_comes_back_if_it_is_harmless(daemon: Daemon) -> None:
    answer = daemon.post("/v1/decide", bash(ALLOWED), {"X-Request-ID": "abc-1"})
    assert answer.headers["x-request-id"] == "abc-1"
    assert "x-request-id" not in daemon.get("/livez", **{"X-Request-ID": "a" * 200}).headers


@pytest.mark.parametrize(("method", "path", "status"), [
    ("POST", "/v1/decide/", 404),
    ("GET", "/v1/decide", 405),
    ("GET", "/", 404),
    ("POST", "/v1/hooks/nobody", 404),
    ("GET", "/v1/admin/reload", 405),
])  # fmt: skip
def test_unknown_paths(daemon: Daemon, method: str, path: str, status: int) -> None:
    with daemon.client() as client:
        answer = client.request(method, path, content=b"{}", headers={"Content-Type": "application/json"})
    assert answer.status_code == status
    assert sorted(answer.json()) == ["error", "message"]


# --- OPA -----------------------------------------------------------------------------------------------------------


def test_the_decision_document(daemon: Daemon) -> None:
    answer = daemon.post("/v1/data/remit/decision", {"input": bash(DENIED), "labels": {}})
    assert sorted(answer.json()) == ["decision_id", "result"]
    assert answer.json()["result"]["decision"] == "deny"
    assert answer.json()["decision_id"] == answer.json()["result"]["decision_id"]
    assert "\n" not in answer.text


def test_the_document_with_everything(daemon: Daemon) -> None:
    answer = daemon.post(
        "/v1/data/remit/decision?metrics=true&explain=full&pretty", {"input": bash(f"cd x && {DENIED}")}
    )
    found = answer.json()
    assert found["metrics"]["timer_server_handler_ns"] > 0
    assert found["explanation"][0] == "deny: rule no-force-push (org.remit:4): Force pushes rewrite history."
    assert any(line.startswith("  deny: git push -f: ") for line in found["explanation"])
    assert answer.text.startswith("{\n  ")


@pytest.mark.parametrize(("path", "body", "status", "code"), [
    ("/v1/data/remit/decisions", {"input": bash(ALLOWED)}, 404, "resource_not_found"),
    ("/v1/data", {"input": bash(ALLOWED)}, 404, "resource_not_found"),
    ("/v1/data/remit/decision", {}, 400, "invalid_parameter"),
    ("/v1/data/remit/decision", {"input": []}, 400, "invalid_parameter"),
    ("/v1/data/remit/decision", {"input": {"tool": "Bash", "imput": {}}}, 400, "invalid_parameter"),
])  # fmt: skip
def test_errors_have_opas_form(daemon: Daemon, path: str, body: dict[str, Any], status: int, code: str) -> None:
    answer = daemon.post(path, body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_a_client_of_opa_works(daemon: Daemon) -> None:
    client = OpaClient(host="127.0.0.1", port=daemon.port())
    try:
        answer = client.query_rule(bash(DENIED), "remit", "decision", {"metrics": True})
    finally:
        client.close_connection()
    assert answer["result"]["decision"] == "deny"
    assert answer["metrics"]


# --- information -----------------------------------------------------------------------------------------------------


def test_policies_and_program(daemon: Daemon) -> None:
    found = daemon.get("/v1/policies").json()
    assert found["result"][-1] == {
        "name": "org.base", "tier": "org", "owner": "security@acme.example",
        "title": "What everybody starts from", "file": "org.remit",
    }  # fmt: skip
    text = daemon.get("/v1/program").text
    assert text.startswith(f"program {found['revision']}\n")
    assert "no-force-push" in text
    whole = daemon.get("/v1/program", Accept="application/json").json()
    assert whole["revision"] == found["revision"]


def test_alive_and_ready(daemon: Daemon) -> None:
    assert daemon.get("/livez").json() == {"status": "live"}
    ready = daemon.get("/readyz")
    assert (ready.status_code, ready.json()["status"], ready.json()["reasons"]) == (200, "ready", [])


@pytest.mark.parametrize(("host", "status"), [
    ("127.0.0.1:1", 200), ("localhost", 200), ("[::1]:99", 200), ("evil.example", 421), ("127.0.0.1.evil.example", 421),
    ("evil.example:127.0.0.1", 421),
])  # fmt: skip
def test_a_web_page_cannot_ask_under_its_own_name(daemon: Daemon, host: str, status: int) -> None:
    import httpx

    answer = httpx.get(f"http://127.0.0.1:{daemon.port()}/livez", headers={"Host": host})
    assert answer.status_code == status
