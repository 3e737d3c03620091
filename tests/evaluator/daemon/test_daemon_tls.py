"""TLS, and TLS in which the client shows who it is."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest
import trustme
from daemon_process import LIMIT_S, Daemon, bash


class Certificates(NamedTuple):
    ca: trustme.CA
    server: Path
    client_ca: Path


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    folder = tmp_path_factory.mktemp("tls")
    ca = trustme.CA()
    ca.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(folder / "server.pem")
    ca.cert_pem.write_to_path(folder / "ca.pem")
    return Certificates(ca, folder / "server.pem", folder / "ca.pem")


@pytest.fixture(scope="module")
def mutual(certificates: Certificates) -> Iterator[Daemon]:
    tls = ("--tls-cert", str(certificates.server), "--tls-client-ca", str(certificates.client_ca))
    with Daemon("--listen", "127.0.0.1:0", *tls) as running:
        yield running


def client_context(certificates: Certificates, shown: trustme.CA | None) -> ssl.SSLContext:
    context = ssl.create_default_context()
    certificates.ca.configure_trust(context)
    if shown is not None:
        shown.issue_cert("agent@acme.example").configure_cert(context)
    return context


def ask(daemon: Daemon, context: ssl.SSLContext) -> str:
    with httpx.Client(verify=context, timeout=LIMIT_S, trust_env=False) as client:
        url = f"https://127.0.0.1:{daemon.port()}/v1/decide"
        return str(client.post(url, json=bash("git push -f"), headers={"Host": "any.example"}).json()["decision"])


def test_tls(certificates: Certificates) -> None:
    with Daemon("--listen", "127.0.0.1:0", "--tls-cert", str(certificates.server)) as daemon:
        assert ask(daemon, client_context(certificates, None)) == "deny"
        with pytest.raises(httpx.TransportError):
            httpx.get(f"http://127.0.0.1:{daemon.port()}/livez", timeout=LIMIT_S, trust_env=False)


def test_a_client_with_a_certificate(mutual: Daemon, certificates: Certificates) -> None:
    assert ask(mutual, client_context(certificates, certificates.ca)) == "deny"


@pytest.mark.parametrize("shown", [None, trustme.CA()], ids=["no certificate", "one of another CA"])
def test_clients_without_the_right_certificate(
    mutual: Daemon, certificates: Certificates, shown: trustme.CA | None
) -> None:
    with pytest.raises(httpx.TransportError):
        ask(mutual, client_context(certificates, shown))
    assert mutual.decide("git push -f") == "deny"
