"""`remit reload`: a running daemon loads its policies anew."""

from __future__ import annotations

import http.client
import json
import os
import socket
from typing import Any

import click

from remit.cli.exits import FINDINGS, FINE
from remit.cli.options import json_option
from remit.cli.output import note, print_json

TIMEOUT_S = 120.0


@click.command("reload")
@click.option(
    "--admin-socket", metavar="PATH", help="The daemon's admin socket. Default: that of this account's daemon."
)
@json_option
def command(admin_socket: str | None, as_json: bool) -> int:
    """Tell the daemon to load its policies anew, as SIGHUP does.

    Exits with 0 when they are in force, with 1 when they are not right: then the last good ones stay in force.
    """
    from remit.daemon.options import default_admin_socket

    path = os.path.abspath(admin_socket) if admin_socket else default_admin_socket()
    status, answer = _ask(path)
    if as_json:
        print_json(answer)
    elif status == 200:
        click.echo(f"{'changed' if answer['changed'] else 'unchanged'}  {answer['revision']}")
    for finding in answer.get("findings", ()) if not as_json else ():
        note(f"error[{finding['code']}]: {finding['at']}: {finding['message']}")
    if status not in (200, 422):
        raise click.ClickException(f"{path}: {answer.get('message', status)}")
    return FINE if status == 200 else FINDINGS


def _ask(path: str) -> tuple[int, dict[str, Any]]:
    """Status and answer of the daemon. Raises ClickException when there is none."""
    connection = http.client.HTTPConnection("localhost", timeout=TIMEOUT_S)
    try:
        connection.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.sock.settimeout(TIMEOUT_S)
        connection.sock.connect(path)
        connection.request("POST", "/v1/admin/reload")
        response = connection.getresponse()
        answer = json.loads(response.read())
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise click.ClickException(f"no daemon answers at {path} ({error})") from None
    finally:
        connection.close()
    return response.status, answer if isinstance(answer, dict) else {}
