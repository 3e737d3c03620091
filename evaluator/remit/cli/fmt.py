"""`remit fmt`: policies in their one canonical form."""

from __future__ import annotations

import difflib
import json
import os
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import click

from remit.cli.exits import FAILED, FINDINGS, FINE
from remit.cli.loading import print_findings
from remit.cli.options import json_option
from remit.cli.output import coloured, counted, note, print_json
from remit.errors import LoadError
from remit.policy_files import MAX_FILE_BYTES
from remit.regular_files import read_regular
from remit_dsl.formatter import format_source
from remit_dsl.records import NamedTuple
from remit_dsl.render import render_json
from remit_dsl.source import Source

STDIN = "-"


class Formatted(NamedTuple):
    """A file before and after."""

    path: str
    before: str
    after: str

    @property
    def changed(self) -> bool:
        return self.before != self.after


@click.command("fmt")
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path(allow_dash=True))
@click.option("--check", "only_check", is_flag=True, help="Write nothing; exit with 1 if a file would change.")
@click.option("--diff", is_flag=True, help="Write nothing; print what would change.")
@json_option
def command(paths: tuple[str, ...], only_check: bool, diff: bool, as_json: bool) -> int:
    """Format policy files.

    PATHs are files and folders (default: the current folder), or `-` for standard input. Comments are kept. A file is replaced
    as a whole or not at all, and keeps its permissions. A file that does not parse is reported and left alone.
    """
    if STDIN in paths:
        return _standard_input(paths, only_check, diff, as_json)
    done: list[Formatted] = []
    failed: list[dict[str, Any]] = []
    for path in policy_paths(paths or (".",)):
        try:
            done.append(_format(path, _read(path)))
        except (LoadError, OSError, click.ClickException) as error:
            failed.append(_failure(path, error, as_json))
    changed = [item for item in done if item.changed]
    if not (only_check or diff):
        for item in changed:
            replace(item.path, item.after)
    if as_json:
        print_json([*[{"file": item.path, "changed": item.changed} for item in done], *failed])
    else:
        _report(done, changed, only_check, diff)
    return FAILED if failed else FINDINGS if changed and (only_check or diff) else FINE


def _read(path: str) -> bytes:
    """The file's content. Raises OSError for what is no regular file of a policy's size."""
    content = read_regular(path, MAX_FILE_BYTES)
    if len(content) > MAX_FILE_BYTES:
        raise OSError(f"longer than {MAX_FILE_BYTES} bytes")
    return content


def _failure(path: str, error: Exception, as_json: bool) -> dict[str, Any]:
    """What is wrong with one file: printed at once for people, given back for JSON."""
    if isinstance(error, LoadError):
        if not as_json:
            print_findings(error.diagnostics, error.sources, "text")
        findings = json.loads(render_json(error.diagnostics, error.sources))
        return {"file": path, "changed": False, "error": {"message": "it does not parse"}, "findings": findings}
    message = f"{path}: {error.strerror or error}" if isinstance(error, OSError) else str(error)
    if not as_json:
        note(f"{coloured('error', 'red', sys.stderr)}: {message}")
    return {"file": path, "changed": False, "error": {"message": message}}


def _report(done: Sequence[Formatted], changed: Sequence[Formatted], only_check: bool, diff: bool) -> None:
    for item in changed:
        if diff:
            click.echo("".join(_diff(item)), nl=False)
        else:
            click.echo(f"{'would format' if only_check else 'formatted'} {item.path}")
    note(f"{counted(changed, 'file')} of {len(done)} {'differ' if only_check or diff else 'changed'}")


def _standard_input(paths: Sequence[str], only_check: bool, diff: bool, as_json: bool) -> int:
    if len(paths) > 1:
        raise click.UsageError("`-` stands alone")
    item = _format("<stdin>", sys.stdin.buffer.read())
    if as_json:
        print_json([{"file": item.path, "changed": item.changed, "text": item.after}])
    elif diff:
        click.echo("".join(_diff(item)), nl=False)
    elif not only_check:
        click.echo(item.after, nl=False)
    return FINDINGS if item.changed and (only_check or diff) else FINE


def _format(path: str, content: bytes) -> Formatted:
    """The file in canonical form. Raises LoadError when it does not parse."""
    try:
        before = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise click.ClickException(f"{path}: not UTF-8 at byte {error.start}") from None
    source = Source(path, before.replace("\r\n", "\n"))
    after, diagnostics = format_source(source)
    if after is None:
        raise LoadError(diagnostics, {path: source})
    return Formatted(path, before, after)


def _diff(item: Formatted) -> Iterator[str]:
    """The change as a unified diff."""
    before, after = item.before.splitlines(True), item.after.splitlines(True)
    for line in difflib.unified_diff(before, after, item.path, item.path):
        yield line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"


def policy_paths(paths: Iterable[str]) -> Iterator[str]:
    """The files named, and the policy files below the folders named, in order."""
    for path in paths:
        if not os.path.isdir(path):
            yield path
            continue
        for folder, folders, names in os.walk(path, onerror=_unlisted):
            folders.sort()
            found = [os.path.join(folder, name) for name in sorted(names) if name.endswith(".remit")]
            yield from [file for file in found if _belongs(file, path)]


def _unlisted(error: OSError) -> None:
    raise error


def _belongs(file: str, root: str) -> bool:
    """Whether a file that was found, not named, is to be formatted; says so when it is not."""
    real, home = os.path.realpath(file), os.path.realpath(root)
    if os.path.exists(real) and not os.path.isfile(real):
        note(f"skipped {file}: not a regular file")
        return False
    if os.path.commonpath([real, home]) != home:
        note(f"skipped {file}: a link that leads out of the folder")
        return False
    return True


def replace(path: str, text: str) -> None:
    """Replace a file's content in one step; what a link points to is replaced, not the link. Its permissions stay.

    A file with several names, or of somebody else, would lose that by being replaced: it is written in place.
    """
    real = os.path.realpath(path)
    found = os.stat(real)
    if found.st_nlink > 1 or found.st_uid != os.geteuid():
        with open(real, "r+", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.truncate()
        return
    mode = stat.S_IMODE(found.st_mode)
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(real), prefix=".remit-", suffix=".new")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            os.fchmod(file.fileno(), mode)
        os.replace(temporary, real)
    except BaseException:
        os.unlink(temporary)
        raise
