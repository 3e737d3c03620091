"""`split`: the fast path where it suffices, else the whole grammar, loaded when it is first needed."""

from __future__ import annotations

from remit.shell.commands import Opaque, Script
from remit.shell.fast import fast


def split(text: str, dialect: str = "bash") -> Script:
    """All simple commands that `text` runs, and what was declined; never raises.

    dialect: the shell that will read it, `bash`, `sh` (dash) or `zsh`. For the latter two, what they read differently
    is declined; an unknown dialect is declined whole.
    """
    if dialect == "bash":
        plain = fast(text)
        if plain is not None:
            return plain
    from remit.shell.parser import parse

    try:
        return parse(text, dialect)
    except Exception:  # noqa: BLE001 - the reading ends here, and nobody may take its end for a result
        return Script((), (Opaque("internal", 0, len(text)),), ())
