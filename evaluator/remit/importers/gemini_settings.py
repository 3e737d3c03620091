"""What Gemini CLI's settings.json says of tools, as rules with the priorities that the client gives them (policy-engine.md, "Settings")."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from remit.importers.blocks import Block, key_of, lost, shown
from remit.importers.claude_reading import Effect
from remit.importers.conversion import ConversionError, Note
from remit.importers.gemini_rules import Flat
from remit.importers.strict_json import Members

_SHELLS = ("run_shell_command", "ShellTool")
_WITH_CONTENT = re.compile(r"([a-zA-Z0-9_-]+)\((.*)\)")
_NOT_PLAN = frozenset({"default", "auto_edit", "yolo"})
# Names of these settings before they were grouped.
_FORMER = {"allowedTools": "allowed", "excludeTools": "exclude", "coreTools": "core"}
_ELSEWHERE = {
    "sandbox": "the sandbox is Gemini's own, and no part of a policy",
    "discoveryCommand": "which tools there are is Gemini's own matter",
    "callCommand": "which tools there are is Gemini's own matter",
}


def settings_rules(settings: Members) -> tuple[list[list[Flat]], list[Block]]:
    """The rules, and blocks for what becomes none. Raises ConversionError where a list is none."""
    tools = _object(settings, "tools")
    lists = {
        name: _texts(tools, name, f"tools.{name}") for name in ("exclude", "confirmationRequired", "allowed", "core")
    }
    for former, name in _FORMER.items():
        lists[name] += _texts(settings, former, former)
    rules = [*_tools(lists, "core" in tools or "coreTools" in settings), *_servers(settings)]
    return [[rule] for rule in rules], [*_others(settings, tools)]


def _tools(lists: dict[str, list[str]], has_core: bool) -> Iterator[Flat]:
    yield from (_whole("exclude", at, tool, "deny", 4400) for at, tool in enumerate(lists["exclude"], 1))
    yield from (
        _whole("confirmationRequired", at, tool, "ask", 4350)
        for at, tool in enumerate(lists["confirmationRequired"], 1)
    )
    allowed = [_allowed("allowed", at, tool, 4300) for at, tool in enumerate(lists["allowed"], 1)]
    yield from allowed
    if any(flat.kind for flat in allowed):
        yield Flat("allowed-no-other", "tools.allowed", "tools.allowed: no other command", _SHELLS[0], "deny", 4290)
    yield from (_allowed("core", at, tool, 4250)._replace(modes=_NOT_PLAN) for at, tool in enumerate(lists["core"], 1))
    if has_core:
        yield Flat("core-no-other", "tools.core", "tools.core: no other tool", "*", "deny", 4240, modes=_NOT_PLAN)


def _whole(name: str, at: int, tool: str, effect: Effect, priority: int) -> Flat:
    """A restriction: `run_shell_command(x)` is no name there, and restricts what it says here."""
    found = _WITH_CONTENT.fullmatch(tool)
    kind, pattern = ("prefix", found[2]) if found and found[1] in _SHELLS and found[2] else ("", "")
    bare = found[1] if found else tool
    return Flat(
        f"{name}-{at}",
        f"tools.{name}[{at}]",
        f"tools.{name}[{at}]: {tool}",
        _common(bare),
        effect,
        priority,
        "",
        kind,
        pattern,
    )


def _allowed(name: str, at: int, tool: str, priority: int) -> Flat:
    found = _WITH_CONTENT.fullmatch(tool)
    kind, pattern = ("prefix", found[2]) if found and found[1] in _SHELLS else ("", "")
    bare = found[1] if found else tool
    return Flat(
        f"{name}-{at}",
        f"tools.{name}[{at}]",
        f"tools.{name}[{at}]: {tool}",
        _common(bare),
        "allow",
        priority,
        "",
        kind,
        pattern,
    )


def _common(tool: str) -> str:
    return _SHELLS[0] if tool in _SHELLS else tool


def _servers(settings: Members) -> Iterator[Flat]:
    mcp = _object(settings, "mcp")
    for at, server in enumerate(_texts(mcp, "excluded", "mcp.excluded"), 1):
        yield Flat(
            f"mcp-excluded-{at}", f"mcp.excluded[{at}]", f"mcp.excluded[{at}]: {server}", "*", "deny", 4900, server
        )
    for at, (server, value) in enumerate(_object(settings, "mcpServers").items(), 1):
        if isinstance(value, Members) and value.get("trust") is True:
            place = f"mcpServers.{key_of(server)}.trust"
            yield Flat(f"mcp-trusted-{at}", place, place, "*", "allow", 4200, server, modes=_NOT_PLAN)
    for at, server in enumerate(_texts(mcp, "allowed", "mcp.allowed"), 1):
        place = f"mcp.allowed[{at}]"
        yield Flat(f"mcp-allowed-{at}", place, f"{place}: {server}", "*", "allow", 4100, server, modes=_NOT_PLAN)


def _others(settings: Members, tools: Members) -> Iterator[Block]:
    for key, why in _ELSEWHERE.items():
        if key in tools:
            yield lost(f"tools.{key}", f"tools.{key}: {shown(tools[key])}", why)
    for server, value in _object(settings, "mcpServers").items():
        for key in ("includeTools", "excludeTools"):
            if isinstance(value, Members) and key in value:
                place = f"mcpServers.{key_of(server)}.{key}"
                yield lost(place, f"{place}: {shown(value[key])}", "which tools a server shows is Gemini's own matter")
    security = _object(settings, "security")
    if "disableYoloMode" in security:
        note = (
            None
            if security["disableYoloMode"] is True
            else Note("security.disableYoloMode", "it is not true", "yolo is forbidden all the same")
        )
        yield Block(f"security.disableYoloMode: {shown(security['disableYoloMode'])}", ("forbid mode yolo",), note)
    mode = _object(settings, "general").get("defaultApprovalMode")
    if mode not in (None, "default"):
        why = "the mode comes with each request, as the agent runs in it"
        yield lost("general.defaultApprovalMode", f"general.defaultApprovalMode: {shown(mode)}", why)


def _object(holder: Members, key: str) -> Members:
    value = holder.get(key)
    if value is None:
        return Members([])
    if not isinstance(value, Members):
        raise ConversionError(f"`{key}` is not an object")
    return value


def _texts(holder: Members, key: str, place: str) -> list[str]:
    value: Any = holder.get(key)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(text, str) and text for text in value):
        raise ConversionError(f"`{place}` is not a list of texts")
    return value
