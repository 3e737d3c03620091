"""remit: what an AI agent may do.

    from remit import Engine, Request
    engine = Engine.load("policies/")
    verdict = engine.decide(Request(tool="Bash", input={"command": "git push --force"}))
    verdict.decision  # "deny"

Names are loaded when first used, so that the hook pays only for what it needs.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from remit.engine import Engine
    from remit.errors import LoadError, RemitError
    from remit.request import Request, Session
    from remit.verdict import Reason, UnitVerdict, Verdict

__all__ = ["Engine", "LoadError", "Reason", "RemitError", "Request", "Session", "UnitVerdict", "Verdict"]

_HOMES = {
    "Engine": "remit.engine",
    "LoadError": "remit.errors",
    "Reason": "remit.verdict",
    "RemitError": "remit.errors",
    "Request": "remit.request",
    "Session": "remit.request",
    "UnitVerdict": "remit.verdict",
    "Verdict": "remit.verdict",
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(home), name)
