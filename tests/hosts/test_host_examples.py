"""The examples of docs/hosts.md, each run with the real package: a denied call does not run."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest
from host_policy import POLICY

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "hosts.md").read_text(encoding="utf-8")
EXAMPLES = dict(re.findall(r"^```py (\S+)\n([\s\S]*?)^```$", TEXT, re.MULTILINE))
PACKAGES = {
    "langchain": "langchain", "openai-agents": "agents", "pydantic-ai": "pydantic_ai", "agentscope": "agentscope",
    "claude-agent-sdk": "claude_agent_sdk",
}  # fmt: skip

pytestmark = pytest.mark.filterwarnings("default")


def test_every_framework_has_an_example() -> None:
    assert EXAMPLES.keys() == PACKAGES.keys()


@pytest.fixture(params=PACKAGES)
def built(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The name of a framework, and `build` of its example."""
    name = request.param
    if importlib.util.find_spec(PACKAGES[name]) is None:
        pytest.skip(f"needs `{PACKAGES[name]}` (dependency group `hosts`)")
    (tmp_path / "policy").mkdir()
    (tmp_path / "policy" / "p.remit").write_text(POLICY, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    scope: dict[str, Any] = {}
    exec(compile(EXAMPLES[name], f"docs/hosts.md {name}", "exec"), scope)
    return name, scope["build"]


def test_the_example_denies(built: Any) -> None:
    name, build = built
    module = {"langchain": "test_langchain", "openai-agents": "test_openai_agents", "pydantic-ai": "test_pydantic_ai"}
    if name == "claude-agent-sdk":
        [matcher] = build(None).hooks["PreToolUse"]
        given = {
            "hook_event_name": "PreToolUse",
            "cwd": "/srv/shop",
            "tool_name": "Bash",
            "tool_input": {"command": "rm x"},
        }
        answer = asyncio.run(matcher.hooks[0](given, "t", {}))
        assert answer["hookSpecificOutput"]["permissionDecision"] == "deny"
        return
    host = _host(module.get(name, "test_agentscope"))
    _DRIVERS[name](build, host)
    assert host.ran == ["ls"]


def _host(module: str) -> Any:
    """The scripted host of that framework's own test, whose model runs `ls` and `rm x`."""
    spec = importlib.util.spec_from_file_location(f"{module}_example", Path(__file__).with_name(f"{module}.py"))
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    commands = ['{"command": "ls"}', '{"command": "rm x"}'] if module == "test_openai_agents" else ["ls", "rm x"]
    return loaded.Host(*commands)


def _langchain(build: Any, host: Any) -> None:
    host.agent = build(host.model, [host.tool])
    host.start()


def _openai(build: Any, host: Any) -> None:
    host.agent = build(host.agent.model, [host.tool])
    host.start()


def _pydantic(build: Any, host: Any) -> None:
    host.agent = build(host.model, host.tools)
    host.start()


def _agentscope(build: Any, host: Any) -> None:
    host.agent = build(host.model, [host.tool])
    host.start()


_DRIVERS = {"langchain": _langchain, "openai-agents": _openai, "pydantic-ai": _pydantic, "agentscope": _agentscope}
