"""The start of a hook that costs least: `python3 -I -S /path/to/remit/launch.py hook AGENT …`. What it does stands in `hook_start`:
a script is compiled anew each time that it runs."""

import sys

if __name__ == "__main__":
    if sys.argv[1:2] != ["hook"] or sys.argv[0][:1] != "/" or not sys.flags.isolated:
        sys.stderr.write("remit: usage: python3 -I -S /absolute/path/of/remit/launch.py hook AGENT\n")
        sys.exit(2)
    # At the end, as `site` does it: whatever else is installed there must not stand in for the standard library.
    sys.path.append(__file__.rpartition("/")[0].rpartition("/")[0])
    try:
        from remit.hook_start import start_bare

        start_bare(sys.path[-1], sys.argv[2:])
    finally:
        sys.stderr.write("remit: the hook cannot start\n")  # an installation without that module
        sys.exit(2)  # 1 would let the call through
