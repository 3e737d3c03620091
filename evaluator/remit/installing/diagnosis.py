"""What can keep an installed hook from deciding: each switch and each file, looked at as the agent would."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from remit.installing.agents import TARGETS
from remit.installing.canary import sing
from remit.installing.files import read
from remit.installing.hook_command import agent_of, words_of
from remit.installing.settings_json import SettingsError, read_settings
from remit_dsl.records import NamedTuple

# How much time a hook needs that gives itself five seconds.
LEAST_SECONDS = 6
_SECONDS = {"timeout": 1.0, "timeoutSec": 1.0}


class Finding(NamedTuple):
    """Something that is wrong: a code that stays, where, what it means, what to do."""

    code: str
    place: str
    what: str
    todo: str


class Surroundings(NamedTuple):
    """What a diagnosis looks at. home: of the account; folder: the project; environment: of the agent; file: the settings file, "" = where
    the agent has it."""

    home: str
    folder: str
    environment: Mapping[str, str]
    file: str = ""


# code -> what it is about, for the documentation
CODES = {
    "D101": "the hook is in no settings file of the agent",
    "D102": "a settings file cannot be read, so that the agent ignores it, or does not start",
    "D103": "a matcher lets calls pass by the hook",
    "D104": "the agent gives the hook less time than the hook gives itself, and lets the call through when it is over",
    "D105": "`onFailure` has a value that the client does not know, so that it drops the whole file",
    "D201": "the interpreter or the launcher of the hook is not there",
    "D202": "somebody else can change the interpreter, the launcher or a folder that they are in",
    "D203": "the interpreter or the launcher lies in the project, where the agent works",
    "D301": "a switch turns hooks off",
    "D302": "a variable turns hooks off",
    "D401": "the policies cannot be used, so that every call is refused",
    "D501": "the canary was not denied: the hook does not work",
}


def diagnose(agent: str, around: Surroundings) -> list[Finding]:
    """Everything found, in the order of CODES; the canary last, and only where a hook is installed."""
    hooks, findings = _installed(agent, around)
    findings += _switches(agent, around)
    findings += _variables(agent, around)
    for place, command in hooks:
        findings += _launcher(place, command, around)
    findings += _canary(agent, hooks, around)
    return findings


def _places(agent: str, around: Surroundings) -> list[str]:
    if around.file:
        return [around.file]
    target = TARGETS[agent]
    managed = [target.managed.path] if target.managed is not None else []
    return [os.path.join(around.home, target.user.path), *managed]


def _installed(agent: str, around: Surroundings) -> tuple[list[tuple[str, str | list[str]]], list[Finding]]:
    """The hooks of remit's that the agent would run, with their files, and what is wrong with these."""
    hooks: list[tuple[str, str | list[str]]] = []
    findings = []
    for path in _places(agent, around):
        try:
            text = read(path)
            if path.endswith(".js"):
                hooks += [(path, words) for words in _plugin(text)]
            elif path.endswith(".toml"):
                hooks += [(path, command) for command in _toml(text, agent)]
            else:
                found = list(_ours(read_settings(text), agent))
                hooks += [(path, hook["command"]) for hook, _ in found]
                findings += [item for hook, group in found for item in _settings_of(path, hook, group)]
        except SettingsError as error:
            findings.append(
                Finding("D102", path, f"it cannot be read: {error}", "mend it; `remit install` keeps a copy")
            )
    if not hooks and not findings:
        where = " or ".join(_places(agent, around))
        findings.append(Finding("D101", where, f"no hook of remit's for {agent}", f"remit install {agent}"))
    return hooks, findings


def _ours(settings: dict[str, Any], agent: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Hooks of remit's, each with the group that it is in ({} where there are no groups)."""
    hooks = settings.get("hooks")
    events = hooks.values() if isinstance(hooks, dict) else []
    for item in [item for event in events if isinstance(event, list) for item in event if isinstance(item, dict)]:
        if agent_of(item.get("command")) == agent:
            yield item, {}
        inner = item.get("hooks")
        for hook in inner if isinstance(inner, list) else []:
            if isinstance(hook, dict) and agent_of(hook.get("command")) == agent:
                yield hook, item


def _plugin(text: str) -> Iterator[list[str]]:
    start = text.find("const COMMAND = ")
    if start >= 0:
        words, _ = json.JSONDecoder().raw_decode(text, start + len("const COMMAND = "))
        yield words


def _toml(text: str, agent: str) -> list[str]:
    import tomllib

    try:
        hooks = tomllib.loads(text).get("hooks", {})
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"not TOML: {error}") from None
    return [
        hook["command"] for hook, _ in _ours({"hooks": {k: v for k, v in hooks.items() if isinstance(v, list)}}, agent)
    ]


def _settings_of(path: str, hook: dict[str, Any], group: dict[str, Any]) -> Iterator[Finding]:
    matcher = group.get("matcher", hook.get("matcher", "*"))
    if matcher not in ("*", "", None, ".*"):
        yield Finding("D103", path, f"the matcher is {matcher!r}", 'write `"matcher": "*"`')
    for name in ("timeout", "timeoutSec"):
        seconds = hook.get(name)
        if isinstance(seconds, (int, float)) and _in_seconds(path, name, seconds) < LEAST_SECONDS:
            yield Finding("D104", path, f"`{name}` is {seconds}", "run `remit install` again")
    if hook.get("onFailure", "block") != "block":
        yield Finding("D105", path, f"`onFailure` is {hook['onFailure']!r}", 'write `"onFailure": "block"`')


def _in_seconds(path: str, name: str, number: float) -> float:
    return number / 1000 if ".gemini/" in path or "gemini-cli" in path else number * _SECONDS[name]


def _launcher(place: str, command: str | list[str], around: Surroundings) -> Iterator[Finding]:
    words = command if isinstance(command, list) else words_of(command)
    files = [word for word in words if word.startswith("/")][:2] if "hook" in words else []
    if not files:
        yield Finding(
            "D201", place, "the hook's command names no interpreter by an absolute path", "remit install again"
        )
    for path in files:
        if not os.path.isfile(path):
            yield Finding("D201", path, "it is not there", "install remit again, then `remit install`")
            continue
        real = os.path.realpath(path)
        for part in dict.fromkeys([*_with_folders(real), *_with_folders(os.path.dirname(path))]):
            if _is_open(part):
                yield Finding("D202", part, "others can write it", f"it must be root's or yours; chmod go-w {part}")
        if _is_in_project(path, around) or _is_in_project(real, around):
            yield Finding("D203", path, "it lies in the project, where the agent works",
                          "install remit elsewhere (`pipx install remit`), then `remit install`")  # fmt: skip


def _with_folders(path: str) -> Iterator[str]:
    while True:
        yield path
        if path == "/":
            return
        path = os.path.dirname(path)


def _is_in_project(path: str, around: Surroundings) -> bool:
    """Whether a path lies in the project; the home folder and the root are none."""
    folder = os.path.realpath(around.folder)
    return folder not in ("/", os.path.realpath(around.home)) and path.startswith(folder + "/")


def _is_open(path: str) -> bool:
    """Whether others than root and this account can put something else there; in a folder with the sticky bit they cannot."""
    found = os.stat(path)
    if found.st_uid not in (0, os.geteuid()):
        return True
    return bool(found.st_mode & 0o022) and not (stat.S_ISDIR(found.st_mode) and found.st_mode & stat.S_ISVTX)


# --- switches ------------------------------------------------------------------------------------------------------------

_Check = Callable[[dict[str, Any]], str]


def _disable_all(settings: dict[str, Any]) -> str:
    return "`disableAllHooks` is set" if settings.get("disableAllHooks") not in (None, False) else ""


def _gemini_off(settings: dict[str, Any]) -> str:
    config = settings.get("hooksConfig")
    if not isinstance(config, dict):
        return ""
    if config.get("enabled", True) is not True:
        return "`hooksConfig.enabled` is not true"
    return "`hooksConfig.disabled` names the hook" if "remit" in (config.get("disabled") or []) else ""


def _codex_off(settings: dict[str, Any]) -> str:
    features = settings.get("features")
    return "`[features] hooks` is off" if isinstance(features, dict) and features.get("hooks") is False else ""


_SWITCHES: dict[str, tuple[_Check, tuple[str, ...]]] = {
    "claude-code": (_disable_all, ("~/.claude/settings.json", ".claude/settings.json", ".claude/settings.local.json")),
    "copilot": (_disable_all, ("~/.copilot/settings.json", ".github/copilot/settings.json",
                               ".github/copilot/settings.local.json", ".claude/settings.json")),
    "gemini": (_gemini_off, ("~/.gemini/settings.json", ".gemini/settings.json")),
    "codex": (_codex_off, ("~/.codex/config.toml", ".codex/config.toml")),
}  # fmt: skip
_VARIABLES = {"claude-code": ("CLAUDE_CODE_SAFE_MODE",)}


def _switches(agent: str, around: Surroundings) -> Iterator[Finding]:
    check, names = _SWITCHES.get(agent, (lambda _settings: "", ()))
    for name in names:
        path = os.path.join(around.home, name[2:]) if name.startswith("~/") else os.path.join(around.folder, name)
        try:
            text = read(path)
            off = check(_any_settings(path, text))
        except SettingsError as error:
            yield Finding("D102", path, f"it cannot be read: {error}", "mend it: the agent may drop the whole file")
            continue
        if off:
            yield Finding("D301", path, off, "take it out; managed hooks (`--managed`) stay on")


def _any_settings(path: str, text: str) -> dict[str, Any]:
    if not path.endswith(".toml"):
        return read_settings(text)
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"not TOML: {error}") from None


def _variables(agent: str, around: Surroundings) -> Iterator[Finding]:
    for name in _VARIABLES.get(agent, ()):
        if around.environment.get(name, "") not in ("", "0"):
            yield Finding("D302", name, "the variable is set", f"unset {name}")


def _canary(agent: str, hooks: list[tuple[str, str | list[str]]], around: Surroundings) -> Iterator[Finding]:
    for place, command in hooks:
        wrong = sing(agent, command, around.folder)
        if "policies cannot be used" in wrong:
            yield Finding("D401", place, wrong, "remit check")
        elif wrong:
            yield Finding("D501", place, wrong, "run the hook's command by hand, with a payload on standard input")
