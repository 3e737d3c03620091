"""`remit split`: what does a command really run and touch?"""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from remit.cli.options import json_option
from remit.cli.output import print_json
from remit.cli.requests import SHELL_TOOL
from remit.engine import Engine
from remit.facts import Access, Unit
from remit.loader import Loader, program_of_text
from remit.phrasing import one_line
from remit.request import Request
from remit.verdict import access_json
from remit_dsl.program import Program

# The known programs, and a question about every access: what nobody asks about is not looked up.
_KNOWLEDGE = "policy split\nuse std\ndefault ask fs.read, fs.write, fs.delete, net.connect, exec\n"


@click.command("split")
@click.argument("text", metavar="COMMAND")
@click.option(
    "--policy",
    "policies",
    multiple=True,
    metavar="PATH",
    type=click.Path(),
    help="Policy that declares programs; may be given several times. Default: the standard library.",
)
@click.option("--cwd", metavar="DIR", help="Working directory of the command.")
@json_option
def command(text: str, policies: tuple[str, ...], cwd: str | None, as_json: bool) -> int:
    """Show what a command runs and touches.

    Every simple command that COMMAND (`-`: standard input) could run, wherever it hides. What is known of programs comes from
    the standard library; with --policy, from those policies.
    """
    if text == "-":
        text = sys.stdin.read()
    program: Program = Loader(policies).load() if policies else program_of_text(_KNOWLEDGE)
    request = Request(SHELL_TOOL, {"command": text}, cwd=os.path.abspath(cwd or "."))
    units = Engine(program).observe(request).units
    if as_json:
        print_json([unit_json(unit) for unit in units])
        return 0
    for at, unit in enumerate(units):
        click.echo(f"{at + 1}. {one_line(unit.text)}{_remarks(unit)}")
        # What differs only in how it is known reads the same.
        for line in dict.fromkeys([_access(access) for access in unit.accesses]):
            click.echo(line)
    return 0


def _access(access: Access) -> str:
    target = one_line(access_json(access)["target"])
    return f"   {access.kind:<12} {target}{'/**' if access.tree else ''}{'' if access.sure else '  possibly'}"


def unit_json(unit: Unit) -> dict[str, Any]:
    """A unit as JSON: words that are not known stand as they are written, and `unknown` names their places."""
    return {
        "text": unit.text,
        "kind": unit.kind,
        "words": [str(word) for word in unit.argv],
        "unknown": [at for at, word in enumerate(unit.argv) if type(word) is not str],
        "program": unit.program,
        "known": unit.known,
        "sure": unit.sure,
        "context": list(unit.context),
        "construct": unit.construct,
        "assignments": [assignment.name for assignment in unit.assignments],
        "parent": unit.parent,
        "accesses": [access_json(access) for access in unit.accesses],
    }


def _remarks(unit: Unit) -> str:
    remarks = list(unit.context)
    if unit.construct:
        remarks.append(f"not understood: {unit.construct}")
    if not unit.sure:
        remarks.append("may not run")
    return f"   ({', '.join(remarks)})" if remarks else ""
