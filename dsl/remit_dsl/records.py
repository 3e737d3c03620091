"""NamedTuple, made quickly. To a type checker it is typing.NamedTuple; at run time a class costs neither the import of `typing` and
`collections` nor the compiling of annotations and of a constructor, which is most of what importing such a class costs, and a hook
pays that for every call.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple  # noqa: PLC0414 (re-exported)
else:
    from _collections import _tuplegetter  # what collections.namedtuple reads its fields with

    _new = tuple.__new__
    _Function = type(lambda: None)

    # Constructors by number of fields: compiled with this module, and given the names of a record's own fields when it is made.
    _CONSTRUCTORS = (
        lambda _cls: _new(_cls, ()),
        lambda _cls, a: _new(_cls, (a,)),
        lambda _cls, a, b: _new(_cls, (a, b)),
        lambda _cls, a, b, c: _new(_cls, (a, b, c)),
        lambda _cls, a, b, c, d: _new(_cls, (a, b, c, d)),
        lambda _cls, a, b, c, d, e: _new(_cls, (a, b, c, d, e)),
        lambda _cls, a, b, c, d, e, f: _new(_cls, (a, b, c, d, e, f)),
        lambda _cls, a, b, c, d, e, f, g: _new(_cls, (a, b, c, d, e, f, g)),
        lambda _cls, a, b, c, d, e, f, g, h: _new(_cls, (a, b, c, d, e, f, g, h)),
        lambda _cls, a, b, c, d, e, f, g, h, i: _new(_cls, (a, b, c, d, e, f, g, h, i)),
        lambda _cls, a, b, c, d, e, f, g, h, i, j: _new(_cls, (a, b, c, d, e, f, g, h, i, j)),
        lambda _cls, a, b, c, d, e, f, g, h, i, j, k: _new(_cls, (a, b, c, d, e, f, g, h, i, j, k)),
        lambda _cls, a, b, c, d, e, f, g, h, i, j, k, m: _new(_cls, (a, b, c, d, e, f, g, h, i, j, k, m)),
        lambda _cls, a, b, c, d, e, f, g, h, i, j, k, m, n: _new(_cls, (a, b, c, d, e, f, g, h, i, j, k, m, n)),
        lambda _cls, a, b, c, d, e, f, g, h, i, j, k, m, n, o: _new(_cls, (a, b, c, d, e, f, g, h, i, j, k, m, n, o)),
        lambda _cls, a, b, c, d, e, f, g, h, i, j, k, m, n, o, p: _new(_cls, (a, b, c, d, e, f, g, h, i, j, k, m, n, o, p)),
        lambda _cls, a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q: _new(_cls, (a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q)),
        lambda _cls, a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q, r: _new(_cls, (a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q, r)),
        lambda _cls, a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q, r, s:
            _new(_cls, (a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q, r, s)),
        lambda _cls, a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q, r, s, t:
            _new(_cls, (a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q, r, s, t)),
        lambda _cls, a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q, r, s, t, u:
            _new(_cls, (a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q, r, s, t, u)),
        lambda _cls, a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q, r, s, t, u, v:
            _new(_cls, (a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q, r, s, t, u, v)),
        lambda _cls, a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q, r, s, t, u, v, w:
            _new(_cls, (a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q, r, s, t, u, v, w)),
        lambda _cls, a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q, r, s, t, u, v, w, x:
            _new(_cls, (a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q, r, s, t, u, v, w, x)),
        lambda _cls, a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q, r, s, t, u, v, w, x, y:
            _new(_cls, (a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q, r, s, t, u, v, w, x, y)),
    )  # fmt: skip

    class _Record(tuple):
        """What all records have: the methods of collections.namedtuple."""

        __slots__ = ()

        @classmethod
        def _make(cls, values):
            made = _new(cls, values)
            if len(made) != len(cls._fields):
                raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(made)}")
            return made

        def _replace(self, /, **changes):
            made = self._make(map(changes.pop, self._fields, self))
            if changes:
                raise ValueError(f"Got unexpected field names: {list(changes)!r}")
            return made

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def __getnewargs__(self):
            return tuple(self)

        def __repr__(self):
            shown = ", ".join([f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True)])
            return f"{self.__class__.__name__}({shown})"

    class _Builder(type):
        """Turns a class body with annotated fields into a class as collections.namedtuple makes it."""

        def __new__(mcs, name, bases, body):
            if not bases:
                return super().__new__(mcs, name, bases, body)
            fields = tuple(body.get("__annotations__", ()))
            defaults = {field: body.pop(field) for field in fields if field in body}
            if fields[len(fields) - len(defaults) :] != tuple(defaults):
                raise TypeError("a field without default follows one with a default")
            body.update([(field, _tuplegetter(at, "")) for at, field in enumerate(fields)])
            body.update(
                __slots__=(),
                __match_args__=fields,
                _fields=fields,
                _field_defaults=defaults,
                __new__=_constructor(name, fields, tuple(defaults.values())),
            )
            return type(name, (_Record,), body)

    def _constructor(name, fields, defaults):
        """`__new__` of a record, that takes its fields by position and by name. At most 24 of them."""
        code = _CONSTRUCTORS[len(fields)].__code__
        own = code.replace(co_varnames=("_cls", *fields), co_name="__new__", co_qualname=f"{name}.__new__")
        return _Function(own, {"_new": _new}, "__new__", defaults)

    class NamedTuple(metaclass=_Builder):
        """Base of the project's immutable records; its subclasses are plain tuples with names."""
