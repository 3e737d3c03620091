"""A small fleet: real daemons, each with a host name, a team and policies of its own, which are asked over TLS with certificates."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import ssl
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import trustme
from processes import READY_S, running, until


class Certificates(NamedTuple):
    """Files in the folder `tls`: `ca.pem`, `host.pem` of the daemons, `scraper.pem` and `scraper.key` of whoever asks them."""

    folder: Path
    client: ssl.SSLContext


def certificates(folder: Path) -> Certificates:
    """A CA of the test's, with a certificate for each side."""
    place = folder / "tls"
    place.mkdir()
    ca = trustme.CA()
    ca.cert_pem.write_to_path(str(place / "ca.pem"))
    ca.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(str(place / "host.pem"))
    scraper = ca.issue_cert("scraper.example.org")
    scraper.cert_chain_pems[0].write_to_path(str(place / "scraper.pem"))
    scraper.private_key_pem.write_to_path(str(place / "scraper.key"))
    client = ssl.create_default_context(cafile=str(place / "ca.pem"))
    scraper.configure_cert(client)
    return Certificates(place, client)


class Daemon(NamedTuple):
    """One `remit serve`: whose host it is, where it listens, the folder of its policies."""

    team: str
    host: str
    port: int
    policies: Path
    client: ssl.SSLContext

    def ask(self, path: str, value: Any) -> tuple[int, bytes]:
        """The answer to a POST."""
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=20, context=self.client)
        try:
            connection.request("POST", path, json.dumps(value), {"Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def put(self, name: str, text: str) -> None:
        """Replaces a policy file by renaming another over it."""
        new = self.policies / f".{name}.new"
        new.write_text(text, encoding="utf-8")
        new.rename(self.policies / name)


@contextlib.contextmanager
def daemon(team: str, host: str, policy: str, folder: Path, keys: Certificates) -> Iterator[Daemon]:
    """A daemon for this policy, ready to decide for whoever has a certificate."""
    place = folder / host
    policies, home = place / "policies", place / "home"
    policies.mkdir(parents=True)
    home.mkdir()
    (policies / "org.remit").write_text(policy, encoding="utf-8")
    command = [sys.executable, "-m", "remit", "serve", "--policy", str(policies), "--listen", "127.0.0.1:0"]
    command += ["--tls-cert", str(keys.folder / "host.pem"), "--tls-client-ca", str(keys.folder / "ca.pem")]
    command += ["--socket", "none", "--log", str(place / "log.db")]
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"}
    log = place / "said"
    with running(command, log, environment):
        found = until(f"{host} listens", lambda: re.search(r"tcp: 127\.0\.0\.1:(\d+)", log.read_text()), READY_S)
        started = Daemon(team, host, int(found[1]), policies, keys.client)
        until(f"{host} decides", lambda: started.ask("/v1/decide", {"tool": "Bash"})[0] == 200, READY_S)
        yield started
