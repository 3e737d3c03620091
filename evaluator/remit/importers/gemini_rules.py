"""Gemini CLI's `[[rule]]` tables, taken apart: one rule for each tool and each prefix."""

from __future__ import annotations

from typing import Any

from remit.importers.blocks import is_writable, shown
from remit.importers.claude_reading import Effect
from remit.importers.conversion import ConversionError
from remit_dsl.records import NamedTuple

_EFFECTS: dict[str, Effect] = {"allow": "allow", "deny": "deny", "ask_user": "ask"}
_MODES = {"default": "default", "autoEdit": "auto_edit", "plan": "plan", "yolo": "yolo"}
_SHELLS = ("run_shell_command", "ShellTool")


class Flat(NamedTuple):
    """A rule for one tool.

    label, place, shown: how it is called in the policy, in notes and in comments. server: of MCP tools, "" for none. kind, pattern:
    "prefix" or "regex" of the command, "args" of the JSON of all arguments, or "". modes: the policy's names; interactive, subagent,
    annotated: what else bounds it. redirects: whether commands may be redirected.
    """

    label: str
    place: str
    shown: str
    tool: str
    effect: Effect
    priority: float
    server: str = ""
    kind: str = ""
    pattern: str = ""
    modes: frozenset[str] | None = None
    interactive: bool | None = None
    subagent: str = ""
    annotated: bool = False
    redirects: bool = False
    message: str = ""


def read_rules(rules: Any) -> list[dict[str, Any]]:
    """The tables under `rule`."""
    if not isinstance(rules, list) or not all(isinstance(rule, dict) for rule in rules):
        raise ConversionError("`rule` is not a list of tables")
    return rules


def read_flat(rule: dict[str, Any], index: int) -> list[Flat]:
    """The rules that a table stands for. Raises ConversionError where Gemini would not load the file."""
    place = f"rule[{index}]"
    tools = _texts(rule, "toolName", place)
    if not tools:
        raise ConversionError(f"`{place}.toolName` is missing")
    patterns = [("prefix", prefix) for prefix in _texts(rule, "commandPrefix", place)]
    patterns += [("regex", _text(rule, "commandRegex", place))] if "commandRegex" in rule else []
    patterns += [("args", _text(rule, "argsPattern", place))] if "argsPattern" in rule else []
    if len({kind for kind, _ in patterns}) > 1:
        raise ConversionError(f"`{place}` has more than one of commandPrefix, commandRegex and argsPattern")
    if patterns and patterns[0][0] != "args" and tools != ["run_shell_command"]:
        raise ConversionError(f"`{place}` has a pattern for commands, and is not about run_shell_command")
    base = Flat(f"rule-{index}", place, "", "", _effect(rule, place), _priority(rule, place), **_bounds(rule, place))
    flats = [
        base._replace(tool=tool, kind=kind, pattern=pattern, shown=f"{place}: {tool} {pattern}: {rule['decision']}")
        for kind, pattern in patterns or [("", "")]
        for tool in tools
    ]
    return [
        flat._replace(label=f"{flat.label}-{at}" if len(flats) > 1 else flat.label) for at, flat in enumerate(flats, 1)
    ]


def _bounds(rule: dict[str, Any], place: str) -> dict[str, Any]:
    modes = rule.get("modes") or None
    if modes is not None and not (isinstance(modes, list) and all(mode in _MODES for mode in modes)):
        raise ConversionError(f"`{place}.modes` is not a list of {', '.join(_MODES)}")
    interactive = rule.get("interactive")
    if interactive is not None and not isinstance(interactive, bool):
        raise ConversionError(f"`{place}.interactive` is neither true nor false")
    return {
        "server": _text(rule, "mcpName", place),
        "modes": frozenset(_MODES[mode] for mode in modes) if modes else None,
        "interactive": interactive,
        "subagent": _text(rule, "subagent", place),
        "annotated": bool(rule.get("toolAnnotations")),
        "redirects": rule.get("allowRedirection", rule.get("allow_redirection")) is True,
        "message": _text(rule, "denyMessage", place) or _text(rule, "deny_message", place),
    }


def _effect(rule: dict[str, Any], place: str) -> Effect:
    decision = rule.get("decision")
    if not isinstance(decision, str) or decision not in _EFFECTS:
        raise ConversionError(f"`{place}.decision` is not one of {', '.join(_EFFECTS)}: {shown(decision)}")
    return _EFFECTS[decision]


def _priority(rule: dict[str, Any], place: str) -> int:
    priority = rule.get("priority")
    if isinstance(priority, bool) or not isinstance(priority, int) or not 0 <= priority <= 999:
        raise ConversionError(f"`{place}.priority` is no number from 0 to 999")
    return priority


def _text(rule: dict[str, Any], key: str, place: str) -> str:
    value = rule.get(key, "")
    if not isinstance(value, str) or not is_writable(value):
        raise ConversionError(f"`{place}.{key}` is no text")
    return value


def _texts(rule: dict[str, Any], key: str, place: str) -> list[str]:
    value = rule.get(key, [])
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) and is_writable(text) and text for text in texts):
        raise ConversionError(f"`{place}.{key}` is no text, and no list of texts")
    return [_SHELLS[0] if text in _SHELLS and key == "toolName" else text for text in texts]
