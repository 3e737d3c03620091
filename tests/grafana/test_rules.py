"""Recording and alert rules: what Prometheus' own tool says of them, that each is tested, and that each has a runbook."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from dashboards import FOLDER, ROOT, RUNBOOKS, Rule, rules

RULES = [pytest.param(rule, id=rule.name) for rule in rules()]
ALERTS = [pytest.param(rule, id=rule.name) for rule in rules() if rule.alert]
RECORDED = [pytest.param(rule, id=rule.name) for rule in rules() if not rule.alert]
TESTS = sorted((FOLDER / "prometheus" / "tests").glob("*.test.yml"))
HEADINGS = ["What it does to people", "Look", "Do"]


def _run(tool: str, *arguments: str) -> str:
    """What a tool of Prometheus prints; a machine without it skips the test."""
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed (Debian: prometheus, prometheus-alertmanager)")
    done = subprocess.run([tool, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_rules_are_right() -> None:
    _run("promtool", "check", "rules", *[str(path) for path in (FOLDER / "prometheus" / "rules").glob("*.yml")])


def test_configurations_are_right() -> None:
    _run("promtool", "check", "config", "--syntax-only", str(FOLDER / "prometheus" / "prometheus.yml"))
    _run("amtool", "check-config", str(FOLDER / "alertmanager" / "alertmanager.yml"))


def test_provisioning() -> None:
    """Grafana's data source knows how often is scraped, and its provider takes what the guide puts there."""
    scrape = yaml.safe_load((FOLDER / "prometheus" / "prometheus.yml").read_text(encoding="utf-8"))
    folder = FOLDER / "provisioning"
    (source,) = yaml.safe_load((folder / "datasources" / "remit.yaml").read_text(encoding="utf-8"))["datasources"]
    assert source["jsonData"]["timeInterval"] == scrape["global"]["scrape_interval"]
    (provider,) = yaml.safe_load((folder / "dashboards" / "remit.yaml").read_text(encoding="utf-8"))["providers"]
    assert provider["options"]["path"] in (FOLDER / "README.md").read_text(encoding="utf-8")
    assert [job["job_name"] for job in scrape["scrape_configs"]] == ["remit"]
    targets = yaml.safe_load((FOLDER / "prometheus" / "targets" / "remit.example.yml").read_text(encoding="utf-8"))
    assert [set(target["labels"]) for target in targets] == [{"team", "host"}] * len(targets)


@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.name)
def test_rules_do_what_they_say(path: Path) -> None:
    assert "SUCCESS" in _run("promtool", "test", "rules", str(path))


def test_every_alert_is_tested() -> None:
    """Each fires in some case of `promtool`'s, beside series for which it does not."""
    files = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in TESTS]
    cases = [case for file in files for test in file["tests"] for case in test.get("alert_rule_test", ())]
    assert {case["alertname"] for case in cases if case["exp_alerts"]} == {rule.name for rule in rules() if rule.alert}


@pytest.mark.parametrize("rule", ALERTS)
def test_alert(rule: Rule) -> None:
    """It says what is wrong, how urgent it is, and where to read on; and it waits before it wakes somebody."""
    written = rule.written
    assert rule.name.startswith("Remit")
    assert written["labels"]["severity"] in ("page", "ticket")
    assert set(written["annotations"]) == {"summary", "description", "runbook_url"}
    assert written["annotations"]["runbook_url"] == f"docs/runbooks/{rule.name}.md"
    assert re.fullmatch(r"[1-9]\d*[mh]", written["for"])


@pytest.mark.parametrize("rule", ALERTS)
def test_runbook(rule: Rule) -> None:
    """Each alert has a runbook that says as much as its severity, what to look at and what to do."""
    text = (RUNBOOKS / f"{rule.name}.md").read_text(encoding="utf-8")
    assert text.startswith(f"# {rule.name}\n\n**Severity: {rule.written['labels']['severity']}.** ")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == HEADINGS
    for link in re.findall(r"\]\(([^)#]+)", text):
        assert (RUNBOOKS / link).is_file(), link


def test_no_runbook_without_alert() -> None:
    named = {rule.name for rule in rules() if rule.alert}
    assert {path.stem for path in RUNBOOKS.glob("*.md")} == named


@pytest.mark.parametrize("rule", RULES)
def test_only_this_job(rule: Rule) -> None:
    """What other jobs call the same is left alone."""
    for name, matchers in re.findall(r"\b((?:remit_\w+)|up)\{([^}]*)\}", rule.expr):
        assert 'job="remit"' in matchers, name
    assert re.findall(r"\bremit_\w+(?![\w:{])", re.sub(r"\w+:remit_\w+:\w+", "", rule.expr)) in (
        [],
        ["remit_policy_info"],
    )


@pytest.mark.parametrize("rule", RECORDED)
def test_recorded_names(rule: Rule) -> None:
    """`level:metric:operations`, as Prometheus' documentation recommends; and somebody asks for it."""
    assert re.fullmatch(r"[a-z_]+:remit_[a-z_]+:[a-z0-9_]+", rule.name)
    asked = [other.expr for other in rules()] + [path.read_text() for path in (FOLDER / "json").glob("*.json")]
    assert any(rule.name in text for text in asked if text != rule.expr)
