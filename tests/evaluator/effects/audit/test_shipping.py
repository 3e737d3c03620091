"""Shipping: every decision reaches the receiver, in order, whatever goes wrong between."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from audit_log import decided
from log_receiver import Receiving

from remit.effects.audit.database import Database
from remit.effects.audit.receiver import Receiver, checked
from remit.effects.audit.record import body_of
from remit.effects.audit.shipping import Shipper, ShippingSettings

QUICK = ShippingSettings(batch=7, idle_s=0.02, retry_s=0.01, retry_max_s=0.05)


@pytest.fixture
def receiving() -> Iterator[Receiving]:
    found = Receiving()
    yield found
    found.close()


@pytest.fixture
def place(tmp_path: Path) -> str:
    path = str(tmp_path / "log" / "decisions.db")
    write(path, 50)
    return path


def write(path: str, number: int) -> None:
    database = Database(path)
    database.append([body_of(decided(f"make {index}")) for index in range(number)])
    database.close()


def ship(place: str, receiver: Receiver, settings: ShippingSettings = QUICK, timeout_s: float = 15.0) -> Counter[str]:
    """Run a shipper until nothing waits; what it counted."""
    counts: Counter[str] = Counter()

    def count(result: str, number: int) -> None:
        counts[result] += number

    shipper = Shipper(place, receiver, settings, count=count)
    shipper.start()
    deadline = time.monotonic() + timeout_s
    while shipper.behind() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert shipper.stop()
    return counts


def test_all_arrive_in_order(place: str, receiving: Receiving) -> None:
    assert ship(place, Receiver(receiving.url, token="abc")) == {"sent": 50}
    assert receiving.taken == list(range(1, 51))
    assert receiving.requests == 8
    sent = receiving.headers[0]
    assert (sent["path"], sent["content-encoding"], sent["content-type"]) == ("/logs?a=b", "gzip", "application/json")
    assert sent["authorization"] == "Bearer abc"


def test_what_was_acknowledged_is_not_sent_again_after_a_restart(place: str, receiving: Receiving) -> None:
    ship(place, Receiver(receiving.url))
    write(place, 3)
    assert ship(place, Receiver(receiving.url)) == {"sent": 3}
    assert receiving.taken == list(range(1, 54))


@pytest.mark.parametrize("status", [500, 503, 429, 401, 302, 0])
def test_a_receiver_that_fails_now_and_then_misses_nothing(place: str, receiving: Receiving, status: int) -> None:
    receiving.answer = lambda number, events: status if number % 3 else 200
    counts = ship(place, Receiver(receiving.url))
    assert receiving.taken == list(range(1, 51))
    assert counts["sent"] == 50
    assert counts["failed"] >= 8


def test_an_answer_that_is_lost_makes_a_repetition_and_no_gap(place: str, receiving: Receiving) -> None:
    receiving.answer = lambda number, events: -1 if number == 2 else 200
    ship(place, Receiver(receiving.url))
    assert receiving.taken == [*range(1, 15), *range(8, 51)]


def test_a_receiver_that_is_not_there_yet(place: str) -> None:
    receiving = Receiving()
    receiving.close()
    counts: Counter[str] = Counter()
    shipper = Shipper(
        place, Receiver(receiving.url), QUICK, count=lambda result, number: counts.update({result: number})
    )
    shipper.start()
    deadline = time.monotonic() + 10
    while counts["failed"] < 3 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert shipper.problem()
    assert shipper.behind() == 50
    assert shipper.stop()
    assert set(counts) == {"failed"}


def test_an_event_that_is_not_wanted_is_passed_over_alone(place: str, receiving: Receiving) -> None:
    receiving.answer = lambda number, events: 413 if any(event["req_id"] == 20 for event in events) else 200
    counts = ship(place, Receiver(receiving.url))
    assert counts == {"sent": 49, "rejected": 1}
    assert receiving.taken == [number for number in range(1, 51) if number != 20]


def test_batches_are_bounded_in_bytes(place: str, receiving: Receiving) -> None:
    ship(place, Receiver(receiving.url), QUICK._replace(batch=100, batch_bytes=3000))
    assert receiving.taken == list(range(1, 51))
    assert receiving.requests > 10


def test_too_much_that_waits_is_dropped_and_counted(place: str, receiving: Receiving) -> None:
    assert ship(place, Receiver(receiving.url), QUICK._replace(backlog=10)) == {"dropped": 40, "sent": 10}
    assert receiving.taken == list(range(41, 51))


def test_or_it_waits(place: str, receiving: Receiving) -> None:
    assert ship(place, Receiver(receiving.url), QUICK._replace(backlog=10, drop=False)) == {"sent": 50}


def test_what_retention_removed_is_no_hindrance(place: str, receiving: Receiving) -> None:
    ship(place, Receiver(receiving.url))
    database = Database(place)
    database.remove(50, 1.0)
    database.close()
    write(place, 2)
    assert ship(place, Receiver(receiving.url)) == {"sent": 2}
    assert receiving.taken == [*range(1, 51), 52, 53]


def test_what_retention_removed_before_it_was_sent_is_counted(place: str, receiving: Receiving) -> None:
    database = Database(place)
    database.remove(20, 1.0)
    database.close()
    receiving.answer = lambda number, events: 500 if number < 3 else 200
    assert ship(place, Receiver(receiving.url)) == {"sent": 30, "dropped": 20, "failed": 2}


def test_another_log_is_sent_from_its_beginning(place: str, receiving: Receiving) -> None:
    ship(place, Receiver(receiving.url))
    for name in Path(place).parent.glob("decisions.db*"):
        if ".sent" not in name.name:
            name.unlink()
    write(place, 3)
    assert ship(place, Receiver(receiving.url)) == {"sent": 3}
    assert receiving.taken == [*range(1, 51), 1, 2, 3]


@pytest.mark.parametrize(
    "receiver",
    [
        Receiver("ftp://x/"),
        Receiver("http:///logs"),
        Receiver("https://user:pass@x/"),
        Receiver("https://x:port/"),
        Receiver("http://x.example/", token="abc"),
    ],
)
def test_what_cannot_be_a_receiver(receiver: Receiver) -> None:
    with pytest.raises(ValueError):
        checked(receiver)
