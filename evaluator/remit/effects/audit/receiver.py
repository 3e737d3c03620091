"""A receiver of decision logs: `POST` of a gzipped JSON list, as Open Policy Agent's decision log plugin sends it."""

from __future__ import annotations

import gzip
import http.client
import ssl
from urllib.parse import urlsplit

from remit_dsl.records import NamedTuple

MAX_ANSWER = 65_536


class Receiver(NamedTuple):
    """url: http or https. token: sent as a bearer token. ca: a file of certificates to trust
    instead of the system's. timeout_s: of each step."""

    url: str
    token: str = ""
    ca: str = ""
    timeout_s: float = 10.0


def checked(receiver: Receiver) -> Receiver:
    """The receiver. Raises ValueError for a URL that cannot be one; a token goes over TLS, or to this machine."""
    parts = urlsplit(receiver.url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
        raise ValueError("a receiver is an http or https URL without a user")
    _ = parts.port  # raises ValueError where it is no number
    if receiver.token and parts.scheme == "http" and parts.hostname not in ("localhost", "127.0.0.1", "::1"):
        raise ValueError("a token is sent over https only")
    return receiver


def send(receiver: Receiver, body: bytes) -> int:
    """The status that the receiver answers with; a redirection is not followed. Raises OSError where there is no answer."""
    parts = urlsplit(receiver.url)
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    if receiver.token:
        headers["Authorization"] = f"Bearer {receiver.token}"
    connection = _connection(receiver)
    try:
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection.request("POST", target, gzip.compress(body, 6, mtime=0), headers)
        answer = connection.getresponse()
        answer.read(MAX_ANSWER)
        return answer.status
    except http.client.HTTPException as error:
        raise OSError(f"no answer in HTTP ({type(error).__name__})") from error
    finally:
        connection.close()


def _connection(receiver: Receiver) -> http.client.HTTPConnection:
    parts = urlsplit(receiver.url)
    host = parts.hostname or ""
    if parts.scheme == "https":
        context = ssl.create_default_context(cafile=receiver.ca or None)
        return http.client.HTTPSConnection(host, parts.port, timeout=receiver.timeout_s, context=context)
    return http.client.HTTPConnection(host, parts.port, timeout=receiver.timeout_s)
