"""observe: a request becomes facts. The only step that looks at the file system; it decides nothing and drops nothing.

A parameter that a known tool lacks, or that has the wrong type, is unknown, which is not the same as "no match".
"""

from __future__ import annotations

from _collections_abc import Mapping  # collections.abc without the rest of collections

from remit.accesses import Places
from remit.conditions import ABSENT, UNKNOWN
from remit.facts import Access, Exit, Facts, HostFact, PathFact, Unit
from remit.match_paths import floats, match_path
from remit.nests import TOP
from remit.network import host_of_url
from remit.observe_shell import ShellObserver
from remit.paths import FileSystem, find_roots
from remit.request import MAX_REQUEST_BYTES, Request, Session
from remit.roots import Roots
from remit_dsl.globs import ANY_DEPTH, fold_text
from remit_dsl.program import Program, Tool, ToolParam
from remit_dsl.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


class Moment(NamedTuple):
    """When a request is observed: ISO date ("" = not known), hour 0-23, weekday mon … sun."""

    today: str
    hour: int
    weekday: str


def observe(request: Request, program: Program, files: FileSystem, moment: Moment, way_out: Exit) -> Facts:
    """All facts of a request. Raises TypeError or ValueError when the request is not well formed."""
    tool = program.tool(request.tool)
    workspace = tuple(request.workspace) or (request.cwd,)
    roots = find_roots(request.cwd, request.home, workspace, files)
    places = Places(roots, files, program.asks_paths or tool is None or not tool.is_shell, (request.cwd,))
    units, subject = _units(request, program, tool, places)
    if program.asks_paths:
        units = tuple([_with_trees(unit, program, roots, files) for unit in units])
    mode = program.mode(request.mode)
    return Facts(
        tool.name if tool is not None else request.tool,
        request.tool,
        tool is not None,
        subject,
        units,
        _values(request, tool, moment) if program.tables["index"]["when"] else {},
        mode.name if mode is not None else "default",
        request.agent,
        roots,
        moment.today,
        way_out,
    )


def _units(request: Request, program: Program, tool: Tool | None, places: Places) -> tuple[tuple[Unit, ...], Any]:
    if _is_too_large(request.input):
        return (Unit("opaque", request.tool, construct="request size"),), None
    if tool is None:
        return (Unit("tool", request.tool),), None
    if tool.is_shell:
        return _shell_units(request, program, tool, places)
    return _tool_units(request, tool, places)


def _is_too_large(value: Mapping[str, Any]) -> bool:
    """Whether a parameter tree holds more than a request may; stops counting at the limit, so that nesting cannot be made to cost."""
    total = 0
    queue: list[Any] = []
    for item in value.values():
        if type(item) is str:
            total += len(item)
        else:
            queue.append(item)
    while queue and total <= MAX_REQUEST_BYTES:
        item = queue.pop()
        total += len(item) if isinstance(item, (str, bytes)) else 8
        if isinstance(item, Mapping):
            queue.extend(item.keys())
            queue.extend(item.values())
        elif isinstance(item, (list, tuple)):
            queue.extend(item)
    return total > MAX_REQUEST_BYTES


# --- shell tools ---------------------------------------------------------------------------------------------


def _shell_units(request: Request, program: Program, tool: Tool, places: Places) -> tuple[tuple[Unit, ...], Any]:
    assert tool.command is not None
    text: Any = _value(tool.command, request.input)[1]
    cwds: tuple[str, ...] = (request.cwd,)
    if tool.folder is not None:
        given, folder = _value(tool.folder, request.input)
        if given:
            cwds = places.named(folder).paths[:1] if isinstance(folder, str) else ()
            places = places.at(cwds)
    observer = ShellObserver(program, places, cwds)
    if type(text) is not str:
        observer.opaque("subject", tool.name, TOP)
        return tuple(observer.units), None
    observer.script(text, "bash", TOP)
    return tuple(observer.units), text


# --- other tools ---------------------------------------------------------------------------------------------


def _tool_units(request: Request, tool: Tool, places: Places) -> tuple[tuple[Unit, ...], Any]:
    accesses: list[Access] = []
    subject: Any = None
    known = True
    shown = ""
    for param in tool.params:
        present, value = _value(param, request.input)
        if not present and not param.subject:
            continue
        facts = _facts_of(param, value, places)
        known = known and facts is not None
        if param.subject and facts:
            subject = facts[0] if len(facts) == 1 else None
            shown = str(value)
        accesses += _accesses_of(param, facts)
    text = f"{request.tool}({shown})" if shown else request.tool
    return (Unit("tool", text[:2000], known=known, accesses=tuple(accesses)),), subject


def _value(param: ToolParam, given: Mapping[str, Any]) -> tuple[bool, Any]:
    """Whether a parameter is given (or has a default), and its value; UNKNOWN where two spellings of it disagree."""
    found: Any = ABSENT
    for name in param.names:
        if name in given:
            if found is not ABSENT and given[name] != found:
                return True, UNKNOWN
            found = given[name]
    return (param.default is not None, param.default) if found is ABSENT else (True, found)


def _facts_of(param: ToolParam, value: Any, places: Places) -> list[Any] | None:
    """The value as facts of the parameter's kind (several for a list of paths or a patch); None when it is not known."""
    if param.kind == "path" and isinstance(value, (list, tuple)) and value and all(isinstance(v, str) for v in value):
        return [places.named(item) for item in value]
    if not isinstance(value, str):
        return None
    if param.kind == "path":
        return [places.named(value)]
    if param.kind in ("url", "host"):
        return [host_of_url(value)]
    if param.kind == "patch":
        from remit.patches import patched_files

        names = patched_files(value)
        return None if names is None else [places.named(name) for name in names]
    return [value]


def _accesses_of(param: ToolParam, facts: list[Any] | None) -> Iterable[Access]:
    for kind in param.does:
        if facts is None:
            yield Access(kind, None, None, None, True, param.tree, -1)
            continue
        for fact in facts:
            path = fact if isinstance(fact, PathFact) else None
            host = fact if isinstance(fact, HostFact) else None
            yield Access(kind, path, host, None, True, param.tree, -1)


# --- trees, values -------------------------------------------------------------------------------------------


def _with_trees(unit: Unit, program: Program, roots: Roots, files: FileSystem) -> Unit:
    """The unit with what lies below the folders that it goes through, as far as a rule may ask."""
    caps = program.tables["index"]["caps"]
    more: list[Access] = []
    for access in unit.accesses:
        if access.tree and access.path is not None and access.kind in caps:
            from functools import partial

            from remit.trees import found_below

            asked = partial(_is_asked, _open_patterns(program, access.kind), roots)
            more += found_below(access, caps[access.kind], asked, files)
    return unit._replace(accesses=(*unit.accesses, *more)) if more else unit


def _is_asked(patterns: list[Any], roots: Roots, fact: PathFact) -> bool:
    return any(match_path(pattern, fact, roots, True, False) for pattern in patterns)


def _open_patterns(program: Program, kind: str) -> list[Any]:
    """Patterns of restricting rules that may match anywhere, and whose last component no name is filed under (`**/.env.*`)."""
    key = ("open patterns", kind)
    if key not in program.cache:
        bucket = program.tables["index"]["caps"][kind]
        rules = [(program.rule(number), place) for number, place in bucket["all"]]
        patterns = [item for rule, place in rules if rule.effect != "allow" for item in rule.targets[place].patterns]
        program.cache[key] = [item for item in patterns if floats(item) and not _is_filed(item, bucket)]
    found: list[Any] = program.cache[key]
    return found


def _is_filed(pattern: Any, bucket: dict[str, Any]) -> bool:
    last = next((part for part in reversed(pattern[1]) if part != ANY_DEPTH), "")
    if type(last) is str:
        return fold_text(last) in bucket["parts"]
    end = last[-1] if isinstance(last, (list, tuple)) and last else None
    return isinstance(end, str) and "." in end and fold_text(end[end.rindex(".") :]) in bucket["ends"]


def _values(request: Request, tool: Tool | None, moment: Moment) -> dict[str, Any]:
    session = request.session if isinstance(request.session, Session) else Session(request.session)
    return {
        "request": {
            "tool": tool.name if tool is not None else request.tool,
            "agent_tool": request.tool,
            "user": request.user or ABSENT,
            "host": request.host or ABSENT,
            "cwd": request.cwd,
            "labels": request.labels,
            "agent": {
                "name": request.agent or ABSENT,
                "kind": request.agent_kind,
                "interactive": request.interactive,
            },
            "time": {
                "hour": moment.hour if moment.today else UNKNOWN,
                "weekday": moment.weekday or UNKNOWN,
            },
        },
        "input": request.input,
        "session": session._asdict(),
    }
