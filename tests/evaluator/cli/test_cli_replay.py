"""`remit replay` and `remit diff`: what another policy would decide, and what differs between two."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from audit_log import POLICY, decided
from remit_calls import Remit

from remit.effects.audit.database import Database
from remit.effects.audit.record import body_of
from remit.verdict import Reason

STRICTER = POLICY.replace("allow building", "deny no-deploys: Bash(make deploy)\nallow building") + "\n# a comment\n"


@pytest.fixture
def log(tmp_path: Path) -> str:
    path = str(tmp_path / "log" / "decisions.db")
    database = Database(path)
    approved = decided("git push")
    approved = approved._replace(verdict=approved.verdict._replace(decision="allow", reason=Reason("approval")))
    calls = [
        decided("make test"),
        decided("make deploy"),
        decided("git push"),
        decided("make TOKEN=Tr0ub4dor deploy"),
        approved,
    ]
    database.append([body_of(item) for item in calls])
    database.remove(0, 0.0)
    database.close()
    return path


@pytest.fixture
def policies(tmp_path: Path) -> tuple[str, str]:
    for name, text in (("old", POLICY), ("new", STRICTER)):
        (tmp_path / f"{name}.remit").write_text(text)
    return str(tmp_path / "old.remit"), str(tmp_path / "new.remit")


def test_the_same_policy_decides_the_same(remit: Remit, log: str, policies: tuple[str, str]) -> None:
    done = remit("replay", log, "--policy", policies[0], "--json")
    assert done.code == 0
    assert (done.json["compared"], done.json["different"]) == (3, 0)
    assert done.json["not_compared"] == {"masked or cut": 1, "approval": 1}


def test_another_policy_decides_otherwise(remit: Remit, log: str, policies: tuple[str, str]) -> None:
    done = remit("replay", log, "--policy", policies[1])
    assert done.code == 1
    assert done.out == "allow -> deny  make deploy  (rule no-deploys; record 2)\n"
    assert (
        done.err
        == "3 compared, 1 different, 1 allow -> deny, 1 not compared: masked or cut, 1 not compared: approval\n"
    )


def test_an_export_replays_like_the_log(remit: Remit, log: str, policies: tuple[str, str], tmp_path: Path) -> None:
    exported = tmp_path / "out.jsonl"
    exported.write_text(remit("audit", "export", "--log", log).out)
    both = [remit("replay", place, "--policy", policies[1], "--json") for place in (log, str(exported))]
    assert both[0] == both[1]


def test_calls_of_the_past_have_the_time_of_the_past(remit: Remit, log: str, tmp_path: Path) -> None:
    policy = tmp_path / "hours.remit"
    policy.write_text(POLICY.replace("Bash(make *)", "Bash(make *) until 2027-06-30"))
    assert remit("replay", log, "--policy", str(policy), "--json").json["different"] == 0
    policy.write_text(POLICY.replace("Bash(make *)", "Bash(make *) until 2026-06-30"))
    assert remit("replay", log, "--policy", str(policy), "--json").json["turns"] == {"allow -> ask": 2}


def test_diff_names_rules(remit: Remit, policies: tuple[str, str]) -> None:
    assert remit("diff", policies[0], policies[0]).code == 0
    done = remit("diff", *policies)
    assert (done.code, done.out) == (1, "+ deny no-deploys: Bash(make deploy)  (new.remit:5)\n")
    done = remit("diff", policies[1], policies[0])
    assert (done.code, done.out) == (1, "- deny no-deploys: Bash(make deploy)  (new.remit:5)\n")


def test_diff_names_what_changed_in_a_rule_and_beside_rules(
    remit: Remit, policies: tuple[str, str], tmp_path: Path
) -> None:
    other = tmp_path / "other.remit"
    other.write_text(
        POLICY.replace("Bash(git push *)", "Bash(git push *), Bash(git tag *)\n  severity high") + "\ndefault deny\n"
    )
    done = remit("diff", policies[0], str(other), "--json")
    assert done.code == 1
    (rule,) = done.json["rules"]
    assert (rule["kind"], rule["rule"], rule["fields"]) == ("changed", "no-push", ["targets", "severity"])
    assert done.json["others"] == ["defaults"]


def test_a_rule_without_a_name_that_moved_is_the_same(remit: Remit, tmp_path: Path) -> None:
    one, two = tmp_path / "one.remit", tmp_path / "two.remit"
    one.write_text("policy a.b for org\nuse std\ndeny Bash(git push *)\nallow Bash(make *)\n")
    two.write_text("policy a.b for org\nuse std\n\n\ndeny Bash(git push *)\nallow Bash(ninja *)\n")
    done = remit("diff", str(one), str(two), "--json")
    assert [(rule["kind"], rule["text"]) for rule in done.json["rules"]] == [
        ("removed", "Bash(make *)"),
        ("added", "Bash(ninja *)"),
    ]


def test_diff_with_calls(remit: Remit, log: str, policies: tuple[str, str], tmp_path: Path) -> None:
    done = remit("diff", *policies, "--calls", log, "--json")
    assert (done.json["compared"], done.json["turns"]) == (4, {"allow -> deny": 1})
    calls = tmp_path / "calls.jsonl"
    calls.write_text(
        "".join(json.dumps({"tool": "Bash", "input": {"command": text}}) + "\n" for text in ("make a", "make deploy"))
    )
    done = remit("diff", *policies, "--calls", str(calls))
    assert "allow -> deny  make deploy  (rule no-deploys; calls.jsonl:2)" in done.out
    assert remit("diff", policies[0], policies[0], "--calls", str(calls)).code == 0


def test_what_cannot_be_done(remit: Remit, policies: tuple[str, str], tmp_path: Path) -> None:
    assert remit("replay", str(tmp_path / "nothing"), "--policy", policies[0]).code == 2
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"tool": "Bash"}\n{"tool": 1}\n')
    done = remit("diff", *policies, "--calls", str(bad))
    assert (done.code, done.err) == (2, "error: bad.jsonl:2: the field tool is no text\n")
