"""The layout of entries in SQLite's rows: the entries of one call are one row, or few.

A row has the number of its last entry and the number of entries in it. A reader that starts at an entry begins with
the first row whose number is not below that of the entry. The length of a record is the largest number plus one. A row
of one entry is that entry; a row of several is a MessagePack list.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple, TypeAlias

import msgspec

from parlour.errors import RecordError
from parlour.store.entries import Entries

ROOM = 1900
"""Maximum bytes of entries in a row of several: two rows still fit on one page of SQLite."""

_pack = msgspec.msgpack.Encoder().encode
_unpack = msgspec.msgpack.Decoder(tuple[bytes, ...]).decode


Written: TypeAlias = tuple[str, int, int, bytearray]
"""A row as it is written: record, number of its last entry, number of entries, and the entries. For bytes, Python's
sqlite3 looks for an adapter in vain, which costs a third of the time of a row; for a bytearray it does not."""


class PackedRow(NamedTuple):
    """A row as read: `length` entries of a record; `number` is that of the last one."""

    record: str
    number: int
    length: int
    body: bytes


def packed(write: Entries) -> list[Written]:
    """Return the rows of some entries: one if they fit into it, otherwise the rows of each half."""
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
    """Return the entries of a row; raise RecordError, with the number of the first entry, for a corrupt row."""
    sound = isinstance(row.number, int) and isinstance(row.length, int)  # SQLite allows any type in any column
    if sound and isinstance(row.body, bytes) and row.length <= row.number + 1:
        if row.length == 1:
            return (row.body,)
        with suppress(msgspec.DecodeError):
            bodies = _unpack(row.body)
            if bodies and len(bodies) == row.length:
                return bodies
    first = max(row.number - max(row.length, 1) + 1, 0) if sound else None
    raise RecordError(f"record {row.record}: a row of {row.length} entries cannot be read", number=first)
