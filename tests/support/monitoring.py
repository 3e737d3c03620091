"""What watches a fleet: the Prometheus that scrapes it, the Alertmanager that it tells, and the webhook at the end."""

from __future__ import annotations

import contextlib
import json
import re
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from dashboards import FOLDER, RULES
from fleet import Daemon
from processes import READY_S, free_port, running, until

# What is written in the rules -> what the test waits. Nothing else is changed.
SHORTER = {
    "30s": "1s",
    "1m": "1s",
    "5m": "8s",
    "10m": "10s",
    "15m": "12s",
    "1h": "20s",
    "12h": "60s",
    "1d": "60s",
    "7d": "90s",
}
AGES = {"60": "6", "3600": "600"}
_DURATION = re.compile(r"(?<=[\[ :])(\d+[smhd])(?=[\]:)\s])")
_AGE = re.compile(r"(?<=\) > )(\d+)(?=\s*$)", re.MULTILINE)


def fetched(url: str, fields: dict[str, str] | None = None) -> Any:
    """The JSON that a GET answers, or a POST of form fields."""
    body = urllib.parse.urlencode(fields).encode() if fields is not None else None
    try:
        with urllib.request.urlopen(url, body, timeout=20) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        raise AssertionError(f"{url} {fields}: {error.code} {error.read()[:500]!r}") from None


def hurried(text: str) -> str:
    """Rules or routes of which nothing is changed but how long things take."""
    text = _DURATION.sub(lambda found: SHORTER[found[1]], text)
    return "\n".join(
        [_AGE.sub(lambda found: AGES[found[1]], line) if "age_seconds" in line else line for line in text.split("\n")]
    )


def timeless(text: str) -> str:
    """The text with every duration left out, so that a hurried one can be compared with what it was."""
    text = _DURATION.sub("T", text)
    return "\n".join([_AGE.sub("T", line) if "age_seconds" in line else line for line in text.split("\n")])


class Pager:
    """A webhook that keeps what it is told: (path, alert)."""

    def __init__(self) -> None:
        self.told: list[tuple[str, dict[str, Any]]] = []
        kept = self.told

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                kept.extend([(self.path, alert) for alert in body["alerts"]])
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]

    def alerts(self, name: str, status: str = "firing") -> list[dict[str, Any]]:
        """The alerts of this name of which somebody was paged."""
        return [
            a
            for path, a in list(self.told)
            if path == "/page" and a["labels"]["alertname"] == name and a["status"] == status
        ]

    @contextlib.contextmanager
    def listening(self) -> Iterator[Pager]:
        """Answers until the end of the block."""
        thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()
            thread.join(10)


@contextlib.contextmanager
def alertmanager(pager: Pager, folder: Path) -> Iterator[int]:
    """An Alertmanager with the configuration in `grafana`, told to hurry, and to tell the pager; its port."""
    text = (FOLDER / "alertmanager" / "alertmanager.yml").read_text(encoding="utf-8")
    config = folder / "alertmanager.yml"
    config.write_text(hurried(text).replace("127.0.0.1:8080", f"127.0.0.1:{pager.port}"), encoding="utf-8")
    port = free_port()
    command = ["prometheus-alertmanager", f"--config.file={config}", f"--storage.path={folder / 'alerts'}"]
    command += [f"--web.listen-address=127.0.0.1:{port}", "--cluster.listen-address="]
    with running(command, folder / "alertmanager.said"):
        until("Alertmanager is ready", lambda: _is_ready(port), READY_S)
        yield port


def _is_ready(port: int) -> bool:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/-/ready", timeout=5) as answer:
        return bool(answer.status == 200)


class Prometheus(NamedTuple):
    """A running Prometheus."""

    port: int

    def at(self, expr: str) -> list[dict[str, Any]]:
        """The series of an expression now."""
        url = f"http://127.0.0.1:{self.port}/api/v1/query"
        return list(fetched(url, {"query": expr})["data"]["result"])

    def over(self, expr: str, seconds: float) -> list[dict[str, Any]]:
        """The series of an expression over the last seconds."""
        now = time.time()
        fields = {"query": expr, "start": str(now - seconds), "end": str(now), "step": "1"}
        return list(fetched(f"http://127.0.0.1:{self.port}/api/v1/query_range", fields)["data"]["result"])


@contextlib.contextmanager
def prometheus(daemons: list[Daemon], alerts_to: int, folder: Path) -> Iterator[Prometheus]:
    """A Prometheus with the configuration and the rules in `grafana`, told to hurry, that scrapes these daemons."""
    for path in [*RULES.glob("*.yml"), FOLDER / "prometheus" / "prometheus.yml"]:
        copy = folder / path.relative_to(FOLDER / "prometheus")
        copy.parent.mkdir(exist_ok=True)
        text = hurried(path.read_text(encoding="utf-8"))
        text = text.replace("/etc/prometheus/remit", str(folder / "tls")).replace(":9093", f":{alerts_to}")
        copy.write_text(text, encoding="utf-8")
    targets = [
        {"targets": [f"127.0.0.1:{found.port}"], "labels": {"team": found.team, "host": found.host}}
        for found in daemons
    ]
    (folder / "targets").mkdir()
    (folder / "targets" / "remit.yml").write_text(yaml.safe_dump(targets), encoding="utf-8")
    port = free_port()
    command = ["prometheus", f"--config.file={folder / 'prometheus.yml'}", f"--storage.tsdb.path={folder / 'series'}"]
    command += [f"--web.listen-address=127.0.0.1:{port}"]
    with running(command, folder / "prometheus.said"):
        until("Prometheus is ready", lambda: _is_ready(port), READY_S)
        yield Prometheus(port)
