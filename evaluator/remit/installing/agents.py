"""What to put where, for each agent: pure functions from the text of a settings file to the text with the hook, and without it.

Facts on places and forms: code.claude.com/docs/en/hooks and …/managed-settings, developers.openai.com/codex/hooks, google-gemini/gemini-cli
docs/hooks, docs.github.com/copilot "Hooks reference", cursor.com/docs/reference/hooks, opencode.ai/docs/plugins.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from importlib import resources
from typing import Any

from remit.installing.hook_command import TIMEOUT_SECONDS, agent_of, hook_command, hook_words
from remit.installing.settings_json import SettingsError, entries, read_settings, write_settings
from remit_dsl.records import NamedTuple

Installed = Callable[[str, str, Sequence[str]], str]  # text before, agent, options of the hook -> text after
Removed = Callable[[str, str], str]  # text before, agent -> text after, "" = the file held nothing else


class Place(NamedTuple):
    """A settings file of an agent. path: below the home folder, or absolute for the machine's. own: nothing but remit's lives in it."""

    path: str
    install: Installed
    remove: Removed
    own: bool = False


class Target(NamedTuple):
    """Where an agent takes hooks from: of one user, and of the machine (None where it has no such place). note: what is left to do."""

    agent: str
    user: Place
    managed: Place | None
    note: str = ""


# --- the shape of Claude Code, Codex and Gemini CLI: event -> groups of a matcher -> hooks ----------------------------------


def _grouped(event: str, **more: Any) -> tuple[Installed, Removed]:
    def install(before: str, agent: str, options: Sequence[str]) -> str:
        settings = read_settings(before)
        hook = {"type": "command", "command": hook_command(agent, options), **more}
        groups = _without(entries(settings, "hooks", event), agent)
        settings["hooks"][event] = [*groups, {"matcher": "*", "hooks": [hook]}]
        return write_settings(settings, before)

    def remove(before: str, agent: str) -> str:
        settings = read_settings(before)
        if "hooks" in settings and event in settings["hooks"]:
            settings["hooks"][event] = _without(entries(settings, "hooks", event), agent)
        return _pruned(settings, before, event)

    return install, remove


def _without(groups: list[Any], agent: str) -> list[Any]:
    """The groups without remit's hooks for this agent; whatever else is there stays as it is."""
    kept = []
    for group in groups:
        hooks = group.get("hooks") if isinstance(group, dict) else None
        if not isinstance(hooks, list):
            kept.append(group)
            continue
        others = [hook for hook in hooks if not (isinstance(hook, dict) and agent_of(hook.get("command")) == agent)]
        if len(others) == len(hooks):
            kept.append(group)
        elif others:
            kept.append({**group, "hooks": others})
    return kept


def _pruned(settings: dict[str, Any], before: str, event: str) -> str:
    hooks = settings.get("hooks")
    if isinstance(hooks, dict) and hooks.get(event) == []:
        del hooks[event]
        if not hooks:
            del settings["hooks"]
    return write_settings(settings, before) if settings else ""


# --- flat lists: Copilot, Cursor -------------------------------------------------------------------------------------------


def _flat(events: Sequence[str], **more: Any) -> tuple[Installed, Removed]:
    def install(before: str, agent: str, options: Sequence[str]) -> str:
        settings = read_settings(before)
        settings.setdefault("version", 1)
        for event in events:
            others = _foreign(entries(settings, "hooks", event), agent)
            settings["hooks"][event] = [*others, {"command": hook_command(agent, options), **more}]
        return write_settings(settings, before)

    def remove(before: str, agent: str) -> str:
        settings = read_settings(before)
        for event in events:
            if event in settings.get("hooks", {}):
                settings["hooks"][event] = _foreign(entries(settings, "hooks", event), agent)
                if not settings["hooks"][event]:
                    del settings["hooks"][event]
        return (
            ""
            if settings.get("hooks") == {} and settings.keys() <= {"hooks", "version"}
            else write_settings(settings, before)
        )

    return install, remove


def _foreign(hooks: list[Any], agent: str) -> list[Any]:
    return [hook for hook in hooks if not (isinstance(hook, dict) and agent_of(hook.get("command")) == agent)]


# --- files of remit's own --------------------------------------------------------------------------------------------------


def _managed_claude(_before: str, agent: str, options: Sequence[str]) -> str:
    hook = {
        "type": "command",
        "command": hook_command(agent, options),
        "timeout": TIMEOUT_SECONDS,
        "onFailure": "block",
    }
    settings = {
        "allowManagedHooksOnly": True,
        "permissions": {"disableBypassPermissionsMode": "disable"},
        "hooks": {"PreToolUse": [{"matcher": "*", "hooks": [hook]}]},
    }
    return write_settings(settings, "")


def _requirements(before: str, agent: str, options: Sequence[str]) -> str:
    if before.strip() and not before.startswith(_OWN_TOML):
        raise SettingsError("it exists already; add what `--print` shows by hand")
    hook = f'type = "command", command = {json.dumps(hook_command(agent, options))}, timeout = {TIMEOUT_SECONDS}'
    return (
        f"{_OWN_TOML}\n[features]\nhooks = true\n\n[hooks]\nallow_managed_hooks_only = true\n\n"
        f'[[hooks.PreToolUse]]\nmatcher = "*"\nhooks = [{{ {hook} }}]\n\n'
        f'[[hooks.PermissionRequest]]\nmatcher = "*"\nhooks = [{{ {hook} }}]\n'
    )


_OWN_TOML = "# Written by `remit install codex --managed`; `remit uninstall codex --managed` removes it."


def _plugin(_before: str, agent: str, options: Sequence[str]) -> str:
    source = resources.files("remit.agents").joinpath("opencode.js").read_text("utf-8")
    words = json.dumps(hook_words(agent, options))
    return source.replace("const COMMAND = [] //", f"const COMMAND = {words} //", 1)


def _gone(_before: str, _agent: str) -> str:
    return ""


def _gone_if_own(before: str, _agent: str) -> str:
    if before.strip() and not before.startswith(_OWN_TOML):
        raise SettingsError("it is not the file that `remit install` wrote; take the hooks out by hand")
    return ""


_CLAUDE = _grouped("PreToolUse", timeout=TIMEOUT_SECONDS, onFailure="block")
_CODEX = _grouped("PreToolUse", timeout=TIMEOUT_SECONDS, statusMessage="policy")
_GEMINI = _grouped("BeforeTool", name="remit", timeout=TIMEOUT_SECONDS * 1000)  # milliseconds there
_COPILOT = _flat(("preToolUse", "permissionRequest"), type="command", timeoutSec=TIMEOUT_SECONDS)
_CURSOR = _flat(("beforeShellExecution", "beforeMCPExecution", "beforeReadFile", "preToolUse"), timeout=TIMEOUT_SECONDS,
                failClosed=False)  # fmt: skip

TARGETS = {
    target.agent: target
    for target in (
        Target(
            "claude-code",
            Place(".claude/settings.json", *_CLAUDE),
            Place("/etc/claude-code/managed-settings.d/50-remit.json", _managed_claude, _gone, own=True),
        ),
        Target(
            "codex",
            Place(".codex/hooks.json", *_CODEX),
            Place("/etc/codex/requirements.toml", _requirements, _gone_if_own, own=True),
            "Codex runs a user's hook only once it is trusted: start `codex` and accept it. A managed one needs that not.",
        ),
        Target("gemini", Place(".gemini/settings.json", *_GEMINI), Place("/etc/gemini-cli/settings.json", *_GEMINI)),
        Target(
            "copilot",
            Place(".copilot/hooks/remit.json", *_COPILOT, own=True),
            Place("/etc/github-copilot/policy.d/remit.json", *_COPILOT, own=True),
        ),
        Target("cursor", Place(".cursor/hooks.json", *_CURSOR), Place("/etc/cursor/hooks.json", *_CURSOR)),
        Target("opencode", Place(".config/opencode/plugin/remit.js", _plugin, _gone, own=True), None),
    )
}
