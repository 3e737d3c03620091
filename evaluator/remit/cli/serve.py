"""`remit serve`: the daemon."""

from __future__ import annotations

import logging
import os
import stat
import sys
from typing import TYPE_CHECKING

import click

from remit.cli.exits import FINE
from remit.cli.options import policy_option

if TYPE_CHECKING:
    from remit.daemon.options import Options
    from remit.effects.audit.settings import LogSettings

MIN_TOKEN, MAX_TOKEN = 16, 4096


@click.command("serve")
@policy_option
@click.option(
    "--socket", metavar="PATH", help="The Unix socket to listen on; `none` for none. Default: where hooks look."
)
@click.option(
    "--admin-socket", metavar="PATH", help="A Unix socket for `remit reload` and other changes; `none` for none."
)
@click.option("--log", metavar="PLACE", help="Keep the decision log there: a file, or a database URL. Default: none.")
@click.option(
    "--on-log-failure",
    "unwritable",
    type=click.Choice(["ask", "deny", "allow"]),
    default="ask",
    show_default=True,
    help="What becomes of an allow that cannot be recorded.",
)
@click.option(
    "--log-durability",
    type=click.Choice(["full", "normal"]),
    default="full",
    show_default=True,
    help="What a record survives: the loss of power, or that of the process only.",
)
@click.option(
    "--log-keep-days",
    type=click.FloatRange(min=0),
    default=0,
    metavar="DAYS",
    help="Remove records that are older; 0 keeps all.",
)
@click.option(
    "--log-keep-records", type=click.IntRange(min=0), default=0, metavar="N", help="Keep about so many; 0 keeps all."
)
@click.option(
    "--keep-calls", is_flag=True, help="Store calls whole and unmasked, so that `remit replay` can decide all of them."
)
@click.option("--ship", metavar="URL", help="Send records there, as events of OPA's decision log (http or https).")
@click.option("--ship-token-file", metavar="FILE", type=click.Path(), help="A bearer token for that receiver.")
@click.option("--ship-ca", metavar="FILE", type=click.Path(), help="Certificates to trust for it, not the system's.")
@click.option(
    "--home",
    metavar="DIR",
    type=click.Path(),
    help="Where the user's policies and pins are. Default: the account's home.",
)
@click.option(
    "--admin-token-file", metavar="FILE", type=click.Path(), help="Changes are also made for whoever has this token."
)
@click.option("--listen", metavar="HOST:PORT", help="Listen on TCP too; without TLS on the loopback address only.")
@click.option("--tls-cert", metavar="FILE", type=click.Path(), help="The certificate (chain) for --listen.")
@click.option("--tls-key", metavar="FILE", type=click.Path(), help="Its key, unless it is in the same file.")
@click.option("--tls-client-ca", metavar="FILE", type=click.Path(), help="Clients must show a certificate of this CA.")
@click.option(
    "--label", "labels", multiple=True, metavar="KEY=VALUE", help="A label of calls that come from agents' HTTP hooks."
)
@click.option(
    "--sessions", metavar="FILE", type=click.Path(), help="Decide within sessions, whose store that is. Default: none."
)
@click.option(
    "--max-policy-age",
    type=click.FloatRange(min=0),
    default=0,
    metavar="SECONDS",
    help="Not ready when the policies were last read longer ago.",
)
@click.option(
    "--max-connections",
    type=click.IntRange(min=1),
    default=2048,
    show_default=True,
    help="How many connections at once.",
)
@click.option(
    "--read-timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=10,
    show_default=True,
    metavar="SECONDS",
    help="How long a request may take to arrive.",
)
def command(policies: tuple[str, ...], **given: object) -> int:
    """Answer for agents on this machine until stopped (SIGTERM). SIGHUP loads the policies anew.

    \b
    remit serve --policy /etc/acme/policies
    curl --unix-socket ~/.local/state/remit/remit.sock -H 'Content-Type: application/json' \\
         -d '{"tool": "Bash", "input": {"command": "git push -f"}}' http://localhost/v1/decide

    With policies that cannot be used it starts, refuses every call, and serves as soon as they are right and loaded anew.
    Without --policy each call is decided by those that a hook would find for its project.
    """
    from remit.daemon.listeners import ListenError
    from remit.daemon.server import serve
    from remit.daemon.service import Service

    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="remit: %(message)s")
    options = _options(policies, given)
    try:
        serve(options, Service(options))
    except ListenError as error:
        raise click.ClickException(str(error)) from None
    return FINE


def _log_settings(given: dict[str, object]) -> LogSettings:
    from remit.effects.audit.settings import LogSettings

    return LogSettings(
        unwritable=str(given["unwritable"]),
        durability=str(given["log_durability"]),
        keep_days=_number(given["log_keep_days"]),
        keep_records=int(_number(given["log_keep_records"])),
        keep_calls=bool(given["keep_calls"]),
    )


def _receiver(given: dict[str, object]) -> str:
    """The URL that records are sent to, "" for none. Raises UsageError."""
    from remit.effects.audit.receiver import Receiver, checked

    url, token = str(given["ship"] or ""), str(given["ship_token_file"] or "")
    if not url:
        return ""
    if not given["log"]:
        raise click.UsageError("--ship sends what --log keeps: it needs both")
    try:
        return checked(Receiver(url, token)).url
    except ValueError as error:
        raise click.UsageError(f"--ship: {error}") from None


def _options(policies: tuple[str, ...], given: dict[str, object]) -> Options:
    """The command line as options. Raises UsageError or ClickException."""
    from remit.daemon.options import Options, default_admin_socket, default_socket

    def path(name: str, missing: str = "") -> str:
        value = given[name]
        return "" if value == "none" else os.path.abspath(str(value)) if value else missing

    socket, listen = path("socket", default_socket()), _host_port(given["listen"])
    if not socket and listen is None:
        raise click.UsageError("with neither --socket nor --listen nobody could ask")
    if not path("tls_cert") and (path("tls_key") or path("tls_client_ca")):
        raise click.UsageError("--tls-key and --tls-client-ca need --tls-cert")
    if path("tls_cert") and listen is None:
        raise click.UsageError("--tls-cert is for --listen")
    return Options(
        policies=tuple([os.path.abspath(name) for name in policies]),
        home=path("home"),
        socket=socket,
        admin_socket=path("admin_socket", default_admin_socket() if socket == default_socket() else ""),
        admin_token=_token(path("admin_token_file")),
        listen=listen,
        certificate=path("tls_cert"),
        key=path("tls_key"),
        client_ca=path("tls_client_ca"),
        labels=_labels(given["labels"]),
        log=str(given["log"] or "") if "://" in str(given["log"]) else path("log"),
        logging=_log_settings(given),
        ship=_receiver(given),
        ship_token=_token(path("ship_token_file")).decode(),
        ship_ca=path("ship_ca"),
        sessions=path("sessions"),
        max_policy_age_s=_number(given["max_policy_age"]),
        max_connections=int(_number(given["max_connections"])),
        read_timeout_s=_number(given["read_timeout"]),
    )


def _number(value: object) -> float:
    assert isinstance(value, (int, float))
    return value


def _host_port(text: object) -> tuple[str, int] | None:
    if not isinstance(text, str):
        return None
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isdecimal() or int(port) > 65535:
        raise click.UsageError(f"--listen takes HOST:PORT, not `{text}`")
    return host.removeprefix("[").removesuffix("]"), int(port)


def _labels(texts: object) -> dict[str, str]:
    assert isinstance(texts, tuple)
    found = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not key or not equals:
            raise click.UsageError(f"--label takes KEY=VALUE, not `{text}`")
        found[key] = value
    return found


def _token(path: str) -> bytes:
    """The admin token, "" without a file. The file is the account's own and nobody else can read it."""
    if not path:
        return b""
    with open(path, "rb") as file:
        status, token = os.fstat(file.fileno()), file.read(MAX_TOKEN + 1).strip()
    if not stat.S_ISREG(status.st_mode) or status.st_uid not in (0, os.geteuid()) or status.st_mode & 0o077:
        raise click.ClickException(
            f"{path}: the admin token must be in a file that only its owner can read (chmod 600)"
        )
    if not MIN_TOKEN <= len(token) <= MAX_TOKEN:
        raise click.ClickException(f"{path}: an admin token has {MIN_TOKEN} to {MAX_TOKEN} bytes")
    return token
