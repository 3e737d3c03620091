"""The chain: records follow each other by hash, and whatever is done to them is found."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from audit_log import decided
from hypothesis import given
from hypothesis import strategies as st

from remit.effects.audit.canonical import canonical
from remit.effects.audit.chain import GENESIS, START, Head, Row, linked
from remit.effects.audit.database import Database
from remit.effects.audit.light import append_light
from remit.effects.audit.record import body, body_of
from remit.effects.audit.settings import LogSettings
from remit.effects.audit.verifying import verify

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(JSON)
def test_canonical_is_what_json_sorts(value: object) -> None:
    assert canonical(value) == json.dumps(value, sort_keys=True, separators=(",", ":"))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_numbers_without_json_form_are_null(value: float) -> None:
    assert canonical({"n": value}) == '{"n":null}'


def test_a_link_can_be_recomputed_by_anybody() -> None:
    row = linked(START, [body({"kind": "decision"})])[0]
    link = json.dumps(
        {"body": json.loads(row.body), "previous": GENESIS, "sequence": 1}, sort_keys=True, separators=(",", ":")
    )
    assert row.hash == sha256(link.encode()).hexdigest()


@pytest.fixture
def place(tmp_path: Path) -> str:
    """A log with ten records."""
    path = str(tmp_path / "log" / "decisions.db")
    database = Database(path)
    database.append([body_of(decided(f"make {number}")) for number in range(10)])
    database.close()
    return path


def findings(place: str, expected: Head | None = None) -> list[tuple[int, str]]:
    database = Database(place, read_only=True)
    found = verify(database.rows(), noted=database.noted_head(), expected=expected)
    return [(finding.sequence, finding.kind) for finding in found.findings]


def change(place: str, *statements: str) -> None:
    with sqlite3.connect(place) as connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()


def rebuilt(place: str, edit: Callable[[Row], Row]) -> None:
    """Change one record as somebody does who knows how hashes are made."""
    row = edit(next(row for row in Database(place, read_only=True).rows() if row.sequence == 5))
    fresh = linked(Head(4, row.previous), [body(json.loads(row.body))])[0]
    with sqlite3.connect(place) as connection:
        connection.execute("UPDATE remit_records SET body = ?, hash = ? WHERE sequence = 5", (fresh.body, fresh.hash))
    connection.close()


def test_a_whole_log_has_no_findings(place: str) -> None:
    assert findings(place) == []


SET = "UPDATE remit_records SET"
DELETE = "DELETE FROM remit_records"
TAMPERING = [
    pytest.param([f"{SET} body = replace(body, 'make 4', 'make 9') WHERE sequence = 5"], [(5, "changed")], id="changed"),
    pytest.param([f"{SET} decision = 'deny' WHERE sequence = 5"], [(5, "column")], id="column beside it changed"),
    pytest.param([f"{SET} hash = 'x' || substr(hash, 2) WHERE sequence = 5"], [(5, "changed")], id="hash changed"),
    pytest.param([f"{DELETE} WHERE sequence = 5"], [(5, "dropped")], id="dropped"),
    pytest.param([f"{DELETE} WHERE sequence < 4"], [(1, "dropped")], id="dropped at the beginning"),
    pytest.param([f"{DELETE} WHERE sequence > 7"], [(8, "cut_off")], id="cut off"),
    pytest.param([DELETE], [(1, "cut_off")], id="emptied"),
    pytest.param([f"{SET} at = 'x' WHERE sequence = 5"], [(5, "changed"), (5, "dropped")], id="another type"),
    pytest.param([f"{SET} body = x'00ff' WHERE sequence = 5"], [(5, "changed"), (5, "dropped")], id="bytes"),
    pytest.param([f"{SET} body = '[]' WHERE sequence = 5"], [(5, "changed"), (5, "changed")], id="no object"),
    pytest.param(
        [f"{SET} sequence = 50 WHERE sequence = 5", f"{SET} sequence = 5 WHERE sequence = 6", f"{SET} sequence = 6 WHERE sequence = 50"],
        [(5, "changed"), (6, "changed")],
        id="put elsewhere",
    ),
    pytest.param(
        [f"{DELETE} WHERE sequence = 5", f"{SET} sequence = sequence - 1 WHERE sequence > 5"],
        [(5, "changed"), (6, "changed"), (7, "changed"), (8, "changed"), (9, "changed"), (10, "cut_off")],
        id="dropped and closed up",
    ),
    pytest.param(
        [
            "INSERT INTO remit_records SELECT sequence + 1, hash, previous, body, at, decision, code, rule, tool, agent, session, "
            "decision_id FROM remit_records WHERE sequence = 10"
        ],
        [(11, "changed")],
        id="put in at the end",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("statements", "found"), TAMPERING)
def test_what_was_done_is_located(place: str, statements: list[str], found: list[tuple[int, str]]) -> None:
    change(place, *statements)
    assert findings(place) == found


def test_a_record_with_a_fresh_hash_does_not_fit(place: str) -> None:
    rebuilt(place, lambda row: row._replace(body=row.body.replace("make 4", "make 9")))
    assert findings(place) == [(6, "changed")]


def test_records_in_another_order_are_found_in_an_export(place: str) -> None:
    rows = list(Database(place, read_only=True).rows())
    rows[3], rows[4] = rows[4], rows[3]
    found = [(item.sequence, item.kind) for item in verify(rows).findings]
    assert found == [(4, "dropped"), (4, "order")]


def test_a_head_that_was_kept_elsewhere(place: str) -> None:
    head = Database(place, read_only=True).head()
    assert findings(place, head) == []
    assert findings(place, Head(0, head.hash)) == []
    assert findings(place, Head(0, "f" * 64)) == [(0, "head")]
    assert findings(place, Head(10, "f" * 64)) == [(10, "head")]
    assert findings(place, Head(11, "f" * 64)) == [(11, "cut_off")]


@given(st.data())
def test_any_changed_row_of_a_chain_is_found(data: st.DataObject) -> None:
    rows = linked(START, [body({"kind": "decision", "n": number}) for number in range(6)])
    index = data.draw(st.integers(0, 5))
    field = data.draw(st.sampled_from(Row._fields))
    old = getattr(rows[index], field)
    new = data.draw(
        (
            st.integers(0, 20) if field == "sequence" else st.floats(0, 9) if field == "at" else st.text(max_size=5)
        ).filter(lambda value: value != old)
    )
    values: dict[str, Any] = {field: new}
    changed = [*rows[:index], rows[index]._replace(**values), *rows[index + 1 :]]
    assert verify(changed, noted=Head(rows[-1].sequence, rows[-1].hash)).findings


def test_retention_removes_whole_segments_and_says_so(place: str) -> None:
    database = Database(place)
    database.remove(6, 5.0)
    database.append([body_of(decided("make more"))])
    assert findings(place) == []
    assert [row.sequence for row in database.rows()] == [7, 8, 9, 10, 11, 12]
    database.remove(9, 6.0)
    assert findings(place) == []
    change(place, "DELETE FROM remit_records WHERE sequence = 10")
    assert findings(place) == [(10, "dropped")]


def test_a_log_that_was_written_anew_as_if_all_before_had_been_removed(place: str) -> None:
    """By somebody who can write the database, and neither the head file nor a head that was kept elsewhere."""
    head = Database(place, read_only=True).head()
    note = {"kind": "retention", "at": 5.0, "removed_to": head.sequence, "hash": head.hash, "removed": head.sequence}
    forged = linked(head, [body_of(decided("make nothing")), body(note)])
    assert verify(forged).findings == ()
    for kept in ({"noted": head}, {"expected": head}, {"expected": Head(3, "f" * 64)}):
        assert [item.kind for item in verify(forged, **kept).findings] == ["head"]


def test_retention_gives_space_back(place: str) -> None:
    database = Database(place)
    database.append([body_of(decided("make " + "x" * 8000)) for _ in range(100)])
    change(place, "PRAGMA wal_checkpoint(TRUNCATE)")
    before = os.path.getsize(place)
    database.remove(105, 5.0)
    change(place, "PRAGMA wal_checkpoint(TRUNCATE)")
    assert os.path.getsize(place) < before / 4
    assert findings(place) == []
    database.close()


def test_removing_what_another_process_removed_changes_nothing(place: str) -> None:
    database = Database(place)
    database.remove(6, 5.0)
    head = database.head()
    assert database.remove(6, 6.0) == head


def test_a_clock_that_is_set_back_breaks_no_order(tmp_path: Path) -> None:
    path = str(tmp_path / "log" / "decisions.db")
    for at in (2_000_000_000.0, 1_000_000_000.0, float("nan"), -5.0):
        append_light(path, decided(at=at))
    assert [row.at for row in Database(path, read_only=True).rows()] == [2_000_000_000.0, 1_000_000_000.0, 0.0, -5.0]
    assert findings(path) == []


def calls() -> Iterator[object]:
    yield pytest.param({"input": {"command": "make " + "x" * 900_000}}, id="huge")
    yield pytest.param({"input": {"command": "make\x00\x1b[2J\r\u202e\u2028"}}, id="control characters")
    yield pytest.param(
        {"input": {"command": "make \ud800"}, "session": "\udfff", "agent": "\ud800"}, id="lone surrogates"
    )
    yield pytest.param({"tool": "mcp__x\x00\x1b", "input": {str(n): ["x" * 5000] * 50 for n in range(300)}}, id="wide")
    yield pytest.param({"input": {"n": 10**6000, "f": float("nan")}}, id="odd numbers")


@pytest.mark.parametrize("fields", list(calls()))
def test_any_call_is_recorded_within_bounds(tmp_path: Path, fields: dict[str, Any]) -> None:
    path = str(tmp_path / "log" / "decisions.db")
    append_light(path, decided(**fields))
    (row,) = Database(path, read_only=True).rows()
    assert len(row.body) < 500_000
    assert row.body.isascii()
    assert row.body.isprintable()
    assert all(text.isprintable() for text in row if isinstance(text, str))
    assert findings(path) == []


ANY_TEXT = st.text(st.characters(categories=None), max_size=30) | st.sampled_from(
    ["TOKEN=x", "https://a:b@c/", "\ud800"]
)
ANY_VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(ANY_TEXT, ANY_VALUE, max_size=4), ANY_TEXT, ANY_TEXT, st.booleans())
def test_every_call_has_a_record_that_can_be_read_again(
    given_input: dict[str, Any], tool: str, session: str, kept: bool
) -> None:
    item = decided(tool=tool, input=given_input, session=session, labels={"a": session})
    record = body_of(item, LogSettings(keep_calls=kept))
    assert canonical(json.loads(record.text)) == record.text
    assert verify(linked(START, [record])).findings == ()


def test_calls_are_kept_whole_where_that_is_said(tmp_path: Path) -> None:
    command = "make PASSWORD=Tr0ub4dor " + "x" * 20_000
    kept = json.loads(body_of(decided(command), LogSettings(keep_calls=True)).text)
    cut = json.loads(body_of(decided(command)).text)
    assert (kept["whole"], kept["input"]) == (True, {"command": command})
    assert cut["whole"] is False
    assert json.loads(body_of(decided("make")).text)["whole"] is True
