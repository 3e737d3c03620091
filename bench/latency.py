"""Decision latency by number of rules. Contenders take turns in short rounds, so that a busy moment hits all alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from bench.peers import PEERS, Peer
from bench.report import Row, row
from bench.workload import CLASSES, COMMANDS, SIZES, fresh_commands, rules

ROUNDS = 15
WARM_UP = 2 * len(COMMANDS)


def rows(names: Sequence[str] = tuple(PEERS)) -> list[Row]:
    """One row for each class of commands, size and contender; ratios are to the first contender named, in the same class and size."""
    raced = {size: _race({name: PEERS[name](rules(size)) for name in names}, seed=size) for size in SIZES}
    return [found for kind in CLASSES for size in SIZES for found in _class_rows(kind, size, raced[size])]


def _class_rows(kind: str, size: int, times: dict[str, list[int]]) -> list[Row]:
    found: list[Row] = []
    for name, taken in times.items():
        own = [time for at, time in enumerate(taken) if at % len(COMMANDS) in CLASSES[kind]]
        reference = found[0].median if found else None
        found.append(row(f"decide: {name}", f"{size:,} rules, {kind}", own, reference))
    return found


def _race(peers: dict[str, Peer], seed: int) -> dict[str, list[int]]:
    """Nanoseconds of each contender's decisions, round by round, in the order of COMMANDS."""
    times: dict[str, list[int]] = {name: [] for name in peers}
    commands = fresh_commands(seed)
    for peer in peers.values():
        peer.measure(_take(commands, WARM_UP))
    for _ in range(ROUNDS):
        # One round's commands for all: nobody sees a command twice.
        batch = _take(commands, len(COMMANDS))
        for name, peer in peers.items():
            times[name] += peer.measure(batch)
    return times


def _take(commands: Iterator[str], count: int) -> list[str]:
    return list(islice(commands, count))
