"""The standard library: policy files that come with the language, and which of them a `use` brings.

`use std` brings everything but `std.reading` and `std.limits`, which come when they are named; any other module brings itself. Whatever
is used, the modules that permit nothing (tools, programs, environment, modes) come along: without them no pattern means anything.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import resources

from remit_dsl.source import Source

STD = "std"
# Modules with rules or defaults. All others only describe the world.
SPEAKING = ("std.guards", "std.limits", "std.reading")
_ON_REQUEST = ("std.limits", "std.reading")


@cache
def modules() -> tuple[tuple[str, Source], ...]:
    """Every module by name (`std.guards`), in alphabetical order, with its text."""
    folder = resources.files("remit_dsl").joinpath("std")
    names = sorted(item.name for item in folder.iterdir() if item.name.endswith(".remit"))
    return tuple(
        (f"{STD}.{name.removesuffix('.remit')}", Source(f"<{STD}>/{name}", folder.joinpath(name).read_text("utf-8")))
        for name in names
    )


def brought_by(used: Iterable[str]) -> frozenset[str]:
    """The modules that these `use` names bring, the silent ones included; nothing when nothing of the library is used."""
    named = {name for name in used if name == STD or name.startswith(f"{STD}.")}
    if not named:
        return frozenset()
    silent = {name for name, _ in modules() if name not in SPEAKING}
    everything = {name for name, _ in modules() if name not in _ON_REQUEST} if STD in named else set()
    return frozenset(silent | everything | (named - {STD}))
