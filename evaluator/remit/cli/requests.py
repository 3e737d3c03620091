"""Requests on the command line: from options, from a file, from standard input; as remit's JSON or as an agent's hook payloads."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from datetime import datetime
from typing import IO, Any, TypeVar

import click

from remit.agents.protocols import AGENTS, protocol_of
from remit.payloads import MAX_BYTES, PayloadError, read_object
from remit.request import Request
from remit.request_json import request_of
from remit_dsl.program import Program
from remit_dsl.records import NamedTuple
from remit_dsl.suggest import did_you_mean

Function = TypeVar("Function", bound=Callable[..., Any])

SHELL_TOOL = "Bash"
FORMS = ("remit", *AGENTS)


class Source(NamedTuple):
    """Where requests come from, and what the options say about each: those win over what a request says itself."""

    file: str | None
    tool: str
    input: str
    shell: str | None
    form: str
    changes: Mapping[str, Any]
    labels: Mapping[str, str]

    @property
    def is_call(self) -> bool:
        """Whether the options themselves describe the call."""
        return bool(self.tool or self.shell is not None or self.input)


def request_options(function: Function) -> Function:
    """The options and the FILE argument; the command gets one `source`."""

    def wrapped(**given: Any) -> Any:
        return function(source=_source(given), **given)

    wrapped.__name__, wrapped.__doc__ = function.__name__, function.__doc__
    wrapped.__click_params__ = getattr(function, "__click_params__", [])  # type: ignore[attr-defined]
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped  # type: ignore[return-value]


_OPTIONS: list[Callable[[Any], Any]] = [
    click.argument("file", required=False, type=click.Path(allow_dash=True, dir_okay=False)),
    click.option("--command", "shell", metavar="TEXT", help=f"The call is a shell command ({SHELL_TOOL})."),
    click.option("--tool", default="", metavar="NAME", help="The call is of this tool."),
    click.option("--input", default="", metavar="JSON", help="The tool's parameters, a JSON object."),
    click.option("--from", "--hook", "form", type=click.Choice(FORMS), default=FORMS[0], help="What FILE holds."),
    click.option("--cwd", metavar="DIR", help="Working directory of the call."),
    click.option("--workspace", multiple=True, metavar="DIR", help="Folder that the agent works in. Default: --cwd."),
    click.option("--home", metavar="DIR", help="Home folder."),
    click.option("--mode", metavar="NAME", help="Permission mode."),
    click.option("--agent", metavar="NAME", help="The agent's name."),
    click.option("--user", metavar="NAME", help="Who the agent works for."),
    click.option("--host", metavar="NAME", help="The machine it runs on."),
    click.option("--time", metavar="TIME", help="When, as 2026-12-01T10:00."),
    click.option("--interactive/--no-interactive", default=None, help="Whether somebody can be asked."),
    click.option("--label", "labels", multiple=True, metavar="KEY=VALUE", help="A label of the call."),
]


def _source(given: dict[str, Any]) -> Source:
    """Takes what belongs to the source out of the command's parameters."""
    names = ("cwd", "home", "mode", "agent", "user", "host", "time", "interactive")
    changes = {name: given.pop(name) for name in names}
    changes = {name: value for name, value in changes.items() if value is not None}
    for name in ("cwd", "home"):
        if name in changes:
            changes[name] = os.path.abspath(changes[name])
    if "time" in changes:
        _moment(changes["time"])
    workspace = tuple([os.path.abspath(folder) for folder in given.pop("workspace")])
    if workspace:
        changes["workspace"] = workspace
    labels = dict([_label(label) for label in given.pop("labels")])
    parts: dict[str, Any] = {name: given.pop(name) for name in ("file", "tool", "input", "shell", "form")}
    source = Source(changes=changes, labels=labels, **parts)
    if source.is_call and source.file is not None:
        raise click.UsageError("give the call either in FILE or with --tool and --command")
    return source


def _moment(text: str) -> None:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        raise click.UsageError(f"`{text}` is no time; write it as 2026-12-01T10:00") from None


def _label(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not (key and equals):
        raise click.UsageError(f"--label takes KEY=VALUE, not `{text}`")
    return key, value


def known_mode(source: Source, program: Program) -> None:
    """Raises UsageError for a `--mode` that the policies do not know: it would not be in force, without a word."""
    mode, modes = source.changes.get("mode", ""), program.tables["modes"]
    if mode and mode != "default" and mode not in modes:
        hint = did_you_mean(mode, modes) or "they define " + (
            ", ".join(modes) or "none; `use std` brings the usual ones"
        )
        raise click.UsageError(f"--mode: the policies know no mode `{mode}`; {hint}")


def single_request(source: Source) -> Request:
    """The one request of the options, or of the file. Raises UsageError or ClickException."""
    if source.is_call:
        return _with_changes(_called(source), source)
    if source.file is None and sys.stdin.isatty():
        raise click.UsageError("no call: give --command TEXT, --tool NAME --input JSON, or FILE")
    with _opened(source) as stream:
        content = stream.read(MAX_BYTES + 1)
    try:
        return read_request(content, source)
    except PayloadError as error:
        raise click.ClickException(f"{source.file or 'standard input'}: {error}") from None


def requests(source: Source) -> Iterator[tuple[int, Request | PayloadError]]:
    """One request a line, with the line's number; what is none comes as its error. Empty lines are skipped."""
    with _opened(source) as stream:
        for number, line in enumerate(_lines(stream), 1):
            if not line.strip():
                continue
            try:
                yield number, read_request(line, source)
            except PayloadError as error:
                yield number, error


def _lines(stream: IO[bytes]) -> Iterator[bytes]:
    """The lines; of one that is too long, as much as shows that it is."""
    while line := stream.readline(MAX_BYTES + 1):
        yield line
        while not line.endswith(b"\n") and (line := stream.readline(MAX_BYTES)):
            pass


def read_request(content: bytes, source: Source) -> Request:
    """The request that a JSON text describes. Raises PayloadError."""
    fields = read_object(content)
    if source.form in AGENTS:
        call = protocol_of(source.form).call_of(fields, {})
        if call.request is None:
            raise PayloadError(f"no decision is due at {call.event}")
        return _with_changes(call.request, source)
    return _with_changes(request_of(fields), source)


def _called(source: Source) -> Request:
    if source.shell is not None:
        if source.tool or source.input:
            raise click.UsageError("--command stands for --tool and --input")
        return Request(SHELL_TOOL, {"command": source.shell})
    if not source.tool:
        raise click.UsageError("--input needs --tool")
    try:
        parameters = read_object(source.input.encode("utf-8", "surrogateescape")) if source.input else {}
    except PayloadError as error:
        raise click.UsageError(f"--input: {error}") from None
    return Request(source.tool, parameters)


def _with_changes(request: Request, source: Source) -> Request:
    labels = {**request.labels, **source.labels}
    changes = dict(source.changes)
    if "cwd" in changes and "workspace" not in changes and source.form in AGENTS:
        changes["workspace"] = (changes["cwd"],)
    return request._replace(labels=labels, **changes)


def _opened(source: Source) -> Any:
    if source.file in (None, "-"):
        return nullcontext(sys.stdin.buffer)
    try:
        return open(str(source.file), "rb")
    except FileNotFoundError:
        hint = f"; a shell command is given as --command '{source.file}'" if " " in str(source.file) else ""
        raise click.UsageError(f"{source.file}: no such file{hint}") from None
