"""The printable form of a program: what is asked, in the order in which it is asked, and where each line comes from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from remit_dsl.globs import glob_text
from remit_dsl.patterns import host_text, path_text
from remit_dsl.program import EFFECTS, Program

_STAGES = {
    "deny": "1-2  deny: certain, then possible (asks)",
    "ask": "3    ask",
    "guard": "4    guard: no mode and no allow lifts it",
    "allow": "6    allow",
}


def listing(program: Program) -> str:
    """The program as text, one rule a line with what belongs to it indented below; ends with a line break."""
    lines = [f"program {program.revision}", *_policies(program)]
    for effect in EFFECTS[:3]:
        lines += _stage(program, effect)
    lines += _modes(program)
    lines += _stage(program, EFFECTS[3])
    lines += _defaults(program)
    lines += _shadow(program)
    lines += _world(program)
    lines += _index(program)
    return "\n".join(lines) + "\n"


def _policies(program: Program) -> Iterator[str]:
    yield ""
    yield "policies"
    for name, tier, owner, title, file in program.tables["policies"]:
        about = "".join([f'  "{title}"' if title else "", f"  owner {owner}" if owner else ""])
        yield f"  {name}  [{tier}]  {file}{about}"
    for note in program.tables["notes"]:
        yield f"  {note}"


def _stage(program: Program, effect: str) -> Iterator[str]:
    rows = [row for row in program.tables["rules"] if row[1] == effect and not row[2]]
    yield ""
    yield f"{_STAGES[effect]} ({len(rows)})"
    for row in rows:
        yield from _rule(row)


def _shadow(program: Program) -> Iterator[str]:
    rows = [row for row in program.tables["rules"] if row[2]]
    if rows:
        yield ""
        yield f"shadow: counted, not enforced ({len(rows)})"
    for row in rows:
        yield from _rule(row)


def _rule(row: list[Any]) -> Iterator[str]:
    effect = f"{row[1]} " if row[2] else ""
    yield f"  {effect}{row[0]}: {_targets(row[3])}  [{row[14]} {row[15]}]"
    if row[4]:
        yield f"      except {_targets(row[4])}"
    if row[5] is not None:
        yield f"      when {condition_text(row[5])}"
    for word, value in (("in mode", ", ".join(row[6])), ("for agent", ", ".join(row[7])), ("until", row[8])):
        if value:
            yield f"      {word} {value}"
    if row[16]:
        yield "      approvable"
    about = (("severity", row[10]), ("owner", row[11]), ("ticket", row[12]))
    said = ", ".join([f"{word} {value}" for word, value in about if value])
    if said:
        yield f"      {said}"
    if row[9]:
        yield f'      "{row[9]}"'


def _targets(rows: Iterable[list[Any]]) -> str:
    return ", ".join([row[3] for row in rows])


def _modes(program: Program) -> Iterator[str]:
    names: dict[str, list[str]] = {}
    for name, row in program.tables["modes"].items():
        names.setdefault(row[0], []).append(name)
    yield ""
    yield f"5    the mode's own word ({len(names)} modes)"
    forbidden = program.tables["forbidden_modes"]
    for canonical, others in names.items():
        row = program.tables["modes"][others[0]]
        says = ["only read-only"] if row[1] else []
        says += ["allows everything"] if row[2] else []
        says += ["only narrow allows"] if row[5] else []
        says += [f"allows {_targets(row[3])}"] if row[3] else []
        says += [f"ask becomes {row[4]}"] if row[4] else []
        out = "forbidden" if canonical in forbidden else "; ".join(says) or "nothing"
        also = ", ".join([name for name in others if name != canonical])
        yield f"  {canonical} ({also}): {out}" if also else f"  {canonical}: {out}"


def _defaults(program: Program) -> Iterator[str]:
    rows = program.tables["defaults"]
    yield ""
    yield "7    defaults, the first that matches; those without a target last"
    for row in sorted(rows, key=lambda row: not row[1]):
        yield f"  {row[0]}{' ' if row[1] else ''}{_targets(row[1])}  [{row[3]} {row[4]}]"
    if all(row[1] for row in rows):
        yield "  ask  [nothing is written]"
    yield f"  what cannot be parsed: {program.tables['on_unparseable']}"
    for tier, may in program.tables["lower_may"].items():
        if len(may) < len(EFFECTS):
            yield f"  tier {tier} may {', '.join(may) or 'nothing'}"


def _world(program: Program) -> Iterator[str]:
    tables = program.tables
    common = sorted({row[0] for row in tables["tools"].values()})
    yield ""
    yield f"tools ({len(tables['tools'])} names of {len(common)}): {', '.join(common)}"
    yield f"programs: {len(tables['program_names'])} names, {len(tables['programs'])} declarations"
    yield f"environment: {len(tables['env_harmless'])} harmless, {len(tables['env_runs'])} that run something"
    for name, globs in tables["sets"].items():
        yield f"set {name}: {', '.join([glob_text(glob) for glob in globs])}"
    for name in sorted(tables["data"]):
        yield f"data {name}"


def _index(program: Program) -> Iterator[str]:
    index = program.tables["index"]
    yield ""
    yield "index: what a call shows -> targets that are looked at"
    shell = {name: sum([len(refs) for refs in words.values()]) for name, words in index["shell"].items()}
    most = max(shell.items(), key=lambda item: (item[1], item[0]), default=None)
    most_text = f", most for {most[0]} ({most[1]})" if most is not None else ""
    yield f"  commands: {sum(shell.values())} by {len(shell)} programs{most_text}"
    yield f"  commands looked at always: {len(index['shell_any'])} patterns, {len(index['like'])} texts"
    yield f"  tools: {sum([len(refs) for refs in index['tools'].values()])} by name, {len(index['tool_any'])} always"
    for kind, buckets in (("subject", index["subject"]), ("capability", index["caps"])):
        for name, bucket in sorted(buckets.items()):
            yield f"  {kind} {name}: {len(bucket['all'])}, of which always {len(bucket['any'])}"


# --- conditions ----------------------------------------------------------------------------------------------


def condition_text(expr: Any) -> str:
    """A compiled condition, written out."""
    op = expr[0]
    if op in ("and", "or"):
        return f" {op} ".join([_inside(item) for item in expr[1:]])
    if op == "not":
        return f"not {_inside(expr[1])}"
    if op == "fact":
        return ".".join(expr[1:])
    if op == "const":
        return _constant(expr[1])
    if op == "count":
        return f"count({condition_text(expr[1])})"
    if op == "like":
        return f'{condition_text(expr[1])} like "{glob_text(expr[2])}"'
    if op == "matches":
        return f'{condition_text(expr[1])} matches "{expr[2]}"'
    right = _set(expr[2]) if expr[2][0] == "set" else condition_text(expr[2])
    return f"{condition_text(expr[1])} {op} {right}"


def _inside(expr: Any) -> str:
    text = condition_text(expr)
    return text if expr[0] in ("fact", "const", "count") else f"({text})"


def _constant(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return f"[{', '.join([_constant(item) for item in value])}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else str(value)


def _set(expr: Any) -> str:
    write = {"paths": path_text, "hosts": host_text}.get(expr[1], glob_text)
    return f"{{ {', '.join([write(pattern) for pattern in expr[2]])} }}"
