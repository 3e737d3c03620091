"""`remit session`: what a person may change of a run while it goes on."""

from __future__ import annotations

import getpass
import os
import time
from collections.abc import Callable
from typing import Any, TypeVar

import click

from remit.cli.options import json_option
from remit.cli.output import note, print_json
from remit.cli.requests import Source, request_options, single_request
from remit.installing.files import read, replace
from remit.installing.settings_json import SettingsError
from remit.phrasing import one_line
from remit.policy_files import default_places
from remit.sessions.outcome import call_of
from remit.sessions.places import default_store
from remit.sessions.policy_edits import FILE, edited
from remit.sessions.rules import RuleError, effect_of
from remit.sessions.state import Approval, Asked, State
from remit.sessions.store import Change, Store, StoreError
from remit.sessions.updates import KINDS, Update, UpdateError, applied, approved
from remit.transcript import compact

Function = TypeVar("Function", bound=Callable[..., Any])

APPROVAL_SECONDS = 600
DESTINATIONS = ("session", "project", "user")


@click.group("session", context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Rules, mode, folders and approvals of single runs.

    ID is the session's id as the agent gives it; `remit session list` names those that were seen. What is said here holds for that
    session only, and lifts no deny.
    """


def store_option(function: Function) -> Function:
    """`--store FILE`."""
    text = "Where sessions are kept. Default: ~/.local/state/remit/sessions.db of this account."
    option = click.option("--store", "path", metavar="FILE", default=default_store, help=text)
    return option(function)


@command.command("list")
@store_option
@json_option
def list_(path: str, as_json: bool) -> int:
    """List the sessions, those used last first."""
    found = _with(path, lambda store: store.ids()) if os.path.lexists(path) else []
    if as_json:
        print_json([{"id": session, "seen": seen} for session, seen in found])
    for session, seen in [] if as_json else found:
        click.echo(f"{one_line(session, 80)}  {time.strftime('%Y-%m-%d %H:%M', time.localtime(seen))}")
    return 0


@command.command("show")
@click.argument("session", metavar="ID")
@store_option
@json_option
def show(session: str, path: str, as_json: bool) -> int:
    """Show what is known of a session."""
    _print(_with(path, lambda store: store.read(session)), as_json)
    return 0


def _rule_command(effect: str) -> None:
    @command.command(effect, help=f"Add a rule to the session: `remit session {effect} ID 'Bash(npm run *)'`.")
    @click.argument("session", metavar="ID")
    @click.argument("target", metavar="TARGET")
    @click.option("--remove", is_flag=True, help="Take the rule back.")
    @store_option
    @json_option
    def rule(session: str, target: str, remove: bool, path: str, as_json: bool) -> int:
        statement = f"{effect} {target}"
        _one_target(statement)
        kind = "removeRules" if remove else "addRules"
        return _update(path, session, Update(kind, (statement,)), as_json)


def _one_target(statement: str) -> None:
    try:
        effect_of(statement)
    except RuleError as error:
        raise click.UsageError(str(error)) from None


for _effect in ("allow", "ask", "deny"):
    _rule_command(_effect)


@command.command("mode")
@click.argument("session", metavar="ID")
@click.argument("mode", metavar="MODE")
@store_option
@json_option
def mode(session: str, mode: str, path: str, as_json: bool) -> int:
    """Put the session into a mode, whatever its calls say; `-` leaves it to them again."""
    return _update(path, session, Update("setMode", mode="" if mode == "-" else mode), as_json)


@command.command("folder")
@click.argument("session", metavar="ID")
@click.argument("folder", type=click.Path(resolve_path=True, file_okay=False))
@click.option("--remove", is_flag=True, help="Take it back.")
@store_option
@json_option
def folder(session: str, folder: str, remove: bool, path: str, as_json: bool) -> int:
    """Add a folder to the session's workspace."""
    kind = "removeDirectories" if remove else "addDirectories"
    return _update(path, session, Update(kind, directories=(folder,)), as_json)


@command.command("update")
@click.argument("session", metavar="ID")
@click.argument("kind", type=click.Choice(KINDS))
@click.option("--rule", "rules", multiple=True, metavar="RULE", help="A rule, such as 'allow Bash(npm run *)'.")
@click.option("--effect", default="", help="Of replaceRules: whose rules.")
@click.option("--mode", default="", help="Of setMode.")
@click.option("--directory", "directories", multiple=True, metavar="DIR", help="Of addDirectories, removeDirectories.")
@click.option(
    "--to",
    "destination",
    type=click.Choice(DESTINATIONS),
    default="session",
    help="What is changed: the session, or a policy file.",
)
@store_option
@json_option
def update(
    session: str,
    kind: str,
    rules: tuple[str, ...],
    effect: str,
    mode: str,
    directories: tuple[str, ...],
    destination: str,
    path: str,
    as_json: bool,
) -> int:
    """One update in the form that agents name them by, all of it or nothing.

    `--to user` and `--to project` change the file accepted.remit beside the policies of the user, or in the project's .remit folder, whose
    trust ends with any change. Policies of the organisation and of teams are changed by those who ship them.
    """
    change = Update(kind, rules, effect, mode, directories)
    return _update(path, session, change, as_json) if destination == "session" else _edit(change, destination, as_json)


def _edit(update: Update, tier: str, as_json: bool) -> int:
    places = default_places(os.getcwd(), os.environ)
    folder = places.user if tier == "user" else next(iter(places.projects), os.path.join(os.getcwd(), ".remit"))
    path = os.path.join(folder, FILE)
    try:
        if tier == "project" and os.path.realpath(path) != path:
            # The project's files say where it leads: what a person accepts for the project must not become the user's own.
            raise SettingsError(f"it is, or lies behind, a link to {os.path.realpath(path)}")
        before = read(path)
        after = edited(before, update, tier)
        if after != before:
            replace(path, before, after)
    except (SettingsError, UpdateError) as error:
        raise click.ClickException(f"{path}: {error}") from None
    if as_json:
        print_json({"file": path, "changed": after != before})
    else:
        click.echo(f"{'changed' if after != before else 'nothing to change in'} {path}")
    return 0


@command.command("approve")
@click.argument("session", metavar="ID")
@request_options
@click.option(
    "--seconds", default=APPROVAL_SECONDS, show_default=True, type=click.IntRange(1, 86_400), help="How long."
)
@store_option
@json_option
def approve(session: str, source: Source, seconds: int, path: str, as_json: bool) -> int:
    """Let one exact call happen once: the last one that the session was asked about.

    Another one is given as for `remit decide`; of those that were asked about, the newest that fits what is given. Says what was
    approved. An approval answers an ask, never a deny.
    """
    state = _with(path, lambda store: store.read(session))
    asked = _asked(state, source)
    approval = Approval(asked.call, getpass.getuser(), time.time() + seconds)
    changed = _with(path, lambda store: store.change(session, lambda state: approved(state, approval)))
    if not as_json:
        click.echo(f"approved once: {one_line(f'{asked.tool} {asked.text}', 200)}  in {one_line(asked.folder, 200)}")
    _print(changed, as_json)
    return 0


def _asked(state: State, source: Source) -> Asked:
    """The call that is meant. Raises ClickException where none is."""
    if not source.is_call and source.file is None:
        if not state.asked:
            raise click.ClickException(f"nothing was asked about in session {one_line(state.id, 80)}; give the call")
        return state.asked[-1]
    request = single_request(source)
    request = request if request.cwd else request._replace(cwd=os.getcwd())
    text, folder = compact(request.input), source.changes.get("cwd", "")
    for call in reversed(state.asked):
        if (call.tool, call.text) == (request.tool, text) and folder in ("", call.folder):
            return call
    note(
        "note: the session was asked about no such call; the approval holds for exactly this call of this agent (--agent)"
    )
    return Asked(call_of(request), request.tool, text, request.cwd)


@command.command("cancel")
@click.argument("session", metavar="ID")
@click.option("--undo", is_flag=True, help="Let it go on.")
@store_option
@json_option
def cancel(session: str, undo: bool, path: str, as_json: bool) -> int:
    """Mark the session as cancelled: rules with `when session.cancelled` hold from now on."""
    changed = _with(path, lambda store: store.change(session, lambda state: state._replace(cancelled=not undo)))
    _print(changed, as_json)
    return 0


@command.command("forget")
@click.argument("session", metavar="ID")
@store_option
def forget(session: str, path: str) -> int:
    """Drop all that is known of a session, its denials and its own rules included."""
    known = _with(path, lambda store: store.forget(session))
    note(f"{'forgot' if known else 'there is no session'} {one_line(session, 80)}")
    return 0 if known else 1


def _update(path: str, session: str, update: Update, as_json: bool) -> int:
    change: Change = lambda state: applied(state, update)  # noqa: E731
    _print(_with(path, lambda store: store.change(session, change)), as_json)
    return 0


def _with(path: str, use: Callable[[Store], Any]) -> Any:
    try:
        return use(Store(path))
    except (StoreError, UpdateError) as error:
        raise click.ClickException(str(error)) from None


def _print(state: State, as_json: bool) -> None:
    if as_json:
        print_json(state.to_json())
        return
    click.echo(f"session {one_line(state.id, 80)}: mode {state.mode or 'as each call says'}, {state.calls} calls, "
               f"{state.denials} denials, {state.consecutive_denials} in a row{', cancelled' if state.cancelled else ''}")  # fmt: skip
    for rule in state.rules:
        click.echo(f"  {rule}")
    for folder in state.directories:
        click.echo(f"  folder {one_line(folder, 200)}")
    for approval in state.approvals:
        until = time.strftime("%H:%M:%S", time.localtime(approval.expires))
        click.echo(f"  approved by {one_line(approval.by, 40)} until {until}: call {approval.call[:12]}")
