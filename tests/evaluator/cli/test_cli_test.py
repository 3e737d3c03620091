from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from remit_calls import Remit

POLICY = """\
policy org.t for org
use std
deny no-push: Bash(git push *) because "no"
deny no-keys: fs.read(**/*.pem), fs.write(**/*.pem), fs.delete(**/*.pem) because "no"
ask hosts: net.connect(*) except net.connect(good.example) because "which?"
deny in-prod: Bash(psql *) because "no" when request.labels.env == "prod" and request.user == "eve" and request.host == "h1"
deny at-night: Bash(deploy *) because "no" when request.time.hour >= 22
ask never-tested: Bash(other *) because "?"
allow reading: fs.read(./**), exec(cat)

test "commands" {
  deny Bash(cd x && git push) by no-push
  allow Bash(cat notes.txt) by reading
  ask Bash(cat /etc/notes)
}
test "capabilities stand for calls" {
  deny fs.read(a.pem) by no-keys
  deny fs.write(a.pem) by no-keys
  deny fs.delete(a b.pem) by no-keys
  ask net.connect(bad.example) by hosts
  allow exec(cat)
}
test "settings" {
  label env = "prod"
  user "eve"
  host "h1"
  time "2026-12-01T23:00"
  deny Bash(psql -c x) by in-prod
  deny Bash(deploy now) by at-night
}
test "day" {
  ask Bash(psql -c x)
  ask Bash(deploy now)
}
test "the file system is the test's own" {
  cwd "/home/user/project/sub"
  link "notes.txt" to "/keys/a.pem"
  deny Read(notes.txt) by no-keys
  allow Read(other.txt)
}
test "braces give parameters" {
  deny Write { file_path "x.pem" content "y" } by no-keys
}
test "nobody to ask" {
  interactive false
  deny Bash(other x)
}
"""


@pytest.fixture
def tested(tmp_path: Path) -> str:
    (tmp_path / "t.remit").write_text(POLICY)
    return "t.remit"


def test_all_pass(remit: Remit, tested: str) -> None:
    done = remit("test", tested)
    assert (done.code, done.out) == (0, "7 tests, 16 expectations: 16 passed, 0 failed\n")


def test_coverage_names_rules_that_decide_nothing(remit: Remit, tested: str) -> None:
    done = remit("test", "--coverage", tested, "-k", "commands")
    assert "not tested t.remit:4  no-keys" in done.out
    assert "2 of 7 rules decide a test" in done.out


def test_a_rule_counts_when_the_exit_turned_its_ask(remit: Remit, tested: str) -> None:
    assert remit("test", "--json", tested, "-k", "nobody").json["rules_without_test"][-1]["rule"] != "never-tested"


@pytest.mark.parametrize(
    ("expectation", "said"),
    [
        pytest.param(
            "allow Bash(git push)", "expected allow, got deny: rule no-push (t.remit:3): no", id="other decision"
        ),
        pytest.param(
            "deny Bash(git push) by no-keys", "expected deny by no-keys, but it is decided by", id="other rule"
        ),
        pytest.param("ask Nowhere(x)", "`Nowhere` is not declared with a subject", id="no subject"),
    ],
)
def test_failures_say_what_came_instead(remit: Remit, tested: str, tmp_path: Path, expectation: str, said: str) -> None:
    (tmp_path / "t.remit").write_text(POLICY + f'test "wrong" {{\n  {expectation}\n}}\n')
    done = remit("test", tested, "-k", "wrong")
    assert done.code == 1
    assert said in done.out
    line = POLICY.count("\n") + 2
    assert f"FAIL t.remit:{line}  wrong" in done.out


def test_junit(remit: Remit, tested: str, tmp_path: Path) -> None:
    (tmp_path / "t.remit").write_text(POLICY + 'test "wrong \\u{7}" {\n  allow Bash("git push \\u{1b}[2J")\n}\n')
    done = remit("test", tested, "--junit", "out.xml")
    assert done.code == 1
    root = ElementTree.parse(tmp_path / "out.xml").getroot()
    assert root.attrib["tests"] == "17"
    assert root.attrib["failures"] == "1"
    failures = root.findall(".//failure")
    assert [failure.attrib["message"] for failure in failures] == [
        "expected allow, got ask: rule no-push (t.remit:3): could not be understood: control character"
    ]


def test_a_tier_setting_asks_for_the_policies_above(remit: Remit, tmp_path: Path) -> None:
    (tmp_path / "org.remit").write_text('policy o for org\nuse std\nask a: Bash(x *) because "?"\n')
    rule = 'policy u for user\ndeny b: Bash(x *) because "no"\n'
    user = rule + 'test "org" {\n  tier org\n  ask Bash(x y)\n}\ntest "all" {\n  deny Bash(x y)\n}\n'
    (tmp_path / "user.remit").write_text(user)
    assert remit("test", "org.remit", "user.remit").code == 0


def test_a_policy_with_errors_is_not_tested(remit: Remit, tmp_path: Path) -> None:
    (tmp_path / "x.remit").write_text("denny\n")
    done = remit("test", "x.remit")
    assert (done.code, done.out) == (2, "")
    assert "x.remit:1:1" in done.err


def test_no_test_of_that_name(remit: Remit, tested: str) -> None:
    done = remit("test", "-k", "nothing", tested)
    assert done.code == 2
    assert "no test has `nothing` in its name" in done.err
