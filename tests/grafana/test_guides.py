"""What the guides for operators show is right: the table of alerts, the YAML, and the script that pulls policies."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from dashboards import ROOT, RUNBOOKS

DOCS = ROOT / "docs"
GUIDES = [DOCS / "operations.md", DOCS / "fleet.md", DOCS / "security-model.md", ROOT / "grafana" / "README.md"]
GOOD = "policy acme.pulled for org\nuse std\ndeny no-push: Bash(git push *)\n"


def _fences(text: str, kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n([\s\S]*?)^```$", text, re.MULTILINE)


def test_table_of_alerts() -> None:
    """Each alert stands there as its runbook says it."""
    text = (DOCS / "operations.md").read_text(encoding="utf-8")
    table = text.partition("<!-- alerts: begin -->\n")[2].partition("<!-- alerts: end -->")[0]
    said = {}
    for path in RUNBOOKS.glob("*.md"):
        found = re.search(r"^\*\*Severity: (\w+)\.\*\* (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
        assert found
        said[path.stem] = f"| [{path.stem}](runbooks/{path.name}) | {found[1]} | {found[2]} |"
    assert sorted(table.splitlines()[2:]) == sorted(said.values())


@pytest.mark.parametrize("path", [*GUIDES, *sorted(RUNBOOKS.glob("*.md"))], ids=lambda path: path.stem)
def test_links(path: Path) -> None:
    """Links lead to files and headings that are there."""
    for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text(encoding="utf-8")):
        if "://" in target:
            continue
        name, _, heading = target.partition("#")
        file = (path.parent / name).resolve() if name else path
        assert file.exists(), target
        if heading:
            assert heading in _headings(file.read_text(encoding="utf-8")), target


def _headings(text: str) -> set[str]:
    """The anchors that GitHub gives to headings."""
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def test_yaml() -> None:
    blocks = _fences((DOCS / "fleet.md").read_text(encoding="utf-8"), "yaml")
    assert [type(yaml.safe_load(block)) for block in blocks] == [list, dict]


def _git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, timeout=30)


def _commit(folder: Path, text: str) -> None:
    (folder / "policies").mkdir(exist_ok=True)
    (folder / "policies" / "org.remit").write_text(text, encoding="utf-8")
    _git(folder, "add", "-A")
    _git(folder, "commit", "-q", "-m", "x")


def test_pulling_script(tmp_path: Path) -> None:
    """It brings a right revision in place, leaves a broken one out, and does nothing when there is nothing new."""
    origin, place = tmp_path / "origin", tmp_path / "place"
    origin.mkdir()
    place.mkdir()
    _git(origin, "init", "-q")
    _commit(origin, GOOD)
    _git(place, "clone", "-q", str(origin), "repository")
    (script,) = [block for block in _fences((DOCS / "fleet.md").read_text(encoding="utf-8"), "sh") if "fetch" in block]
    pull = tmp_path / "pull"
    remit = f"{sys.executable} -m remit"
    pull.write_text(script.replace("/var/lib/remit-policies", str(place)).replace("/opt/remit/bin/remit", remit))
    assert _run(pull) == 0
    first = (place / "current").readlink()
    assert (place / "current" / "policies" / "org.remit").read_text(encoding="utf-8") == GOOD

    _commit(origin, GOOD.replace("deny", "denied"))
    assert _run(pull) != 0
    assert (place / "current").readlink() == first

    _commit(origin, GOOD.replace("push *", "pull *"))
    assert _run(pull) == 0
    assert "git pull" in (place / "current" / "policies" / "org.remit").read_text(encoding="utf-8")
    second = (place / "current").readlink()
    assert second != first
    assert _run(pull) == 0
    assert (place / "current").readlink() == second


def _run(script: Path) -> int:
    return subprocess.run(["sh", str(script)], capture_output=True, timeout=60, check=False).returncode
