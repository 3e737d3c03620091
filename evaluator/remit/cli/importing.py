"""`remit import`: the permission settings of agents as a policy."""

from __future__ import annotations

import sys

import click

from remit.cli.options import json_option
from remit.cli.output import coloured, counted, note, print_json
from remit.importers import FORMATS, ConversionError, convert_report
from remit.regular_files import read_regular

MAX_BYTES = 16 * 1024 * 1024


@click.command("import")
@click.argument("form", type=click.Choice(list(FORMATS)))
@click.argument("file", type=click.Path(allow_dash=True, dir_okay=False))
@click.option("--with-defaults", is_flag=True, help="Permit as well what the agent permits without a rule.")
@click.option(
    "-o", "--output", metavar="FILE", type=click.Path(dir_okay=False), help="Write there; it must not exist yet."
)
@json_option
def command(form: str, file: str, with_defaults: bool, output: str | None, as_json: bool) -> int:
    """Turn an agent's settings into a policy.

    FILE (`-`: standard input) holds the settings of that agent; the policy is never looser than they are. What could not be carried
    over is said on standard error and in comments of the policy.
    """
    content = _read(file)
    try:
        done = convert_report(form, content.decode("utf-8"), with_defaults=with_defaults)
    except UnicodeDecodeError:
        raise click.ClickException(f"{file}: not UTF-8") from None
    except ConversionError as error:
        raise click.ClickException(f"{file}: {error}") from None
    if output is not None:
        _write_new(output, done.source)
    if as_json:
        print_json({"source": done.source, "notes": [item._asdict() for item in done.notes]})
    elif output is None:
        click.echo(done.source, nl=False)
    for item in done.notes:
        note(f"{coloured('note', 'yellow', sys.stderr)}: {item}")
    if output is not None:
        note(f"wrote {output}, {counted(done.notes, 'note')}")
    return 0


def _read(file: str) -> bytes:
    try:
        content = sys.stdin.buffer.read(MAX_BYTES + 1) if file == "-" else read_regular(file, MAX_BYTES)
    except OSError as error:
        raise click.ClickException(f"{file}: {error.strerror or error}") from None
    if len(content) > MAX_BYTES:
        raise click.ClickException(f"{file}: longer than {MAX_BYTES} bytes")
    return content


def _write_new(path: str, text: str) -> None:
    try:
        with open(path, "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise click.ClickException(f"{path} exists already; it is left as it is") from None
