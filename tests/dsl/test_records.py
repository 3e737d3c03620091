"""Records behave as typing.NamedTuple has it, and cost less to make."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import typing
from typing import Any

import pytest

from remit_dsl.records import NamedTuple

SIZES = range(1, 25)
BUILDER: Any = type(NamedTuple)


class Point(NamedTuple):
    """A place."""

    x: int
    y: int = 0

    def flipped(self) -> Point:
        return Point(self.y, self.x)

    @property
    def sum(self) -> int:
        return self.x + self.y


class Reference(typing.NamedTuple):
    x: int
    y: int = 0


def test_it_is_a_tuple_with_names() -> None:
    point = Point(1, 2)
    assert point == (1, 2)
    assert (point.x, point.y, point.sum, point.flipped()) == (1, 2, 3, (2, 1))
    assert isinstance(point, tuple)
    assert type(point) is Point
    assert hash(point) == hash((1, 2))
    assert (Point.__doc__, Point.__name__, Point.__module__) == ("A place.", "Point", __name__)


@pytest.mark.parametrize("made", [Point(1), Point(x=1), Point._make([1, 0]), Point(2)._replace(x=1)])
def test_ways_to_make_one(made: Point) -> None:
    assert made == (1, 0)
    assert type(made) is Point


@pytest.mark.parametrize("name", ["_fields", "_field_defaults", "__match_args__", "__slots__"])
def test_what_the_class_says_of_itself(name: str) -> None:
    assert getattr(Point, name) == getattr(Reference, name)


def test_what_an_instance_can_do() -> None:
    point, reference = Point(1, 2), Reference(1, 2)
    assert point._asdict() == reference._asdict()
    assert repr(point) == repr(reference).replace("Reference", "Point")
    assert not hasattr(point, "__dict__")
    for copied in (pickle.loads(pickle.dumps(point)), copy.copy(point), copy.deepcopy(point)):
        assert copied == point
        assert type(copied) is Point
    match point:
        case Point(x, y=2):
            assert x == 1
        case _:
            pytest.fail("no match")


def made(kind: Any, *values: Any, **named: Any) -> str:
    try:
        return f"{tuple(kind(*values, **named))}"
    except TypeError as error:
        return str(error).replace(kind.__name__, "")


@pytest.mark.parametrize(
    ("values", "named"),
    [((), {}), ((1, 2, 3), {}), ((), {"y": 1}), ((1,), {"x": 1}), ((1,), {"z": 1}), ((1,), {"_cls": 1})],
)
def test_wrong_arguments_are_refused_in_the_same_words(values: Any, named: Any) -> None:
    assert made(Point, *values, **named) == made(Reference, *values, **named)


def test_other_ways_refuse_as_well() -> None:
    point: Any = Point(1)
    with pytest.raises(ValueError, match="unexpected field names"):
        point._replace(z=1)
    with pytest.raises(TypeError):
        Point._make([1])
    with pytest.raises(AttributeError):
        point.x = 2


@pytest.mark.parametrize("size", SIZES)
def test_any_number_of_fields(size: int) -> None:
    names = [f"field{number}" for number in range(size)]
    kind: Any = BUILDER("Wide", (NamedTuple,), {"__annotations__": dict.fromkeys(names, "int")})
    values = tuple(range(size))
    assert tuple(kind(*values)) == values
    assert tuple(kind(**dict(zip(reversed(names), reversed(values), strict=True)))) == values
    assert [getattr(kind(*values), name) for name in names] == list(values)


def test_a_field_without_default_behind_one_that_has_one() -> None:
    body = {"__annotations__": {"a": "int", "b": "int"}, "a": 1}
    with pytest.raises(TypeError, match="default"):
        BUILDER("Wrong", (NamedTuple,), body)


def test_it_imports_neither_typing_nor_collections() -> None:
    code = "import sys; sys.path += sys.argv[1:]; import remit_dsl.records; print({'typing', 'collections'} & {*sys.modules})"
    command = [sys.executable, "-I", "-S", "-c", code, *sys.path]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == "set()"
