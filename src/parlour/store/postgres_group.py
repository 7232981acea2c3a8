"""Writes a group of calls into PostgreSQL's tables: entries in bulk, the rest in one round trip."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import psycopg

from parlour.errors import ConflictError, StoreError
from parlour.store.entries import Entries, Finished, Progress, RecordHead, Setting, Write
from parlour.store.statements import statements

Link: TypeAlias = psycopg.Connection[tuple[Any, ...]]
EntryRow: TypeAlias = tuple[str, int, bytes]

COPY_FROM = 50
"""Number of entries from which COPY is quicker than one INSERT of arrays."""

_ENTRIES = "INSERT INTO entry SELECT * FROM unnest(%s::text[], %s::bigint[], %b::bytea[])"
_COPY = "COPY entry FROM STDIN (FORMAT BINARY)"
_PROGRESS = (
    "UPDATE record SET status = v.status, turn = v.turn, phase = v.phase, due = v.due, updated = v.updated"
    " FROM unnest(%s::text[], %s::text[], %s::bigint[], %s::text[], %s::float8[], %s::float8[])"
    " AS v (id, status, turn, phase, due, updated) WHERE record.id = v.id"
)


class _Sent(NamedTuple):
    """A statement; `otherwise`, if given, is the error for touching fewer rows than `expected`."""

    sql: str
    values: Sequence[object]
    otherwise: str = ""
    expected: int = 1


_BEGIN = _Sent("BEGIN", ())


def put_together(connection: Link, receipt: Setting, group: Sequence[tuple[Write, ...]]) -> None:
    """Begin a transaction and write all calls of a group at once; raise ConflictError if one contradicts the store."""
    writes = [receipt, *(write for call in group for write in call)]
    entries = [row for write in writes if type(write) is Entries for row in _rows(write)]
    sent = [_BEGIN, *_statements(writes)]
    if len(entries) >= COPY_FROM:
        _send(connection, sent)
        _copy(connection, entries)
        return
    if entries:
        sent.append(_Sent(_ENTRIES, [list(column) for column in zip(*entries, strict=True)]))
    _send(connection, sent)


def put_each(connection: Link, receipt: Setting, group: Sequence[tuple[Write, ...]]) -> dict[int, StoreError]:
    """Begin a transaction and write each call separately; return the failures by place. A failed call has no effect."""
    failures: dict[int, StoreError] = {}
    _send(connection, [_BEGIN, *_statements([receipt])])
    for place, call in enumerate(group):
        connection.execute("SAVEPOINT one")
        try:
            put_one(connection, call)
        except (ConflictError, psycopg.IntegrityError) as error:
            failures[place] = ConflictError(str(error).partition("\n")[0])
            connection.execute("ROLLBACK TO one")
        connection.execute("RELEASE one")
    return failures


def put_one(connection: Link, call: Sequence[Write]) -> None:
    """Write one call, statement by statement."""
    for write in call:
        for sql, values, otherwise in statements(write):
            if not connection.execute(_marked(sql), values).rowcount and otherwise:
                raise ConflictError(otherwise)


def _rows(write: Entries) -> list[EntryRow]:
    return [(write.record, number, body) for number, body in enumerate(write.bodies, write.first)]


def _copy(connection: Link, entries: Sequence[EntryRow]) -> None:
    with connection.cursor() as cursor, cursor.copy(_COPY) as copy:
        copy.set_types(["text", "int8", "bytea"])
        for row in entries:
            copy.write_row(row)


def _statements(writes: Sequence[Write]) -> Iterator[_Sent]:
    """Yield the statements, except for entries. Of several writes of progress in a record only the last one matters."""
    progress: dict[str, Progress] = {}
    for write in writes:
        match write:
            case Entries():
                continue
            case Progress():
                progress[write.record] = write
                continue
            case RecordHead() | Finished():
                yield from _progress(progress)
                progress = {}
        for sql, values, otherwise in statements(write):
            yield _Sent(_marked(sql), values, otherwise)
    yield from _progress(progress)


def _progress(progress: dict[str, Progress]) -> Iterator[_Sent]:
    if progress:
        rows = [(p.record, p.status, p.turn, p.phase, p.due, p.updated) for p in progress.values()]
        yield _Sent(_PROGRESS, [list(column) for column in zip(*rows, strict=True)], "a record is not known", len(rows))


def _send(connection: Link, sent: Sequence[_Sent]) -> None:
    """Send all statements, then wait once for their answers."""
    with connection.pipeline():
        cursors = [connection.execute(each.sql, each.values) for each in sent]
    for each, cursor in zip(sent, cursors, strict=True):
        if each.otherwise and cursor.rowcount < each.expected:
            raise ConflictError(each.otherwise)


def _marked(sql: str) -> str:
    return sql.replace("?", "%s")
