"""The command line called in this process, in a folder of its own, with nothing of the user's around it."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from remit_calls import Remit, Result

from remit.cli.main import run


@pytest.fixture
def remit(
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Remit:
    """`remit("check", "x.remit")` in the test's own folder; stdin is what standard input holds."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))

    def call(*arguments: str, stdin: bytes = b"") -> Result:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        code = run(list(arguments))
        captured = capsys.readouterr()
        return Result(code, captured.out, captured.err)

    return call


POLICY = """\
policy org.base for org
use std

deny no-force-push: Bash(git push --force *), Bash(git push -f *)
  because "Force pushes rewrite shared history."
  severity high

ask publishing: Bash(git push *)
  because "Publishing leaves the machine."

deny late: Bash(deploy *)
  because "Not at night."
  when request.labels.env == "prod"

shadow deny trial: Bash(docker *)
  because "Being tried out."

allow everyday: Bash(npm run *), fs.read(./**)

test "history stays" {
  mode bypass
  deny Bash(git push -f) by no-force-push
  ask Bash(git push origin main) by publishing
}
"""


@pytest.fixture
def policy(tmp_path: Path) -> str:
    """The path of a policy with a rule of each kind."""
    path = tmp_path / "policies" / "org.remit"
    path.parent.mkdir()
    path.write_text(POLICY)
    return str(path)
