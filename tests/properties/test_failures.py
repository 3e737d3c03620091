"""L8: no internal error, no limit and no overlong input ends in allow.

The policy permits everything and the mode does, too: whatever is not allowed here is stopped by the failure alone.
"""

from __future__ import annotations

import importlib
import inspect
import json
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import CWD, HOME, PolicyText, RuleText, World, engine_of, worlds

from remit.engine import Engine
from remit.payloads import PayloadError
from remit.request import Request
from remit.request_json import request_of

GENEROUS = PolicyText(
    "org",
    (
        RuleText(
            "deny",
            (
                "Bash(nosuch *)",
                "Bash(git nosuch *)",
                "fs.read(/nosuch/**)",
                "exec(nosuch)",
                "net.connect(nosuch.example)",
            ),
        ),
        RuleText(
            "deny",
            ("Bash(* nosuch)", 'Bash(like "nosuch*")', "Read(/nosuch)", "Ask(nosuch*)"),
            (),
            ' when request.user == "x"',
        ),
        RuleText("allow", ("*", "Bash(*)", "fs.read", "fs.write", "fs.delete", "net.connect", "exec")),
    ),
    ("default allow",),
)
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("Bash", {"command": "git status && cat x | rm -r y > z"}),
    ("Bash", {"command": 'cd src; X=a; timeout 5 sudo rm "$X"/*.py {b,c} $(echo ~) <<E\n$X\nE'}),
    ("Bash", {"command": "mytool -v git $X https://good.example x"}),
    (
        "Bash",
        {"command": "find . -name x -exec rm {} + ; LANG=C curl -o x good.example:80; sh -c 'cat y'", "cwd": "src"},
    ),
    ("Read", {"file_path": "~/x"}),
    ("Search", {"path": "src"}),
    ("WebFetch", {"url": "https://good.example/a"}),
    ("Ask", {"query": "hello"}),
)
MODULES = (
    *(
        "engine",
        "observe",
        "observe_shell",
        "accesses",
        "arguments",
        "knowledge",
        "plain_effects",
        "decide",
        "candidates",
    ),
    *("match", "match_shell", "match_words", "match_paths", "permit", "conditions", "paths", "network", "shell_state"),
    *(
        "spellings",
        "trees",
        "request",
        "roots",
        "shell.splitter",
        "shell.fast",
        "shell.parser",
        "shell.lists",
        "shell.simple",
    ),
)
# The boundary itself, and what runs before a request comes.
NOT_INSIDE = frozenset(("failure", "with_real_spellings"))


class Broken(Exception):
    """What a part of the machinery raises. Nothing inside may know how to handle it."""


def _parts() -> Iterator[tuple[str, str]]:
    """Every function that a module of the request path defines or uses."""
    for name in MODULES:
        module = importlib.import_module(f"remit.{name}")
        for attribute, value in vars(module).items():
            own = inspect.isroutine(value) and str(getattr(value, "__module__", "")).startswith("remit")
            if own and attribute not in NOT_INSIDE:
                yield f"remit.{name}", attribute


def _request(tool: str, given: Mapping[str, Any], mode: str = "bypass") -> Request:
    return Request(tool, given, CWD, (CWD,), HOME, mode=mode, time="2026-12-01T10:00", classifier="allow")


@pytest.fixture
def engine() -> Engine:
    return engine_of((GENEROUS,))


@pytest.mark.parametrize(("tool", "given_input"), CALLS)
def test_the_calls_are_allowed_when_nothing_fails(engine: Engine, tool: str, given_input: dict[str, Any]) -> None:
    """Else the tests below would prove nothing. (An unknown word makes a deny maybe: that call asks, and is kept for its parts.)"""
    decision = engine.decide(_request(tool, given_input)).decision
    assert decision == "allow" or "$X" in given_input["command"]


@pytest.mark.parametrize(("module", "name"), sorted(_parts()))
def test_a_part_that_fails_never_ends_in_allow(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, module: str, name: str
) -> None:
    """Each function of the request path raises when it is called; every call that needed it is not allowed, and none raises."""
    called = []

    def broken(*args: object, **kwargs: object) -> NoReturn:
        called.append(name)
        raise Broken(name)

    monkeypatch.setattr(f"{module}.{name}", broken)
    for tool, given_input in CALLS:
        called.clear()
        verdict = engine.decide(_request(tool, given_input))
        assert verdict.decision != "allow" or not called


@pytest.mark.parametrize(
    "error", [RecursionError, MemoryError, ValueError, KeyError, UnicodeError, OSError, AssertionError]
)
@pytest.mark.parametrize("part", ["remit.engine.observe", "remit.engine.decide", "remit.engine.Engine.observe"])
def test_every_kind_of_error_is_denied(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, part: str, error: type[Exception]
) -> None:
    def broken(*args: object, **kwargs: object) -> NoReturn:
        raise error

    monkeypatch.setattr(part, broken)
    verdict = engine.decide(_request("Bash", {"command": "echo x"}))
    assert (verdict.decision, verdict.reason.code) == ("deny", "error")


# --- limits (docs/semantics.md, "budget") --------------------------------------------------------------------


def _nested(text: str, frame: str, times: int) -> str:
    for _ in range(times):
        text = frame.format(text)
    return text


def _in_shells(times: int) -> str:
    text = "echo x"
    for _ in range(times):
        text = f"sh -c {_quoted(text)}"
    return text


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


BELOW = {
    "a long command": "echo " + "x" * 32_000,
    "many commands": "echo x\n" * 400,
    "many words": "echo " + "x " * 4_000,
    "deep subshells": _nested("echo x", "( {} )", 14),
    "deep shells": _in_shells(3),
}
BEYOND = {
    "too long": "echo " + "x" * 33_000,
    "too long, in characters of several bytes": "echo " + "é" * 33_000,
    "too many commands": "echo x\n" * 513,
    "too many commands in pieces": "\n".join([f"sh -c {_quoted('echo x;' * 100)}"] * 6),
    "too many words": "echo " + "x " * 4_097,
    "too many words in braces": "echo " + "{a,b}" * 13,
    "too deep subshells": _nested("echo x", "( {} )", 17),
    "too deep substitutions": _nested("echo x", "echo $({})", 17),
    "far too deep": "(" * 20_000,
    "too deep shells": _in_shells(6),
    "too deep wrappers": "timeout 1 " * 6 + "echo x",
    "very deep wrappers": "timeout 1 " * 1_000 + "echo x",
    "an open quote": "echo '" + "x" * 20_000,
    "only holes": "echo " + "$(" * 10_000,
}


@pytest.mark.parametrize("command", BELOW.values(), ids=BELOW)
def test_just_below_a_limit_is_allowed(engine: Engine, command: str) -> None:
    assert engine.decide(_request("Bash", {"command": command})).decision == "allow"


@pytest.mark.parametrize("mode", ["bypass", "default", "auto"])
@pytest.mark.parametrize("command", BEYOND.values(), ids=BEYOND)
def test_beyond_a_limit_is_not_allowed(engine: Engine, command: str, mode: str) -> None:
    assert engine.decide(_request("Bash", {"command": command}, mode)).decision != "allow"


@pytest.mark.parametrize(
    "given_input",
    [
        {"file_path": "x", "more": "y" * (1 << 20)},
        {"file_path": "x", "more": ["y" * 1024] * 1025},
        {"file_path": "x", "more": {str(at): at for at in range(200_000)}},
        {"file_path": "x" * 5_000_000},
    ],
    ids=["one text", "many texts", "many numbers", "the path"],
)
@pytest.mark.parametrize("tool", ["Read", "Bash", "Unheard"])
def test_a_request_of_more_than_a_megabyte_is_not_allowed(
    engine: Engine, tool: str, given_input: dict[str, Any]
) -> None:
    assert engine.decide(_request(tool, given_input)).decision != "allow"


# --- hostile values ------------------------------------------------------------------------------------------


class Hostile(Mapping[str, Any]):
    """A mapping that fails whenever it is looked at."""

    def __getitem__(self, key: str) -> Any:
        raise Broken(key)

    def __iter__(self) -> Iterator[str]:
        raise Broken("iter")

    def __len__(self) -> int:
        raise Broken("len")


def _deep() -> list[Any]:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    return deep


_odd: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.binary(max_size=3)
    | st.just("\ud800"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3) | st.integers(), inner, max_size=3),
    max_leaves=5,
)
STRICT = PolicyText("org", (RuleText("allow", ("Bash(git status)", "Read(./x)")),), ("default ask",))


@given(_odd, st.sampled_from(("Bash", "Read", "run_shell", "WebFetch", "Search", "Note2")))
def test_a_value_of_the_wrong_type_is_not_allowed(value: Any, tool: str) -> None:
    """Whatever stands where a command, path or URL should: only the two calls that a rule names are allowed."""
    names = ("command", "cmd", "file_path", "path", "url")
    verdict = engine_of((STRICT,)).decide(Request(tool, dict.fromkeys(names, value), CWD, (CWD,), HOME))
    assert verdict.decision != "allow" or value in ("x", "git status")


@given(st.sampled_from(Request._fields), _odd)
def test_a_field_of_the_wrong_type_never_raises_or_permits(field: str, value: Any) -> None:
    """One field of a request is nonsense: nothing is allowed that would not be without it, and nothing raises."""
    request = Request("Bash", {"command": "rm x"}, CWD, (CWD,), HOME)
    assert engine_of((STRICT,)).decide(request._replace(**{field: value})).decision != "allow"


@pytest.mark.parametrize(
    "given_input", [Hostile(), None, [], "x", {"command": _deep()}, {"command": "rm x", 7: _deep()}]
)
def test_hostile_parameters_are_not_allowed(engine: Engine, given_input: Any) -> None:
    strict = engine_of((STRICT,))
    assert strict.decide(Request("Bash", given_input, CWD, (CWD,), HOME)).decision != "allow"


@pytest.mark.parametrize("value", [None, 7, "x", object(), Request])
def test_what_is_no_request_is_denied(engine: Engine, value: Any) -> None:
    assert engine.decide(value).decision == "deny"


@given(worlds(), st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=3))
def test_json_of_the_wrong_shape_is_refused_or_judged(world: World, value: Any) -> None:
    """A JSON request with one field replaced is either refused or judged; it never lifts a denial by a rule."""
    engine = engine_of(world.policies)
    plain = {"tool": "Bash", "input": {"command": "rm -r x"}, "cwd": CWD, "home": HOME, "workspace": [CWD]}
    for field in ("tool", "input", "cwd", "mode", "session", "labels", "interactive", "approved", "classifier"):
        try:
            request = request_of(json.loads(json.dumps({**plain, field: value})))
        except PayloadError:
            continue
        verdict = engine.decide(request)
        denied = engine.decide(request_of(plain))
        if field not in ("tool", "input", "cwd", "mode", "labels") and denied.reason.code == "rule":
            assert verdict.decision == denied.decision or denied.decision == "ask"
