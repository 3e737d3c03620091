"""NamedTuple, made quickly. To a type checker it is typing.NamedTuple; at run time the classes are built without compiling every
annotation, which is most of what importing them costs, and a hook pays that for every call.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple  # noqa: PLC0414 (re-exported)
else:
    from collections import namedtuple

    class _Builder(type):
        """Turns a class body with annotated fields into a class made by collections.namedtuple."""

        def __new__(mcs, name, bases, body):
            if not bases:
                return super().__new__(mcs, name, bases, body)
            fields = tuple(body.get("__annotations__", ()))
            defaults = [body[field] for field in fields if field in body]
            made = namedtuple(name, fields, defaults=defaults, module=body["__module__"])
            for key, value in body.items():
                if key not in fields and key not in ("__slots__", "__dict__", "__weakref__"):
                    setattr(made, key, value)
            return made

    class NamedTuple(metaclass=_Builder):
        """Base of the project's immutable records; its subclasses are plain tuples with names."""
