"""Decision latency by number of rules. Contenders take turns in short rounds, so that a busy moment hits all alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from bench.peers import PEERS, Peer
from bench.report import Row, row
from bench.workload import COMMANDS, SIZES, fresh_commands, rules

ROUNDS = 25
WARM_UP = 2 * len(COMMANDS)


def rows(names: Sequence[str] = tuple(PEERS)) -> list[Row]:
    """One row for each size and contender; ratios are to the first contender named, at the same size."""
    found = []
    for size in SIZES:
        times = _race({name: PEERS[name](rules(size)) for name in names}, seed=size)
        reference = None
        for name in names:
            found.append(row(f"decide: {name}", f"{size:,} rules", times[name], reference))
            reference = found[-1].median if reference is None else reference
    return found


def _race(peers: dict[str, Peer], seed: int) -> dict[str, list[int]]:
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
