"""How a hook starts: whatever fails on the way refuses the call; and without `site` where `remit/launch.py` is the script.

`site` and the lookup of installed packages take a fifth of a bare interpreter's start. -S leaves them out; -I leaves out the working
directory and the variables. So modules come from the standard library and from where remit itself lies. The installed packages are added
when first something is not found there, such as the parser, where policies must be compiled.
"""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import NoReturn


def start_hook(arguments: list[str]) -> NoReturn:
    """Judge one call and exit; 2 even where the modules that would judge it cannot be imported."""
    gc.disable()  # a hook makes many objects and hardly any garbage
    try:
        from remit.hook import run

        run(arguments)
    except BaseException as error:  # noqa: BLE001  (an exit code of 1 would let the call through)
        os.write(2, f"remit: the hook cannot start ({type(error).__name__})\n".encode())
    finally:
        os._exit(2)


def start_bare(root: str, arguments: list[str]) -> NoReturn:
    """As `start_hook`, where nothing is on the path but the standard library and `root`, the folder that `remit/` lies in."""
    sys.path += language_roots(root)
    if sys.flags.no_site:
        sys.meta_path.append(InstalledPackages())
    start_hook(arguments)


def language_roots(root: str) -> list[str]:
    """Where the language is imported from, if not from `root`: in a checkout it has a folder of its own beside that."""
    beside = f"{root.rpartition('/')[0]}/dsl"
    is_checkout = root.endswith("/evaluator") and not os.path.isdir(f"{root}/remit_dsl") and os.path.isdir(beside)
    return [beside] if is_checkout else []


class InstalledPackages:
    """The last of the finders (`sys.meta_path`). What it is asked for is nowhere else."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module among the installed packages; from then on `sys.path` has their folders, and this finder is gone."""
        if path is not None:  # part of a package that has been found
            return None
        sys.meta_path.remove(self)
        import site
        from importlib.machinery import PathFinder

        site.main()
        return PathFinder.find_spec(name, None, target)
