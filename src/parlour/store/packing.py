"""The layout of entries in SQLite's rows: the entries of one call are one row, or few.

A row has the number of its last entry and the number of entries in it. A reader from a number on begins with the first
row whose number is not below it; the length of a record is the largest number plus one. A row of one entry is that
entry; a row of several is a MessagePack list.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple, TypeAlias

import msgspec

from parlour.errors import RecordError
from parlour.store.entries import Entries

ROOM = 1900
"""Bytes of entries in a row of several: two of these rows still fit on one page of SQLite."""

_pack = msgspec.msgpack.Encoder().encode
_unpack = msgspec.msgpack.Decoder(tuple[bytes, ...]).decode


Written: TypeAlias = tuple[str, int, int, bytearray]
"""A row as it is written: its record, the number of its last entry, how many there are, and they. The sqlite3 of Python
looks for an adapter of bytes in vain, for every row, which costs a third of a row; a bytearray needs none."""


class PackedRow(NamedTuple):
    """A row as it is read: length entries of a record; number is that of the last one."""

    record: str
    number: int
    length: int
    body: bytes


def packed(write: Entries) -> list[Written]:
    """Return the rows of some entries: one if there is room in it, otherwise those of each half."""
    return _rows(write.record, write.first, write.bodies)


def _rows(record: str, first: int, bodies: Sequence[bytes]) -> list[Written]:
    count = len(bodies)
    if count < 2:
        return [(record, first, 1, bytearray(body)) for body in bodies]
    if sum(map(len, bodies)) > ROOM:
        half = count // 2
        return _rows(record, first, bodies[:half]) + _rows(record, first + half, bodies[half:])
    return [(record, first + count - 1, count, bytearray(_pack(bodies)))]


def unpacked(row: PackedRow) -> tuple[bytes, ...]:
    """Return the entries of a row. RecordError, with the number of the first entry, for a row that is corrupt.

    RecordError, with the number of the first of them, for one that nobody can have written.
    """
    sound = isinstance(row.number, int) and isinstance(row.length, int)  # SQLite keeps anything in any column
    if sound and isinstance(row.body, bytes) and row.length <= row.number + 1:
        if row.length == 1:
            return (row.body,)
        with suppress(msgspec.DecodeError):
            bodies = _unpack(row.body)
            if bodies and len(bodies) == row.length:
                return bodies
    first = max(row.number - max(row.length, 1) + 1, 0) if sound else None
    raise RecordError(f"record {row.record}: a row of {row.length} entries cannot be read", number=first)
