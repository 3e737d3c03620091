"""How a hook starts: what it imports, from where, and that nothing of the workspace or the environment has a say in that."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hook_place import HOOK, LAUNCHED, LAUNCHER, Place, make_place, patched, refused

from remit.hook_start import language_roots

BOTH = pytest.mark.parametrize("command", [pytest.param(HOOK, id="-m"), pytest.param(LAUNCHED, id="launched")])


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return make_place(tmp_path_factory.mktemp("start"))


# --- the launcher ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "decision"),
    [
        ("git push -f", "deny"),
        ("git push", "ask"),
        ("npm run x", "allow"),
        ("npm run $X > 'a b' && git push -f {a,b}", "deny"),
    ],
)
def test_the_launcher_decides_the_same(place: Place, command: str, decision: str) -> None:
    call = place.payload(command)
    assert place.decision(call, command=LAUNCHED) == place.decision(call)
    assert place.decision(call)[0] == decision


def test_the_launcher_compiles_where_nothing_is_cached(place: Place, tmp_path: Path) -> None:
    """The parser is an installed package, and -S leaves those out until they are needed."""
    arguments = ("--policy", str(place.policy), "--home", str(tmp_path))
    assert place.decision(place.payload(), *arguments, command=LAUNCHED)[0] == "deny"


def test_the_launcher_finds_what_conditions_need(place: Place, tmp_path: Path) -> None:
    """Without RE2 a deny with `matches` could only ask."""
    pytest.importorskip("re2")
    (tmp_path / "x.remit").write_text(
        'use std\ndeny d: Bash(git *) because "no" when command.program matches "^g.t$"\n'
    )
    for _ in range(2):  # compiled, and from the cache
        assert place.decision(place.payload(), "--policy", str(tmp_path), command=LAUNCHED)[0] == "deny"


def test_the_launcher_says_what_is_wrong_with_a_policy(place: Place, tmp_path: Path) -> None:
    (tmp_path / "x.remit").write_text("denny Bash(x)\n")
    said = refused(place.run(place.payload(), "--policy", str(tmp_path), command=LAUNCHED))
    assert "E102 unknown statement (x.remit:1)" in said


def test_a_relative_launcher_is_refused(place: Place) -> None:
    """Which file that is depends on the working directory, and so would what it imports."""
    relative = os.path.relpath(LAUNCHER, place.workspace)
    command = [sys.executable, "-I", "-S", relative, "hook", "claude-code"]
    assert "/absolute/path" in refused(place.run(place.payload("npm run x"), command=command))


def test_an_installation_without_the_hook_refuses(place: Place, tmp_path: Path) -> None:
    """An exit code of 1, as an uncaught exception has it, would let the call through."""
    (tmp_path / "remit").mkdir()
    shutil.copy(LAUNCHER, tmp_path / "remit" / "launch.py")
    command = [*LAUNCHED[:3], str(tmp_path / "remit" / "launch.py"), "hook", "claude-code"]
    assert "cannot start" in refused(place.run(place.payload("npm run x"), command=command))
    gone = patched("sys.modules['remit.hook_start'] = None")
    assert "cannot start" in refused(place.run(place.payload("npm run x"), command=gone))


def test_a_launcher_that_looks_elsewhere_is_refused(place: Place) -> None:
    """Without -I the folder of the launcher itself would come before the standard library, and PYTHONPATH before that."""
    said = refused(place.run(place.payload("npm run x"), command=[LAUNCHED[0], "-S", *LAUNCHED[3:]]))
    assert "python3 -I -S" in said


@pytest.mark.parametrize("arguments", [[], ["decide"], ["--help"], ["hook", "--help"]])
def test_the_launcher_is_for_hooks_alone(place: Place, arguments: list[str]) -> None:
    """What else the command line needs is not there without `site`; and an exit code of 1 would let a call through."""
    done = subprocess.run([*LAUNCHED[:4], *arguments], capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, b"")


def test_an_installed_remit_is_imported_from_its_own_folder(tmp_path: Path) -> None:
    """In an installation the language lies beside `remit/`; a folder `dsl` next to that is somebody else's."""
    root = tmp_path / "evaluator"
    root.mkdir()
    assert language_roots(str(root)) == []
    (tmp_path / "dsl").mkdir()
    assert language_roots(str(root)) == [str(tmp_path / "dsl")]
    (root / "remit_dsl").mkdir()
    assert language_roots(str(root)) == []
    (tmp_path / "lib").mkdir()
    assert language_roots(str(tmp_path / "lib")) == []


# --- what could be imported in its place ---------------------------------------------------------------------------

MODULES = (
    "json",
    "signal",
    "os",
    "re",
    "remit",
    "remit_dsl",
    "_sha256",
    "_json",
    "_socket",
    "encodings",
    "site",
    "lark",
    "gc",
)


@pytest.fixture
def lures(tmp_path: Path) -> Path:
    """A folder of modules that let every call through, as files and as packages."""
    for name in (*MODULES, "sitecustomize", "usercustomize"):
        (tmp_path / f"{name}.py").write_text("import os\nos._exit(0)\n")
    for name in ("remit", "remit_dsl", "dsl"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("import os\nos._exit(0)\n")
    return tmp_path


@BOTH
@pytest.mark.parametrize("cached", [True, False])
def test_modules_of_the_workspace_are_not_imported(
    place: Place, lures: Path, tmp_path_factory: pytest.TempPathFactory, command: list[str], cached: bool
) -> None:
    home = place.environment["HOME"] if cached else str(tmp_path_factory.mktemp("home"))
    lured = place._replace(workspace=lures)
    arguments = ("--policy", str(place.policy), "--home", home)
    assert lured.decision(place.payload(cwd=str(lures)), *arguments, command=command)[0] == "deny"


@BOTH
@pytest.mark.parametrize(
    "name", ["PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONUSERBASE", "PYTHONPLATLIBDIR", "PYTHONPYCACHEPREFIX"]
)
@pytest.mark.parametrize("cached", [True, False])
def test_variables_do_not_say_what_is_imported(
    place: Place, lures: Path, tmp_path_factory: pytest.TempPathFactory, command: list[str], name: str, cached: bool
) -> None:
    home = place.environment["HOME"] if cached else str(tmp_path_factory.mktemp("home"))
    value = str(lures / "json.py") if name == "PYTHONSTARTUP" else str(lures)
    lured = place._replace(environment={**place.environment, name: value})
    arguments = ("--policy", str(place.policy), "--home", home)
    assert lured.decision(place.payload(), *arguments, command=command)[0] == "deny"


# --- what is imported ------------------------------------------------------------------------------------------------

# All of the standard library that a call may import whose program is cached, beside what an interpreter starts with. Each of the
# others costs: `re` with `enum` 6 ms, `typing` 4 ms, `json` 2 ms, `collections` 2 ms, where a bare interpreter starts in 8 ms.
LIGHT = {
    "__future__", "_bisect", "_collections", "_collections_abc", "_json", "_sha2", "_sha256", "_stat", "errno", "gc", "genericpath",
    "itertools", "os", "posixpath", "pwd", "stat", "time",
}  # fmt: skip
# What a question to a daemon takes.
ASKING = {
    "remit", "remit.__main__", "remit.agents", "remit.agents.claude_code", "remit.agents.fields",
    "remit.agents.protocols", "remit.daemon_client", "remit.hook", "remit.hook_start",
    "remit.payloads", "remit.request", "remit.sockets", "remit_dsl", "remit_dsl.digest", "remit_dsl.json_text", "remit_dsl.records",
}  # fmt: skip
REPORT = """
import os
from remit.hook_start import InstalledPackages
sys.meta_path.append(InstalledPackages())
started = set(sys.modules)
leave = os._exit
def exit(code):
    os.write(2, "\\n".join(set(sys.modules) - started).encode())
    leave(code)
os._exit = exit
"""


def imported(place: Place, call: bytes, *arguments: str) -> set[str]:
    """The modules that a call imports."""
    given = arguments or ("--policy", str(place.policy))
    command = [*patched(REPORT)]
    command.insert(2, "-S")
    command[4] = f"import sys; sys.path += {[str(path) for path in import_roots()]}\n{command[4]}"
    place.run(call, *given)  # so that the program is cached
    done = place.run(call, *given, command=command)
    assert done.returncode == 0
    return set(done.stderr.decode().split())


def import_roots() -> list[Path]:
    return [LAUNCHER.parents[1], LAUNCHER.parents[2] / "dsl"]


@pytest.mark.parametrize("command", ["git push -f", "npm run x && npm run 'a b' > x", "git push 2>&1 | tail -5"])
def test_a_plain_command_imports_little(place: Place, command: str) -> None:
    modules = imported(place, place.payload(command))
    foreign = {name for name in modules if name.partition(".")[0] not in ("remit", "remit_dsl")}
    assert foreign <= LIGHT
    slow = {"remit.shell.parser", "remit.code", "remit.explain", "remit.risk", "remit_dsl.patterns", "remit_dsl.tree"}
    assert not modules & slow


def test_any_other_command_imports_no_compiler(place: Place) -> None:
    modules = imported(
        place, place.payload("echo $X; awk '{print}' {a,b} | sed s/a/b/ && python3 -c 'print(1)' && git push -f")
    )
    assert "remit.shell.parser" in modules
    heavy = {
        "lark",
        "click",
        "pydantic",
        "dataclasses",
        "inspect",
        "importlib.metadata",
        "logging",
        "asyncio",
        "subprocess",
        "json",
    }
    assert not modules & heavy
    compiling = {"remit_dsl.parser", "remit_dsl.checker", "remit_dsl.compiler", "remit_dsl.render", "remit.importers"}
    assert not modules & compiling


def test_an_event_without_a_call_imports_next_to_nothing(place: Place) -> None:
    modules = imported(place, place.payload(hook_event_name="Stop"))
    assert {name for name in modules if name.startswith("remit")} <= ASKING


def test_sessions_are_imported_only_when_there_are_some(place: Place, tmp_path: Path) -> None:
    """And even then nothing is compiled, where the session has no rules of its own."""
    tmp_path.chmod(0o700)
    arguments = ("--policy", str(place.policy), "--sessions", str(tmp_path / "s.db"))
    without, with_sessions = imported(place, place.payload()), imported(place, place.payload(), *arguments)
    assert {name for name in without if name.startswith(("remit.sessions", "sqlite3"))} == set()
    assert "remit.sessions.deciding" in with_sessions
    assert not with_sessions & {"lark", "click", "pydantic", "dataclasses", "remit_dsl.parser", "remit_dsl.compiler"}
