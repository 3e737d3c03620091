"""`remit trust`: a person says that a project's policy may loosen."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

import click

from remit.cli.exits import FINE
from remit.cli.options import json_option
from remit.cli.output import counted, print_json
from remit.errors import LoadError
from remit.loader import Loader
from remit.phrasing import one_line
from remit.policy_files import Places, PolicyFile, default_places, find_policies
from remit.trust import digest_of, pin, read_pins, unpin
from remit_dsl.compiler import Compilation
from remit_dsl.diagnostics import Diagnostic
from remit_dsl.source import Span

_TOO_MANY = "E100"  # the list of diagnostics was cut


class Loosening(NamedTuple):
    """A statement that has an effect once its file is trusted: where it stands, and its text."""

    at: str
    statement: str


class Project(NamedTuple):
    """A project's policy folder as it is now. loosens: None if that could not be listed in full."""

    folder: str
    digest: str
    trusted: bool
    files: tuple[PolicyFile, ...]
    loosens: tuple[Loosening, ...] | None


@click.command("trust")
@click.argument("folder", default=".", metavar="[DIR]", type=click.Path(exists=False))
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
    project = _project(_nearest(places, folder), folder)
    if as_json:
        return _answer(project, places.state, yes)
    click.echo("\n".join(_lines(project)))
    if not project.trusted:
        _confirm(yes)
        pin(project.folder, project.digest, places.state)
        click.echo(f"trusted {project.folder}")
    return FINE


def _confirm(yes: bool) -> None:
    """Returns when the user agrees."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise click.UsageError("nobody can be asked here: run it in a terminal, or give --yes")
    click.confirm("Trust it?", abort=True)


def _answer(project: Project, state: str, yes: bool) -> int:
    if yes:
        pin(project.folder, project.digest, state)
    print_json(_json(project._replace(trusted=project.trusted or yes)))
    return FINE


# --- what would be trusted -------------------------------------------------------------------------------------


def _nearest(places: Places, folder: str) -> str:
    if not places.projects:
        raise click.ClickException(f"there is no `.remit` folder in {os.path.realpath(folder)} or above it")
    return places.projects[0]


def _project(home: str, folder: str) -> Project:
    """The project as every command finds it from `folder`. Raises LoadError when its policies are not right."""
    files = _files_of(home)
    digest = digest_of([(file.name, file.text, file.data) for file in files])
    loader = Loader(project=folder, cached=False)
    found = loader.find().files
    paths = {file.path for file in files}
    before = loader.report([file._replace(trusted=file.trusted and file.path not in paths) for file in found])
    after = loader.report([file._replace(trusted=file.trusted or file.path in paths) for file in found])
    if after.program is None:
        raise LoadError(after.diagnostics, loader.sources)
    names = {file.name for file in found if file.path in paths}
    loosens = _loosens(before, after, names)
    return Project(home, digest, all([file.trusted for file in files]), files, loosens)


def _files_of(home: str) -> tuple[PolicyFile, ...]:
    """The files of this folder alone. Raises LoadError when one cannot be read, or when there is none."""
    state = default_places(home, os.environ).state
    found = find_policies([], Places("", "", (home,), state))
    if found.problems:
        raise LoadError(found.problems, found.sources)
    return found.files


def _loosens(before: Compilation, after: Compilation, names: set[str]) -> tuple[Loosening, ...] | None:
    """The statements of these files that are reported as being without effect only as long as the files are not trusted."""
    if any([item.code == _TOO_MANY for item in (*before.diagnostics, *after.diagnostics)]):
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
    yield f"{project.folder}: {counted(project.files, 'policy file')}, {_state(project.trusted)}"
    for name, digest in _contents(project.files):
        yield f"  {digest[:12]}  {one_line(name)}"
    if project.loosens is None:
        yield "too many findings to list what it loosens: read the files"
        return
    yield f"{'loosens' if project.trusted else 'would loosen'}:" if project.loosens else "loosens nothing"
    for item in project.loosens:
        yield f"  {one_line(item.at)}  {one_line(item.statement)}"


def _state(trusted: bool) -> str:
    return "trusted" if trusted else "not trusted"


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
        "trusted": project.trusted,
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
        click.echo(f"{row['state']:<8} {one_line(row['folder'])}")
    click.echo(counted(rows, "project"))
    return FINE


def _now(folder: str, digest: str) -> str:
    """Whether a folder still holds what was pinned."""
    found = find_policies([], Places("", "", (folder,), ""))
    if not os.path.isdir(folder):
        return "missing"
    same = not found.problems and digest_of([(file.name, file.text, file.data) for file in found.files]) == digest
    return "trusted" if same else "changed"


def _remove(places: Places, folder: str, as_json: bool) -> int:
    """DIR itself counts too, so that a project can be removed whose `.remit` is gone."""
    home = places.projects[0] if places.projects else os.path.join(os.path.realpath(folder), ".remit")
    known = unpin(home, places.state)
    if as_json:
        print_json({"folder": home, "removed": known})
    else:
        click.echo(f"{'no longer trusted' if known else 'was not trusted'}: {one_line(home)}")
    return FINE
