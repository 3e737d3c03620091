"""`remit trust`: a person says that a project's policy may loosen."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any

import click

from remit.cli.exits import FINE
from remit.cli.options import json_option
from remit.cli.output import counted, print_json
from remit.errors import LoadError
from remit.loader import Loader
from remit.phrasing import one_line
from remit.policy_files import SUFFIX, Places, PolicyFile, default_places, find_policies
from remit.trust import digest_of, pin, read_pins, unpin
from remit_dsl.compiler import Compilation
from remit_dsl.diagnostics import Diagnostic
from remit_dsl.records import NamedTuple
from remit_dsl.source import Span

TRUSTED, CHANGED, UNKNOWN, MISSING = "trusted", "changed since it was trusted", "not trusted", "missing"
_CUT = "E100"  # the code of the note that a list of diagnostics was cut


class Loosening(NamedTuple):
    """A statement that has an effect once its file is trusted: where it stands, and its text."""

    at: str
    statement: str


class Project(NamedTuple):
    """A project's policy folder as it is now. loosens: None if that could not be listed in full."""

    folder: str
    digest: str
    state: str
    files: tuple[PolicyFile, ...]
    loosens: tuple[Loosening, ...] | None


@click.command("trust")
@click.argument("folder", default=".", metavar="[DIR]", type=click.Path())
@click.option("--yes", is_flag=True, help="Trust without asking.")
@click.option("--remove", is_flag=True, help="Trust the project no longer.")
@click.option("--list", "listing", is_flag=True, help="Show which projects are trusted, and which have changed since.")
@json_option
def command(folder: str, yes: bool, remove: bool, listing: bool, as_json: bool) -> int:
    """Let a project's policy loosen as well.

    The policies in `.remit` of a project only restrict, because an agent could have written them. This shows the files in DIR's
    `.remit` (or in that of the nearest folder above it) and each statement that would begin to count, asks, and remembers the content: any
    change to any of the files, or to data that they read, ends the trust. What a higher tier forbids stays forbidden.

    With --json nothing is asked: the project is shown, and trusted only with --yes.
    """
    if listing + remove + yes > 1:
        raise click.UsageError("--yes, --remove and --list exclude each other")
    places = default_places(folder, os.environ)
    if listing:
        return _list(places.state, as_json)
    if remove:
        return _remove(places, folder, as_json)
    project = _project(folder, places)
    if not as_json:
        click.echo("\n".join(_lines(project)))
    if project.state != TRUSTED and _agreed(yes, as_json):
        pin(project.folder, project.digest, places.state)
        project = project._replace(state=TRUSTED)
        if not as_json:
            click.echo(f"trusted {one_line(project.folder)}")
    if as_json:
        print_json(_json(project))
    return FINE


def _agreed(yes: bool, as_json: bool) -> bool:
    """What the user says. Raises Abort for no, and UsageError where nobody can be asked."""
    if yes or as_json:
        return yes
    if not can_ask():
        raise click.UsageError("nobody can be asked here: run it in a terminal, or give --yes")
    return click.confirm("Trust it?", abort=True)


def can_ask() -> bool:
    """Whether somebody sits at standard input."""
    return sys.stdin.isatty()


# --- what would be trusted -------------------------------------------------------------------------------------


def _project(folder: str, places: Places) -> Project:
    """The nearest project of a folder, with all other policies that count there. Raises LoadError when any is not right."""
    if not os.path.isdir(folder):
        raise click.ClickException(f"{folder}: there is no such folder")
    if not places.projects:
        raise click.ClickException(f"there is no `{SUFFIX}` folder in {os.path.realpath(folder)} or above it")
    home = places.projects[0]
    loader = Loader(project=folder, cached=False)
    found = loader.find().files
    files = tuple([_below(home, file) for file in found if _is_below(home, file)])
    if not files:
        raise click.ClickException(f"{home} holds no policy")
    digest = digest_of([(file.name, file.text, file.data) for file in files])
    before = loader.report([file._replace(trusted=file.trusted and not _is_below(home, file)) for file in found])
    after = loader.report([file._replace(trusted=file.trusted or _is_below(home, file)) for file in found])
    if after.program is None:
        raise LoadError(after.diagnostics, loader.sources)
    names = {file.name for file in found if _is_below(home, file)}
    return Project(home, digest, _state(home, digest, places.state), files, _loosens(before, after, names))


def _is_below(home: str, file: PolicyFile) -> bool:
    return file.path.startswith(home + os.sep)


def _below(home: str, file: PolicyFile) -> PolicyFile:
    """The file under the name that it has in its own folder, which is the one that trust goes by."""
    return file._replace(name=os.path.relpath(file.path, home))


def _state(home: str, digest: str, state: str) -> str:
    pinned = read_pins(state).get(os.path.realpath(home))
    return UNKNOWN if pinned is None else TRUSTED if pinned == digest else CHANGED


def _loosens(before: Compilation, after: Compilation, names: set[str]) -> tuple[Loosening, ...] | None:
    """The statements of these files that are reported as being without effect only as long as the files are not trusted."""
    if any([item.code == _CUT for item in (*before.diagnostics, *after.diagnostics)]):
        return None
    gone = [item for item in before.diagnostics if item not in after.diagnostics and item.source_name in names]
    return tuple(dict.fromkeys([_statement(item, before) for item in gone]))


def _statement(item: Diagnostic, compilation: Compilation) -> Loosening:
    """The whole statement around a place, which may have many lines."""
    file = next(file for file in compilation.checked.files if file.source.name == item.source_name)
    around = [each.span for each in file.file.statements if each.span.start <= item.start < each.span.end]
    span = around[0] if around else Span(item.start, item.end)
    line, _ = file.source.position(span.start)
    return Loosening(f"{item.source_name}:{line}", file.source.text[span.start : span.end])


# --- shown -----------------------------------------------------------------------------------------------------


def _lines(project: Project) -> Iterator[str]:
    yield f"{one_line(project.folder)}: {counted(project.files, 'policy file')}, {project.state}"
    for name, digest in _contents(project.files):
        yield f"  {digest[:12]}  {one_line(name)}"
    if project.loosens is None:
        yield "too many findings to list what it loosens: read the files"
        return
    verb = "loosens" if project.state == TRUSTED else "would loosen"
    yield f"{verb}:" if project.loosens else f"{verb} nothing"
    for item in project.loosens:
        yield f"  {one_line(item.at)}  {one_line(item.statement)}"


def _contents(files: Sequence[PolicyFile]) -> Iterator[tuple[str, str]]:
    """Every file that the trust is about, data included, with the hash of its text."""
    for file in files:
        yield file.name, _hash(file.text)
        folder = os.path.dirname(file.name)
        yield from [(os.path.join(folder, name), _hash(text)) for name, text in file.data]


def _hash(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _json(project: Project) -> dict[str, Any]:
    return {
        "folder": project.folder,
        "state": project.state,
        "digest": project.digest,
        "files": [{"file": name, "sha256": digest} for name, digest in _contents(project.files)],
        "loosens": None if project.loosens is None else [item._asdict() for item in project.loosens],
    }


# --- what is trusted already -----------------------------------------------------------------------------------


def _list(state: str, as_json: bool) -> int:
    rows = [{"folder": folder, "state": _now(folder, digest)} for folder, digest in sorted(read_pins(state).items())]
    if as_json:
        print_json(rows)
        return FINE
    for row in rows:
        click.echo(f"{one_line(row['folder'])}: {row['state']}")
    click.echo(counted(rows, "project"))
    return FINE


def _now(folder: str, digest: str) -> str:
    """Whether a folder still holds what was pinned."""
    if not os.path.isdir(folder):
        return MISSING
    found = find_policies([], Places("", "", (folder,), ""))
    same = not found.problems and digest_of([(file.name, file.text, file.data) for file in found.files]) == digest
    return TRUSTED if same else CHANGED


def _remove(places: Places, folder: str, as_json: bool) -> int:
    """The nearest project; of a folder that is gone its own, and not that of a folder above."""
    own = os.path.join(os.path.realpath(folder), SUFFIX)
    home = places.projects[0] if os.path.isdir(folder) and places.projects else own
    known = unpin(home, places.state)
    if as_json:
        print_json({"folder": home, "removed": known})
    else:
        click.echo(f"{'no longer trusted' if known else 'was not trusted'}: {one_line(home)}")
    return FINE
