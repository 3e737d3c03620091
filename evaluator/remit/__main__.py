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
    """Judge one call and exit; 2 even where the modules that would judge it cannot be imported."""
    import os

    try:
        from remit.hook import run

        run(arguments)
    except BaseException as error:  # noqa: BLE001  (an exit code of 1 would let the call through)
        os.write(2, f"remit: the hook cannot start ({type(error).__name__})\n".encode())
    finally:
        os._exit(2)


if __name__ == "__main__":
    main()
