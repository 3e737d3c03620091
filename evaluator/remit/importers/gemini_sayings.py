"""What one of Gemini's rules says: the calls that it is about, widely for a deny or ask, narrowly for an allow.

There, a pattern is compared with the JSON of the arguments. A command line has to match as a whole, as it was sent, and so does each of its
commands. So an allow here names what each command is, and holds only in lines that begin as some rule allows, without redirections,
wrappers or variables in front.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from remit.importers.claude_reading import Effect
from remit.importers.claude_shell import read_command
from remit.importers.conditions_on_text import containing, like_any
from remit.importers.gemini_rules import Flat
from remit.importers.precedence import Saying
from remit.importers.simple_regexes import is_simple
from remit.importers.writing import escape_glob, like_target
from remit_dsl.escapes import encode_string

MAX_STARTS = 64

_COMMAND = "input.command"
_SHELL = "run_shell_command"
_COMMON = {
    _SHELL: "Bash",
    "read_file": "Read",
    "read_many_files": "read_many_files",
    "write_file": "Write",
    "replace": "Edit",
    "glob": "Glob",
    "grep_search": "Grep",
    "search_file_content": "Grep",
    "list_directory": "LS",
    "web_fetch": "WebFetch",
    "google_web_search": "WebSearch",
    "write_todos": "TodoWrite",
    "ask_user": "AskUserQuestion",
    "enter_plan_mode": "EnterPlanMode",
    "exit_plan_mode": "ExitPlanMode",
}
_NAME = re.compile(r"[A-Za-z_*][A-Za-z0-9_.*-]*")
_ONE_PARAMETER = re.compile(r'"([A-Za-z_][A-Za-z0-9_]*)":"([^"]*)("?)')
_PLAIN_LINE = f'not ({_COMMAND} like "*>*" or {_COMMAND} like "*<*")'
_PLAIN_COMMAND = "count(command.wrappers) == 0 and count(command.env) == 0"
_NO_ESCAPES = f'not ({_COMMAND} like "*\\"*" or {_COMMAND} like "*\\\\\\\\*" or {_COMMAND} like "*\\n*" or {_COMMAND} like "*\\t*")'


def starts_of(flats: Sequence[Flat]) -> list[tuple[Flat, tuple[str, ...]]]:
    """The globs of lines that some allow of commands is about."""
    return [(flat, _line_globs(flat.pattern)) for flat in flats if flat.effect == "allow" and flat.kind == "prefix"]


def sayings_of(flat: Flat, starts: Sequence[tuple[Flat, tuple[str, ...]]]) -> list[Saying]:
    """What a rule says. An allow that cannot be said is none; a deny or ask that cannot holds for more, and tells so."""
    bounded = flat.subagent or flat.annotated
    if flat.effect == "allow" and (bounded or not _NAME.fullmatch(flat.tool)):
        why = "a policy does not know subagents and annotations" if bounded else "no policy can name this tool"
        return [Saying("allow", why=why, instead="left out")]
    sayings = [_finished(flat, saying) for saying in _read(flat, starts)]
    if bounded and not sayings[0].why:
        why, instead = "a policy does not know subagents and annotations", "holds for all"
        sayings[0] = sayings[0]._replace(why=why, instead=instead)
    return sayings


def _finished(flat: Flat, saying: Saying) -> Saying:
    """A saying with what bounds its rule."""
    extra = {None: "", True: "request.agent.interactive", False: "not request.agent.interactive"}[flat.interactive]
    closing = f"because {encode_string(flat.message)}" if flat.message and flat.effect != "allow" else ""
    bounded = saying._replace(modes=flat.modes, extra=extra, closing=closing)
    if flat.place and flat.modes and "default" not in flat.modes and flat.effect != "allow" and not saying.why:
        why = "Gemini's hook does not tell the mode"
        return bounded._replace(why=why, instead="holds in requests that name it")
    return bounded


def _read(flat: Flat, starts: Sequence[tuple[Flat, tuple[str, ...]]]) -> list[Saying]:
    if flat.kind == "prefix":
        return _prefix(flat, starts)
    pattern = flat.pattern
    parameter = _ONE_PARAMETER.fullmatch(pattern) if flat.kind == "args" else None
    if flat.kind == "regex" and is_simple(pattern):
        return _regex(flat, pattern)
    if parameter and is_simple(parameter[2]):
        if flat.tool == _SHELL and parameter[1] == "command" and not parameter[3]:
            return _regex(flat, parameter[2])
        return [_parameter(flat, parameter[1], parameter[2], bool(parameter[3]))]
    targets = _targets(flat)
    if flat.kind:
        why = "the expression is about JSON, or has what RE2 lacks"
        return [
            Saying(
                flat.effect,
                targets,
                why=why,
                instead="left out" if flat.effect == "allow" else f"holds for {targets[0]}",
            )
        ]
    return _whole(flat, targets)


def _whole(flat: Flat, targets: tuple[str, ...]) -> list[Saying]:
    """A rule for every call of a tool."""
    about_commands = flat.tool in (_SHELL, "*") and not flat.server
    if flat.effect == "allow":
        plain = _PLAIN_LINE if about_commands and not flat.redirects else ""
        when = f'request.tool != "Bash" or ({plain})' if plain and flat.tool == "*" else plain
        return [Saying("allow", (), targets, when_narrow=when), Saying("allow", excepting=targets)]
    if not about_commands:
        return [Saying(flat.effect, targets, excepting=targets)]
    return [
        Saying(flat.effect, targets, excepting=targets, layer="words"),
        Saying(flat.effect, ("Bash",), layer="line"),
    ]


def _targets(flat: Flat) -> tuple[str, ...]:
    """The targets of a rule for a tool, under the names that policies use."""
    name = flat.tool if _NAME.fullmatch(flat.tool) else re.sub(r"[^A-Za-z0-9_.*-]++", "*", flat.tool)
    name = name if _NAME.fullmatch(name) else f"*{name}"
    if flat.server:
        server = re.sub(r"[^A-Za-z0-9_.*-]++", "*", flat.server)
        tool = name.removeprefix(f"mcp_{flat.server}_")
        return (f"mcp__{server}__{tool}",)
    if name.startswith("mcp_") and not name.startswith("mcp__"):
        server, joined, tool = name[4:].partition("_")
        return (f"mcp__{server}__{tool}" if joined else f"mcp__{server}",)
    return (_COMMON.get(name, name),)


# --- commands -------------------------------------------------------------------------------------------------


def _line_globs(prefix: str) -> tuple[str, ...]:
    """The globs of text that begins with a prefix and goes on with a blank or a quote, or not at all."""
    start = escape_glob(prefix)
    return (start, f"{start} *", f'{start}"*')


def _prefix(flat: Flat, starts: Sequence[tuple[Flat, tuple[str, ...]]]) -> list[Saying]:
    own = _line_globs(flat.pattern)
    targets = tuple(like_target("Bash", glob) for glob in own[:2])
    if flat.effect == "allow":
        begins = [glob for other, globs in starts if _together(other, flat) for glob in globs]
        line = like_any(_COMMAND, own if len(begins) > 3 * MAX_STARTS else begins)
        conditions = [f"({line})", f"({like_any(_COMMAND, [containing(flat.pattern)])})", _PLAIN_COMMAND]
        conditions += [] if flat.redirects else [_PLAIN_LINE]
        return [Saying("allow", (), targets, when_narrow=" and ".join(conditions)), *_exceptions("allow", own, targets)]
    return [*_restricting(flat.effect, flat.pattern, targets), *_exceptions(flat.effect, own, targets)]


def _exceptions(effect: Effect, lines: Sequence[str], targets: tuple[str, ...]) -> list[Saying]:
    """A prefix as an exception: each command by its words to rules on words, the line as it was sent to rules on lines."""
    on_lines = Saying(effect, excepting=("Bash",), when_narrow=like_any(_COMMAND, lines), layer="line")
    return [Saying(effect, excepting=targets, layer="words"), on_lines]


def _restricting(effect: Effect, prefix: str, targets: tuple[str, ...]) -> list[Saying]:
    words = read_command("Bash", f"{prefix} *", "deny")
    wide = tuple(dict.fromkeys((*(() if words.why else words.targets), *targets)))
    lines = _line_globs(prefix)
    if re.search(r"[\"'\\$`]|  ", prefix):  # text that words do not show: wherever it stands in the line
        lines = (containing(prefix),)
    return [
        Saying(effect, wide, layer="words"),
        Saying(effect, ("Bash",), when_wide=like_any(_COMMAND, lines), layer="line"),
    ]


def _together(other: Flat, flat: Flat) -> bool:
    """Whether one rule holds wherever another does."""
    modes = other.modes is None or (flat.modes is not None and flat.modes <= other.modes)
    return modes and other.interactive in (None, flat.interactive)


def _regex(flat: Flat, pattern: str) -> list[Saying]:
    regex = encode_string(f"^(?s:{pattern})")
    line, command = f"{_COMMAND} matches {regex}", f"command.text matches {regex}"
    if flat.effect == "allow":
        narrow = [f"({line})", f"({command})", _NO_ESCAPES, _PLAIN_COMMAND, *([] if flat.redirects else [_PLAIN_LINE])]
        when = " and ".join(narrow)
        return [Saying("allow", (), ("Bash",), ("Bash",), when_narrow=when)]
    return [
        Saying(flat.effect, ("Bash",), when_wide=command, layer="words"),
        Saying(flat.effect, ("Bash",), when_wide=line, layer="line"),
    ]


def _parameter(flat: Flat, name: str, pattern: str, whole: bool) -> Saying:
    """A pattern on one parameter; `whole`: to its end."""
    regex = encode_string(f"^(?s:{pattern})" + ("$" if whole else ""))
    targets, condition = _targets(flat), f"input.{name} matches {regex}"
    narrow = f'{condition} and not (input.{name} like "*\\"*" or input.{name} like "*\\\\\\\\*")'
    if flat.tool == _SHELL:
        return Saying(flat.effect, targets, when_wide=condition)
    return Saying(flat.effect, targets, targets, targets, condition, narrow)
