"""The clients: where npm puts each, how it is told to talk to nobody but the scripted model, and how one prompt is run through it.

Places and switches: code.claude.com/docs/en/settings, developers.openai.com/codex/config-reference, google-gemini/gemini-cli
docs/get-started/configuration, docs.github.com/copilot "Copilot CLI reference", opencode.ai/docs/config.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from driver.gemini_api import GeminiApi
from driver.messages_api import MessagesApi
from driver.model import Dialect
from driver.responses_api import ResponsesApi

PROMPT = "go on"
KEY = "not-a-key"


class Run(NamedTuple):
    """What a client is started in. binary: as `Program.binary` found it; mode: one of `Program.modes`."""

    binary: str
    home: Path
    workspace: Path
    url: str
    mode: str


class Program(NamedTuple):
    """A client. version, package: of npm; binary: a pattern below where npm installs; modes: its permission modes without a person.
    shell: the tool call that runs a command. files: its own settings, by path below the home folder."""

    package: str
    version: str
    binary: str
    modes: tuple[str, ...]
    dialect: Callable[[], Dialect]
    shell: Callable[[str], dict[str, Any]]
    files: Callable[[Run], Mapping[str, str]]
    environment: Callable[[Run], Mapping[str, str]]
    command: Callable[[Run], list[str]]


def _described(tool: str) -> Callable[[str], dict[str, Any]]:
    return lambda command: {"tool": tool, "input": {"command": command, "description": "x"}}


def _nothing(_run: Run) -> Mapping[str, str]:
    return {}


# --- Claude Code -------------------------------------------------------------------------------------------------

_CLAUDE_SWITCHES = (
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
    "DISABLE_AUTOUPDATER",
    "DISABLE_ERROR_REPORTING",
    "DISABLE_TELEMETRY",
    "IS_SANDBOX",  # root may use the bypass mode
)


def _claude_environment(run: Run) -> Mapping[str, str]:
    return {"ANTHROPIC_BASE_URL": run.url, "ANTHROPIC_API_KEY": KEY, **dict.fromkeys(_CLAUDE_SWITCHES, "1")}


def _claude_command(run: Run) -> list[str]:
    return [run.binary, "-p", PROMPT, "--permission-mode", run.mode, "--model", "sonnet"]


# --- Codex: a mode is an approval policy and a sandbox ------------------------------------------------------------


def _codex_files(run: Run) -> Mapping[str, str]:
    approval, _, sandbox = run.mode.partition(" ")
    top = {"model": "gpt-5.5", "model_provider": "scripted", "approval_policy": approval, "sandbox_mode": sandbox}
    provider = {"name": "scripted", "base_url": f"{run.url}/v1", "wire_api": "responses", "env_key": "SCRIPTED_KEY"}
    lines = [
        *[f"{name} = {json.dumps(value)}" for name, value in top.items()],
        "check_for_update_on_startup = false",
        "[model_providers.scripted]",
        *[f"{name} = {json.dumps(value)}" for name, value in provider.items()],
        "request_max_retries = 0",
        "stream_max_retries = 0",
        "[analytics]",
        "enabled = false",
        f"[projects.{json.dumps(str(run.workspace))}]",
        'trust_level = "trusted"',
    ]
    return {".codex/config.toml": "\n".join([*lines, ""])}


def _codex_environment(run: Run) -> Mapping[str, str]:
    return {"CODEX_HOME": str(run.home / ".codex"), "SCRIPTED_KEY": KEY}


def _codex_command(run: Run) -> list[str]:
    # A person accepts a user's hook once; here nobody could.
    return [run.binary, "exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", PROMPT]


# --- Gemini CLI --------------------------------------------------------------------------------------------------


# Without a person, tools that would ask are not even offered to the model, so that no hook could be seen at work.
_GEMINI_POLICY = """\
[[rule]]
toolName = "run_shell_command"
decision = "allow"
priority = 100
"""


def _gemini_files(_run: Run) -> Mapping[str, str]:
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
    }
    return {".gemini/settings.json": json.dumps(settings), ".gemini/policies/shell.toml": _GEMINI_POLICY}


def _gemini_environment(run: Run) -> Mapping[str, str]:
    switches = {"GEMINI_CLI_NO_RELAUNCH": "true", "GEMINI_CLI_TRUST_WORKSPACE": "true", "GEMINI_SANDBOX": "false"}
    return {"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": run.url, **switches}


def _gemini_command(run: Run) -> list[str]:
    return ["node", run.binary, "-p", PROMPT, "--approval-mode", run.mode, "-m", "gemini-2.5-flash"]


# --- Copilot CLI -------------------------------------------------------------------------------------------------

_COPILOT_MODES = {"default": [], "allow-all-tools": ["--allow-all-tools"], "yolo": ["--yolo"]}


def _copilot_files(run: Run) -> Mapping[str, str]:
    trusted = [str(run.workspace)]
    settings = {"trusted_folders": trusted, "trustedFolders": trusted, "banner": "never"}
    return {".copilot/config.json": json.dumps(settings)}


def _copilot_environment(run: Run) -> Mapping[str, str]:
    return {
        "COPILOT_HOME": str(run.home / ".copilot"),
        "COPILOT_OFFLINE": "true",
        "COPILOT_AUTO_UPDATE": "false",
        "COPILOT_PROVIDER_BASE_URL": run.url,
        "COPILOT_PROVIDER_TYPE": "anthropic",
        "COPILOT_PROVIDER_API_KEY": KEY,
        "COPILOT_MODEL": "claude-sonnet-4.5",
        "CI": "1",
    }


def _copilot_command(run: Run) -> list[str]:
    return [run.binary, "-p", PROMPT, "--disable-builtin-mcps", "--no-custom-instructions", *_COPILOT_MODES[run.mode]]


# --- OpenCode: a mode is what its own permissions say of everything. What they deny is not even offered to the model. ----


def _opencode_files(run: Run) -> Mapping[str, str]:
    model = "anthropic/claude-sonnet-4-5"
    provider = {"options": {"baseURL": f"{run.url}/v1", "apiKey": KEY}, "models": {"claude-sonnet-4-5": {"name": "x"}}}
    settings = {
        "autoupdate": False,
        "share": "disabled",
        "model": model,
        "small_model": model,
        "provider": {"anthropic": provider},
        "permission": run.mode,
    }
    return {".config/opencode/opencode.json": json.dumps(settings), ".npmrc": "fetch-retries=0\n"}


_OPENCODE_SWITCHES = (
    "OPENCODE_DISABLE_AUTOUPDATE",
    "OPENCODE_DISABLE_MODELS_FETCH",
    "OPENCODE_DISABLE_LSP_DOWNLOAD",
    "OPENCODE_DISABLE_SHARE",
    "OPENCODE_DISABLE_DEFAULT_PLUGINS",
)

PROGRAMS = {
    "claude-code": Program(
        "@anthropic-ai/claude-code", "2.1.332", "@anthropic-ai/claude-code-*/claude",
        ("default", "acceptEdits", "plan", "dontAsk", "bypassPermissions"),
        MessagesApi, _described("Bash"), _nothing, _claude_environment, _claude_command,
    ),
    "codex": Program(
        "@openai/codex", "0.171.0", "@openai/codex-linux-*/vendor/*/bin/codex",
        ("never danger-full-access", "on-request danger-full-access", "never read-only"),
        ResponsesApi, lambda command: {"tool": "exec_command", "input": {"cmd": command}},
        _codex_files, _codex_environment, _codex_command,
    ),
    "gemini": Program(
        "@google/gemini-cli", "0.61.0", "@google/gemini-cli/bundle/gemini.js", ("default", "auto_edit", "plan", "yolo"),
        GeminiApi, _described("run_shell_command"), _gemini_files, _gemini_environment, _gemini_command,
    ),
    "copilot": Program(
        "@github/copilot", "1.0.102", "@github/copilot-linux-*/copilot", tuple(_COPILOT_MODES),
        MessagesApi, _described("bash"), _copilot_files, _copilot_environment, _copilot_command,
    ),
    "opencode": Program(
        "opencode-ai", "1.18.33", "opencode-linux-x64/bin/opencode", ("allow", "ask"),
        MessagesApi, _described("bash"), _opencode_files, lambda _run: dict.fromkeys(_OPENCODE_SWITCHES, "1"),
        lambda run: [run.binary, "run", "--format", "json", PROMPT],
    ),
}  # fmt: skip
