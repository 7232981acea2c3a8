"""A store whose entries lie in rows of their own, so that a test can change one of them or take it away."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

from parlour.store.packing import PackedRow, unpacked


def spread(path: Path) -> None:
    """Put every entry of a SQLite store into a row of its own; it says the same as before."""
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        rows = [PackedRow(*row) for row in connection.execute("SELECT record, number, count, body FROM entry")]
        connection.execute("DELETE FROM entry")
        for row in rows:
            for number, body in enumerate(unpacked(row), row.number - row.length + 1):
                connection.execute("INSERT INTO entry VALUES (?, ?, 1, ?)", (row.record, number, body))
