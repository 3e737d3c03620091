"""What a hook imports to record a decision stays light."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[4]
RECORDS_ONE = """
import sys
from remit.request import Request
from remit.verdict import Reason, UnitVerdict, Verdict
from remit.effects.decided import Decided
before = set(sys.modules)
from remit.effects.audit.light import append_light
reason = Reason("rule", "building")
verdict = Verdict("allow", reason, (UnitVerdict("make test", "allow", reason, ()),), (), "default", "sha256:0", "d-1")
append_light(sys.argv[1], Decided(Request("Bash", {"command": "make test"}, cwd="/srv"), verdict, 1.0, 0.001, "hook"))
print(*sorted({name.partition(".")[0] for name in set(sys.modules) - before}))
"""


def test_a_hook_records_without_heavy_imports(tmp_path: Path) -> None:
    path = os.pathsep.join([str(ROOT / "dsl"), str(ROOT / "evaluator")])
    done = subprocess.run(
        [sys.executable, "-S", "-c", RECORDS_ONE, str(tmp_path / "log" / "decisions.db")],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={"PYTHONPATH": path, "PATH": os.environ["PATH"]},
    )
    loaded = set(done.stdout.split())
    assert "_sqlite3" in loaded
    assert loaded.isdisjoint({"json", "re", "sqlite3", "datetime", "sqlalchemy", "pydantic", "click", "dataclasses"})
