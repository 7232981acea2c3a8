"""Rows of entries: few rows, nothing lost, and a row of another author is reported."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.errors import RecordError
from parlour.store import Entries, SQLiteStore
from parlour.store.packing import ROOM, PackedRow, Written, packed, unpacked

BODIES = st.lists(st.one_of(st.binary(max_size=5), st.integers(0, 2 * ROOM).map(bytes)), max_size=12)


def read(rows: list[Written]) -> list[PackedRow]:
    """Rows as they come back."""
    return [PackedRow(record, number, length, bytes(body)) for record, number, length, body in rows]


@given(BODIES, st.integers(0, 1 << 40))
def test_what_is_packed_is_unpacked(bodies: list[bytes], first: int) -> None:
    rows = read(packed(Entries("m1", first, tuple(bodies))))
    assert [body for row in rows for body in unpacked(row)] == bodies
    number = first
    for row in rows:
        assert row.record == "m1"
        assert row.number - row.length + 1 == number
        number = row.number + 1
    assert number == first + len(bodies)


@given(BODIES)
def test_a_row_of_several_has_room_for_them(bodies: list[bytes]) -> None:
    rows = read(packed(Entries("m1", 0, tuple(bodies))))
    assert all(row.length == 1 or sum(map(len, unpacked(row))) <= ROOM for row in rows)


@pytest.mark.parametrize(
    ("sizes", "lengths"),
    [
        ([ROOM // 2, ROOM // 2], [2]),
        ([ROOM // 2, ROOM // 2, 1], [1, 2]),
        ([100] * 20, [10, 10]),
        ([100] * 19, [19]),
        ([5 * ROOM], [1]),
        ([1, 5 * ROOM, 1, 1], [1, 1, 2]),
        ([], []),
    ],
)
def test_what_there_is_room_for_is_one_row(sizes: list[int], lengths: list[int]) -> None:
    rows = read(packed(Entries("m1", 0, tuple(map(bytes, sizes)))))
    assert [row.length for row in rows] == lengths


def test_a_lone_entry_lies_as_it_is() -> None:
    assert read(packed(Entries("m1", 7, (b"x",)))) == [("m1", 7, 1, b"x")]


@pytest.mark.parametrize(
    ("length", "body"),
    [
        (3, msgspec.msgpack.encode([b"a", b"b"])),
        (2, b"nonsense"),
        (2, "a text"),
        (2, msgspec.msgpack.encode(["a", 1])),
        (0, msgspec.msgpack.encode([])),
        (-4, msgspec.msgpack.encode([])),
    ],
)
def test_a_row_that_nobody_can_have_written_is_told_with_its_first_number(
    tmp_path: Path, length: int, body: object
) -> None:
    path = tmp_path / "s.db"
    with SQLiteStore(path) as store:
        store.write(Entries("m1", 0, (b"a", b"b")))
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO entry VALUES ('m1', ?, ?, ?)", (max(length, 1) + 1, length, body))
    with SQLiteStore(path) as store, pytest.raises(RecordError, match=r"record m1: .* cannot be read") as told:
        list(store.entries("m1"))
    assert told.value.number == 2


@pytest.mark.parametrize(
    ("number", "length", "body", "first"),
    [
        (2, 1, "a text", 2),
        (2, 1, 7, 2),
        (2, "many", b"c", None),
        (2, b"", b"c", None),
        ("last", 1, b"c", None),
        (b"last", 2, b"c", None),
        (2, (1 << 63) - 1, b"c", 0),
    ],
)
def test_a_row_of_which_a_column_is_of_another_kind_is_told(
    tmp_path: Path, number: object, length: object, body: object, first: int | None
) -> None:
    path = tmp_path / "s.db"
    with SQLiteStore(path) as store:
        store.write(Entries("m1", 0, (b"a", b"b")))
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO entry VALUES ('m1', ?, ?, ?)", (number, length, body))
    with SQLiteStore(path) as store, pytest.raises(RecordError, match=r"record m1: .* cannot be read") as told:
        list(store.entries("m1"))
    assert told.value.number == first


@pytest.mark.parametrize(("number", "first"), [(4, 2), (3, 1)])
def test_entries_that_two_rows_hold_are_told(tmp_path: Path, number: int, first: int) -> None:
    path = tmp_path / "s.db"
    with SQLiteStore(path) as store:
        store.write(Entries("m1", 0, (b"a", b"b", b"c")))
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        row = (number, 3, msgspec.msgpack.encode([b"x", b"y", b"z"]))
        connection.execute("INSERT INTO entry VALUES ('m1', ?, ?, ?)", row)
    with SQLiteStore(path) as store, pytest.raises(RecordError, match="record m1: stored twice") as told:
        list(store.entries("m1"))
    assert told.value.number == first


def test_a_row_that_begins_before_the_first_number_is_told(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with SQLiteStore(path) as store:
        store.write(Entries("m1", 0, (b"a", b"b", b"c")))
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE entry SET number = 1")
    with SQLiteStore(path) as store, pytest.raises(RecordError, match=r"event 0: .* cannot be read"):
        list(store.entries("m1"))


def test_what_a_call_brings_of_a_record_is_one_row(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with SQLiteStore(path) as store:
        store.write(Entries("m1", 0, (b"a", b"b", b"c")), Entries("m2", 0, (b"d", b"e")))
        store.write(Entries("m1", 3, (b"f",)))
    with contextlib.closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT record, number, count FROM entry ORDER BY rowid").fetchall()
    assert rows == [("m1", 2, 3), ("m2", 1, 2), ("m1", 3, 1)]
