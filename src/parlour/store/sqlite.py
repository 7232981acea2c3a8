"""The store in one SQLite file: write-ahead log, synchronous=FULL, one writer with group commit."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

try:
    import fcntl
except ImportError:  # not on this system, which then has no claims
    fcntl = None  # type: ignore[assignment]

from parlour.errors import StoreError
from parlour.store.values import MAX_BODY, Entries, Finished, RecordHead, RecordKind, SignUp, Write
from parlour.store.writer import GroupWriter

VERSION = 1
"""Of the schema; a file of another version is refused, not guessed at."""

_PAGE = 500
"""How many entries are fetched at once while a record is read."""

_SCHEMA = """
CREATE TABLE record (
    id     TEXT PRIMARY KEY,
    kind   TEXT NOT NULL,
    game   TEXT NOT NULL,
    parent TEXT NOT NULL,
    opened REAL NOT NULL,
    result BLOB
);
CREATE INDEX record_by_parent ON record (parent) WHERE parent <> '';
CREATE INDEX record_unfinished ON record (kind) WHERE result IS NULL;
CREATE TABLE entry (
    record TEXT NOT NULL,
    number INTEGER NOT NULL,
    body   BLOB NOT NULL,
    PRIMARY KEY (record, number)
) WITHOUT ROWID;
CREATE TABLE sign_up (
    tournament TEXT NOT NULL,
    name       TEXT NOT NULL,
    arrival    INTEGER NOT NULL,
    digest     BLOB NOT NULL,
    age        INTEGER,
    PRIMARY KEY (tournament, name)
) WITHOUT ROWID;
"""

_HEAD = "SELECT id, kind, game, parent, opened FROM record"


class SQLiteStore:
    """A Store in one file, for one program at a time to write and any number to read."""

    def __init__(self, path: str | Path, *, capacity: int = 10_000, read_only: bool = False) -> None:
        self._path = str(path)
        connect = _connect_to_read if read_only else _connect
        self._connection = connect(self._path)
        self._reading = connect(self._path)
        self._reading.execute("PRAGMA query_only = ON")
        self._reads = threading.Lock()
        self._writer: GroupWriter[tuple[Write, ...]] = GroupWriter(self._commit, capacity=capacity)
        self._claim: BinaryIO | None = None

    def __enter__(self) -> SQLiteStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def claim(self) -> None:
        """Be the only program that goes on with what is unfinished here; StoreError if another one is.

        The claim ends with the program, however that ends.
        """
        if fcntl is None:
            return
        self._claim = Path(self._path).open("rb")  # noqa: SIM115 - open for as long as the store is
        try:
            fcntl.flock(self._claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise StoreError(f"{self._path}: in use by another server; give each its own store") from None

    def write(self, *writes: Write) -> None:
        """Keep the writes together; returns when they are durable."""
        self._writer.write(_bounded(writes))

    async def keep(self, *writes: Write) -> None:
        """Keep the writes together; resumes when they are durable."""
        await self._writer.keep(_bounded(writes))

    def head(self, record: str) -> RecordHead | None:
        """The head of a record, if there is one."""
        found = self._heads(f"{_HEAD} WHERE id = ?", (record,))
        return found[0] if found else None

    def heads(self, kind: RecordKind, *, unfinished: bool = False, limit: int = 1000) -> list[RecordHead]:
        """The newest records of a kind, oldest of them first."""
        only = "AND result IS NULL" if unfinished else ""
        return self._heads(f"{_HEAD} WHERE kind = ? {only} ORDER BY rowid DESC LIMIT ?", (kind, limit))[::-1]

    def children(self, parent: str) -> list[RecordHead]:
        """The records of one tournament in the order in which they were opened."""
        return self._heads(f"{_HEAD} WHERE parent = ? ORDER BY rowid", (parent,))

    def entries(self, record: str, start: int = 0) -> Iterator[bytes]:
        """The entries of a record from a number on, in order."""
        sql = "SELECT body FROM entry WHERE record = ? AND number >= ? ORDER BY number LIMIT ?"
        while page := self._rows(sql, (record, start, _PAGE)):
            yield from (body for (body,) in page)
            start += len(page)

    def result(self, record: str) -> bytes | None:
        """The result of a finished record."""
        rows = self._rows("SELECT result FROM record WHERE id = ?", (record,))
        kept: bytes | None = rows[0][0] if rows else None
        return kept

    def sign_ups(self, tournament: str) -> list[SignUp]:
        """Who signed up for a tournament, by arrival."""
        sql = "SELECT tournament, name, arrival, digest, age FROM sign_up WHERE tournament = ? ORDER BY arrival"
        return [SignUp(*row) for row in self._rows(sql, (tournament,))]

    def close(self) -> None:
        """Keep what is waiting, then let go of the file."""
        self._writer.close()
        with self._reads:
            self._reading.close()
        self._connection.close()
        if self._claim is not None:
            # Last, since closing any handle of the file gives up the locks that SQLite holds on it.
            self._claim.close()

    def _heads(self, sql: str, parameters: tuple[object, ...]) -> list[RecordHead]:
        rows = self._rows(sql, parameters)
        return [RecordHead(id, RecordKind(kind), game, parent, opened) for id, kind, game, parent, opened in rows]

    def _rows(self, sql: str, parameters: tuple[object, ...]) -> list[Any]:
        with self._reads, _explained(self._path):
            return self._reading.execute(sql, parameters).fetchall()

    def _commit(self, group: Sequence[tuple[Write, ...]]) -> None:
        """One transaction for the whole group; runs in the writer's thread."""
        connection = self._connection
        with _explained(self._path):
            connection.execute("BEGIN IMMEDIATE")
            try:
                for writes in group:
                    for write in writes:
                        _put(connection, write)
                connection.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")


def _put(connection: sqlite3.Connection, write: Write) -> None:
    match write:
        case Entries(record, first, bodies):
            connection.executemany(
                "INSERT INTO entry VALUES (?, ?, ?)",
                [(record, number, body) for number, body in enumerate(bodies, first)],
            )
        case RecordHead(id, kind, game, parent, opened):
            connection.execute("INSERT INTO record VALUES (?, ?, ?, ?, ?, NULL)", (id, kind, game, parent, opened))
        case SignUp(tournament, name, arrival, digest, age):
            connection.execute("INSERT INTO sign_up VALUES (?, ?, ?, ?, ?)", (tournament, name, arrival, digest, age))
        case Finished(record, result):
            done = connection.execute(
                "UPDATE record SET result = ? WHERE id = ? AND result IS NULL", (result, record)
            ).rowcount
            if not done:
                raise sqlite3.IntegrityError(f"record {record} is not open")


def _bounded(writes: tuple[Write, ...]) -> tuple[Write, ...]:
    for write in writes:
        if isinstance(write, Entries) and any(len(body) > MAX_BODY for body in write.bodies):
            raise StoreError(f"record {write.record}: an entry is larger than {MAX_BODY:,} bytes")
    return writes


def _connect(path: str) -> sqlite3.Connection:
    return _opened(path, path, _make_durable)


def _connect_to_read(path: str) -> sqlite3.Connection:
    """A connection that changes nothing, not even an empty file."""
    # Without a log of changes nobody writes now, and SQLite needs no file of its own beside a store that it reads.
    how = "mode=ro" if Path(f"{path}-wal").exists() else "mode=ro&immutable=1"
    return _opened(path, f"{Path(path).absolute().as_uri()}?{how}", _refuse_empty)


def _opened(path: str, database: str, ready: Callable[[sqlite3.Connection, str], None]) -> sqlite3.Connection:
    with _explained(path):
        # Used by one thread at a time: the writer's, or whoever holds the lock for reading.
        connection = sqlite3.connect(
            database, timeout=10.0, isolation_level=None, check_same_thread=False, uri=database != path
        )
        try:
            _refuse_foreign(connection, path)
            ready(connection, path)
            _prepare(connection, path)
        except BaseException:
            connection.close()
            raise
        return connection


def _make_durable(connection: sqlite3.Connection, path: str) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")


def _refuse_empty(connection: sqlite3.Connection, path: str) -> None:
    if not _version(connection):
        raise StoreError(f"{path}: empty, not a store of Parlour")


def _refuse_foreign(connection: sqlite3.Connection, path: str) -> None:
    """StoreError, before anything is changed, if the file is a database of somebody else's."""
    foreign = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name NOT IN ('record', 'entry', 'sign_up')"
    if not _version(connection) and connection.execute(foreign).fetchone():
        raise StoreError(f"{path}: a database of another program, not a store of Parlour")


def _prepare(connection: sqlite3.Connection, path: str) -> None:
    """Make the tables in a new file; check the version of an old one."""
    if not _version(connection):
        connection.execute("BEGIN IMMEDIATE")
        if _version(connection):  # another program was quicker
            connection.execute("ROLLBACK")
        else:
            # Not executescript, which would commit before it begins.
            for statement in (*_SCHEMA.split(";"), f"PRAGMA user_version = {VERSION}", "COMMIT"):
                connection.execute(statement)
    if (version := _version(connection)) != VERSION:
        raise StoreError(f"{path}: written by another version of Parlour: schema {version}, expected {VERSION}")


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


@contextlib.contextmanager
def _explained(path: str) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"{path}: {error}") from error
