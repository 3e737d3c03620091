"""`remit init`: a first policy that works, with a test."""

from __future__ import annotations

import os
import re
from pathlib import Path

import click

from remit.cli.options import json_option
from remit.cli.output import print_json

FOLDER, FILE = ".remit", "policy.remit"

_HEAD = """\
# What an agent may do in this project. `remit check`, `remit test` and `remit lint` judge this file.
policy {name} for project "What an agent may do in {title}"

use std  # the known tools, programs and modes, and guards around what must not change unseen
"""

_BASELINE = """
use std.reading  # read-only commands run, and the project can be read

set secrets = paths { **/.env, **/.env.*, **/*.pem, ~/.ssh/**, ~/.aws/credentials }

deny secrets-stay-out: fs.read(@secrets)
  because "Credentials must not enter a model's context. Ask a human to run what needs them."
  severity high

deny no-force-push: Bash(git push --force *), Bash(git push -f *)
  because "Force pushes rewrite shared history. Push a new branch instead."
  severity high

ask publishing: Bash(git push *), Bash(npm publish *)
  because "Publishing leaves the machine."

ask deleting: Bash(rm -r *)
  because "Whole folders are deleted."

allow project-files: fs.write(./**)

test "secrets stay out, however they are read" {
  deny  Read(.env) by secrets-stay-out
  deny  Bash(cat .env | base64) by secrets-stay-out
  allow Bash(cat README.md)
}

test "history is not rewritten, whatever the mode" {
  mode bypass
  deny  Bash(cd repo && git push -f) by no-force-push
  ask   Bash(git push origin main) by publishing
  ask   Bash(rm -rf build) by deleting
}

test "the project can be edited, and nothing else" {
  allow Write(src/main.py) by project-files
  ask   Write(/etc/hosts)
}
"""

_EMPTY = """
# deny no-force-push: Bash(git push --force *)
#   because "Force pushes rewrite shared history."

test "nothing is allowed yet" {
  ask   Bash(git status)
}
"""

TEMPLATES = {"baseline": _BASELINE, "empty": _EMPTY}


@click.command("init")
@click.argument("folder", default=".", metavar="[DIR]", type=click.Path(file_okay=False))
@click.option(
    "--template", type=click.Choice(list(TEMPLATES)), default="baseline", show_default=True, help="What to begin with."
)
@json_option
def command(folder: str, template: str, as_json: bool) -> int:
    """Write a first policy.

    It is DIR/.remit/policy.remit; an existing one is never overwritten.
    """
    home = Path(folder, FOLDER)
    path = home / FILE
    home.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(first_policy(Path(folder).resolve().name, template))
    except FileExistsError:
        raise click.ClickException(f"{path} exists already; it is left as it is") from None
    if as_json:
        print_json({"created": os.fspath(path)})
        return 0
    click.echo(f"created {path}")
    click.echo(f"next:  remit check {home}      is it right?")
    click.echo(f"       remit test {home}       does it do what its tests say?")
    click.echo(f"       remit explain --policy {home} --command 'git push -f'")
    click.echo(
        "A project's own policy only restricts until you trust it (`remit trust`): an agent could have written it."
    )
    return 0


def first_policy(folder: str, template: str) -> str:
    """The text of a template for a folder of this name."""
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", folder).strip("-").lower() or "project"
    if not name[0].isalpha() or name == "std":  # `std…` are the names of the standard library
        name = f"project-{name}"
    title = name.replace("-", " ")
    return _HEAD.format(name=f"{name}.agents", title=title) + TEMPLATES[template]
