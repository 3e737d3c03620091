from __future__ import annotations

from pathlib import Path

import pytest
from remit_calls import Remit

from remit.cli.init import TEMPLATES


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("folder", ["shop", "9 lives", "…", "Mixed_Case"])
def test_the_first_policy_is_right_from_the_start(remit: Remit, template: str, folder: str) -> None:
    done = remit("init", folder, "--template", template)
    assert done.code == 0
    path = f"{folder}/.remit"
    assert f"created {path}/policy.remit\n" in done.out
    assert remit("check", path).out.endswith("1 policy: 0 errors, 0 warnings\n")
    assert remit("test", path).code == 0
    assert remit("fmt", "--check", path).code == 0


def test_the_baseline_has_no_lint(remit: Remit) -> None:
    remit("init")
    assert remit("lint", ".remit").out == "0 findings\n"
    assert remit("test", "--coverage", ".remit").out.startswith("5 of 5 rules decide a test\n")


def test_an_existing_policy_is_never_overwritten(remit: Remit, tmp_path: Path) -> None:
    path = tmp_path / ".remit" / "policy.remit"
    path.parent.mkdir()
    path.write_text("mine")
    done = remit("init")
    assert (done.code, done.out) == (2, "")
    assert "exists already" in done.err
    assert path.read_text() == "mine"


def test_json(remit: Remit) -> None:
    assert remit("init", "x", "--json").json == {"created": "x/.remit/policy.remit"}


def test_a_folder_that_is_called_as_the_standard_library(remit: Remit) -> None:
    remit("init", "std")
    assert remit("check", "std/.remit").code == 0
