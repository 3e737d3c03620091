"""`python -m bench [latency|compile|hook ...] [--peers remit,cedar]`: one table of all that is asked for."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial

from bench import compile as compiling
from bench import hook, latency
from bench.peers import PEERS
from bench.report import Row, table


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure remit beside its peers.")
    parser.add_argument("parts", nargs="*", metavar="part", help="latency, compile, hook (default: all)")
    parser.add_argument("--peers", default=",".join(PEERS), help="contenders in `latency`; ratios are to the first")
    given = parser.parse_args()
    parts: dict[str, Callable[[], list[Row]]] = {
        "latency": partial(latency.rows, given.peers.split(",")),
        "compile": compiling.rows,
        "hook": hook.rows,
    }
    unknown = [name for name in given.parts if name not in parts]
    if unknown:
        parser.error(f"no such part: {', '.join(unknown)}")
    print(table([row for name in given.parts or parts for row in parts[name]()]))


if __name__ == "__main__":
    main()
