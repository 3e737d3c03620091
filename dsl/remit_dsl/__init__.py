"""The policy language: source -> tree -> checked policy -> program.

Names are looked up when they are first used, so that importing `remit_dsl.program` costs neither the parser nor the checker.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from remit_dsl.compiler import Compilation, compile_policies, compile_report
    from remit_dsl.diagnostics import Diagnostic
    from remit_dsl.policy import PolicySource
    from remit_dsl.program import Program
    from remit_dsl.source import Source

__all__ = ["Compilation", "Diagnostic", "PolicySource", "Program", "Source", "compile_policies", "compile_report"]

_HOME = {
    "Compilation": "remit_dsl.compiler",
    "Diagnostic": "remit_dsl.diagnostics",
    "PolicySource": "remit_dsl.policy",
    "Program": "remit_dsl.program",
    "Source": "remit_dsl.source",
    "compile_policies": "remit_dsl.compiler",
    "compile_report": "remit_dsl.compiler",
}


def __getattr__(name: str) -> Any:
    """A public name, from the module that it lives in."""
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(home), name)
