"""What Codex's config.toml says of what an agent may do: its sandbox as rules, since here the strictest counts and nothing is undone.

Where the approval policy lets a person be asked, what lies outside of the sandbox asks; else it is denied.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from remit.importers.blocks import Block, key_of, lost, shown
from remit.importers.conversion import ConversionError, Note
from remit.importers.writing import escape_glob, rule, target

_APPROVALS = ("untrusted", "on-request", "on-failure", "never")
_SANDBOXES = ("read-only", "workspace-write", "danger-full-access")
_WORKSPACE = "sandbox_workspace_write"
_BEARING = ("approval", "sandbox", "permission", "exec", "rules", "shell_environment", "network")
_READ = ("approval_policy", "sandbox_mode", _WORKSPACE, "mcp_servers", "tools", "web_search")
_ELSEWHERE = {
    "profiles": "which profile holds is known when Codex starts",
    "projects": "which projects are trusted is Codex's own matter",
    "features": "what Codex can do is its own matter",
    "hooks": "which hooks run is Codex's own matter",
}


def config_blocks(config: dict[str, Any]) -> list[Block]:
    """The blocks of a configuration. Raises ConversionError where a value is none that Codex takes."""
    return [*_approval(config), *_sandbox(config), *_servers(config), *_search(config), *_others(config)]


def _approval(config: dict[str, Any]) -> Iterator[Block]:
    policy = config.get("approval_policy")
    if isinstance(policy, dict):
        yield lost(
            "approval_policy",
            f"approval_policy: {shown(policy)}",
            "what is asked one by one is Codex's own",
            "all of it asks",
        )
    elif policy is not None:
        if policy not in _APPROVALS:
            raise ConversionError(f"`approval_policy` is not one of {', '.join(_APPROVALS)}")
        why = "the mode comes with each request, as the agent runs in it"
        instead = "what the sandbox stops is denied" if policy == "never" else "what the sandbox stops asks"
        yield lost("approval_policy", f"approval_policy: {policy}", why, instead)


def _sandbox(config: dict[str, Any]) -> Iterator[Block]:
    mode = config.get("sandbox_mode")
    if mode is None:
        return
    if mode not in _SANDBOXES:
        raise ConversionError(f"`sandbox_mode` is not one of {', '.join(_SANDBOXES)}")
    original = f"sandbox_mode: {mode}"
    if mode == "danger-full-access":
        yield lost("sandbox_mode", original, "it permits all; a policy permits what its rules name")
        return
    effect = "deny" if config.get("approval_policy") == "never" else "ask"
    options = _table(config, _WORKSPACE)
    inside: list[str] = []
    problems: list[Block] = []
    if mode == "workspace-write":
        folders = _folders(options)
        inside = ["./**", "/tmp/**", *(pattern for _, pattern in folders if pattern)]  # noqa: S108 (a pattern, not a file)
        problems = [
            lost(f"{_WORKSPACE}.writable_roots", folder, "it is no folder that a pattern can name")
            for folder, pattern in folders
            if not pattern
        ]
    statements = [_outside(effect, inside)]
    if not (mode == "workspace-write" and options.get("network_access") is True):
        statements.append(rule(effect, "sandbox-network", ("net.connect(*)",)))
    note = Note("sandbox_mode", "a sandbox also holds what a command line does not show", "rules on what it shows")
    yield Block(original, tuple(statements), note)
    yield from problems


def _outside(effect: str, inside: list[str]) -> str:
    line = f"{effect} sandbox-files: fs.write(**), fs.delete(**)"
    excepted = [target(name, pattern) for name in ("fs.write", "fs.delete") for pattern in inside]
    return line + (f"\n  except {', '.join(excepted)}" if excepted else "")


def _folders(options: dict[str, Any]) -> list[tuple[str, str]]:
    roots = options.get("writable_roots", [])
    if not isinstance(roots, list) or not all(isinstance(root, str) for root in roots):
        raise ConversionError(f"`{_WORKSPACE}.writable_roots` is no list of folders")
    return [(root, _folder(root)) for root in roots]


def _folder(root: str) -> str:
    parts = root.split("/")
    if parts[0] not in ("", "~") or len(parts) < 2 or ".." in parts or "\\" in root or not root.isprintable():
        return ""
    return "/".join([parts[0], *(escape_glob(part) for part in parts[1:] if part not in ("", ".")), "**"])


def _servers(config: dict[str, Any]) -> Iterator[Block]:
    for server, value in _table(config, "mcp_servers").items():
        for key in ("enabled_tools", "disabled_tools"):
            if isinstance(value, dict) and key in value:
                yield _tools(server, key, value[key])


def _tools(server: str, key: str, tools: Any) -> Block:
    place = f"mcp_servers.{key_of(server)}.{key}"
    original = f"{place}: {shown(tools)}"
    if not isinstance(tools, list) or not all(isinstance(tool, str) for tool in tools):
        raise ConversionError(f"`{place}` is no list of tools")
    names = [f"mcp__{server}__{tool}" for tool in tools]
    whole, label = f"mcp__{server}__*", f"{_label(server)}-{key.partition('_')[0]}"
    if not all(name.replace("-", "_").isidentifier() and name.isascii() for name in (whole[:-1], *names)):
        return lost(place, original, "no policy can name these tools")
    if key == "disabled_tools":
        return Block(original, (rule("deny", label, names),) if names else ())
    return Block(original, (f"deny {label}: {whole}" + (f" except {', '.join(names)}" if names else ""),))


def _label(server: str) -> str:
    return "mcp-" + "".join(char if char.isascii() and char.isalnum() else "-" for char in server).strip("-")


def _search(config: dict[str, Any]) -> Iterator[Block]:
    for place, value in (
        ("web_search", config.get("web_search")),
        ("tools.web_search", _table(config, "tools").get("web_search")),
    ):
        if value in (False, "disabled"):
            yield Block(f"{place}: {shown(value)}", (rule("deny", place.replace(".", "-"), ("WebSearch",)),))


def _others(config: dict[str, Any]) -> Iterator[Block]:
    for key, value in config.items():
        if key in _ELSEWHERE:
            yield lost(key_of(key), key, _ELSEWHERE[key])
        elif key not in _READ and any(word in key for word in _BEARING):
            yield lost(key_of(key), f"{key}: {shown(value)}", "it has no counterpart in a policy")


def _table(config: dict[str, Any], key: str) -> dict[str, Any]:
    value = config.get(key, {})
    if not isinstance(value, dict):
        raise ConversionError(f"`{key}` is not a table")
    return value
