"""The command `remit`. A hook call is on its way before anything of the command line is imported."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line. Exits with the codes that `remit --help` names."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["hook"] and "-h" not in arguments and "--help" not in arguments:
        _hook(arguments[1:])
    from remit.cli.main import run

    sys.exit(run(arguments))


def _hook(arguments: list[str]) -> None:
    try:
        from remit.hook_start import start_hook

        start_hook(arguments)
    finally:
        sys.stderr.write("remit: the hook cannot start\n")  # an installation without that module
        sys.exit(2)  # 1 would let the call through


if __name__ == "__main__":
    main()
