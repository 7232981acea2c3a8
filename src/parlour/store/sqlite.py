"""The store in one SQLite file: write-ahead log, synchronous=FULL, one writer with group commit."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    import tempfile

try:
    import fcntl
except ImportError:  # on systems without file locks, stores cannot be claimed
    fcntl = None  # type: ignore[assignment]

from parlour.errors import ConflictError, StoreError
from parlour.store.entries import Entries, Finished, Progress, RecordHead, Write, askable
from parlour.store.packing import Written, packed
from parlour.store.schema import SQLITE, TABLES, VERSION, steps
from parlour.store.sql import SQLStore, in_use
from parlour.store.statements import PROGRESS, progress_values, statements
from parlour.store.whereabouts import Whereabouts
from parlour.store.writer import CAPACITY

# A row that overlaps a stored one gets NULL as its body, which the column refuses. (With INSERT … SELECT, SQLite would
# make a table for the subquery each time, which costs more than the row.)
_ENTRIES = (
    "INSERT INTO entry (record, number, count, body) VALUES (?1, ?2, ?3, CASE WHEN EXISTS"
    " (SELECT 1 FROM entry WHERE record = ?1 AND number > ?2 - ?3 AND number - count < ?2) THEN NULL ELSE ?4 END)"
)


class SQLiteStore(SQLStore[sqlite3.Connection]):
    """A Store in one file: one program writes at a time, any number read.

    A file of an older version is migrated when it is opened for writing. For reading, a copy of it is migrated, and the
    file stays unchanged.
    """

    _count_of_a_row = "count"

    def __init__(
        self,
        path: str | Path,
        *,
        capacity: int = CAPACITY,
        rest: float = 0.0,
        read_only: bool = False,
        create: bool = True,
    ) -> None:
        self._path = str(path)
        self._read_only = read_only
        if not (create or Path(self._path).exists()):
            raise StoreError(f"{self._path}: there is no store")
        self._claims: dict[str, BinaryIO] = {}
        """File handles of claims by record, also of refused ones; the empty name is the whole store."""
        self._copy: tempfile.TemporaryDirectory[str] | None = None
        try:
            self._connection = self._open_to_read() if read_only else self._open_to_write()
            self._whereabouts = Whereabouts(self._path)
            super().__init__(capacity=capacity, rest=rest)
        except BaseException:  # also after Ctrl-C, because the claim on the file must end
            self._let_go()
            raise

    @property
    def url(self) -> str:
        """The path of the file."""
        return self._path

    def claim(self, record: str = "") -> None:
        """Become the only program that continues unfinished records here, or that record; raise StoreInUse otherwise.

        The claim ends with the program, even if it is killed.
        """
        if fcntl is None:
            return
        # Each claim has its own handle, open as long as the store.
        handle = self._claims.get(record) or Path(self._path).open("r+b" if record else "rb")  # noqa: SIM115
        self._claims[record] = handle
        try:
            if record and hasattr(fcntl, "F_OFD_SETLK"):
                fcntl.fcntl(handle, fcntl.F_OFD_SETLK, _byte_of(record))
            else:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise in_use(self._path, record) from None

    def probe(self) -> None:
        """Raise StoreError if nothing can be stored now: the file is gone, or its disk is full."""
        super().probe()
        self._whereabouts.require()
        self._whereabouts.require_room()

    def faults(self) -> list[str]:
        """Return the faults of the tables and of the file."""
        found = [f"{self._path}: {line}" for (line,) in self._rows("PRAGMA quick_check(20)", ()) if line != "ok"]
        return found or super().faults()

    def close(self) -> None:
        """Commit waiting writes, then close the file."""
        super().close()
        self._connection.close()
        self._let_go()

    def _let_go(self) -> None:
        for handle in self._claims.values():
            # After the connection, because closing any handle of the file releases the locks that SQLite holds on it.
            handle.close()
        if self._copy is not None:
            self._copy.cleanup()

    # Connections

    def _open_to_write(self) -> sqlite3.Connection:
        # Readable by the owner only, because it will hold digests of passwords. SQLite reports any other problem.
        with contextlib.suppress(OSError):
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        with _explained(self._path), _closed_on_error(_connect(self._path)) as connection:
            self.found_version = _refuse_foreign(connection, self._path)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            if self.found_version < VERSION:
                if self.found_version:
                    self.claim()
                _migrate(connection)
            return connection

    def _open_to_read(self) -> sqlite3.Connection:
        with _explained(self._path), _closed_on_error(_connect_to_read(self._path)) as connection:
            self.found_version = _refuse_foreign(connection, self._path)
            if not self.found_version:
                raise StoreError(f"{self._path}: empty, not a store of Parlour")
            if self.found_version == VERSION:
                return connection
            import tempfile  # only for stores of an earlier version

            self._copy = tempfile.TemporaryDirectory(prefix="parlour-")
            with _closed_on_error(_connect(self._readable)) as copy:
                connection.backup(copy)
                connection.close()
                _migrate(copy)
                copy.execute("PRAGMA query_only = ON")
                return copy

    @property
    def _readable(self) -> str:
        """The file that is read: the store's own, or its migrated copy."""
        return self._path if self._copy is None else str(Path(self._copy.name, "store.db"))

    def _connect_to_read(self) -> sqlite3.Connection:
        with _explained(self._path):
            if self._read_only:
                return _connect_to_read(self._readable)
            # SQLite must neither create a new file nor open one that replaced the store's.
            self._whereabouts.require()
            address = f"{Path(self._path).absolute().as_uri()}?mode=rw"
            with _closed_on_error(_connect(address, "PRAGMA query_only = ON")) as connection:
                self._whereabouts.require()
                return connection

    def _rows(self, sql: str, values: tuple[object, ...]) -> list[Any]:
        with self._readers.lend() as connection, _explained(self._path):
            return connection.execute(sql, askable(values)).fetchall()

    # Writing, in the writer's thread

    def _commit(self, group: Sequence[tuple[Write, ...]]) -> Mapping[int, StoreError]:
        try:
            with self._transaction():
                _put(self._connection, [write for writes in group for write in writes])
            return {}
        except ConflictError:
            # Some call contradicts the store. Try again, each call alone, in the same transaction.
            return self._commit_each(group)

    def _commit_each(self, group: Sequence[tuple[Write, ...]]) -> Mapping[int, StoreError]:
        failures: dict[int, StoreError] = {}
        with self._transaction():
            for place, writes in enumerate(group):
                self._connection.execute("SAVEPOINT one")
                try:
                    with _explained(self._path):
                        _put(self._connection, writes)
                except ConflictError as error:
                    failures[place] = error
                    self._connection.execute("ROLLBACK TO one")
                self._connection.execute("RELEASE one")
        return failures

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        with _explained(self._path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._whereabouts.require()  # what is written to a file that was moved or deleted is not stored
                self._connection.execute("COMMIT")
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")


def _byte_of(record: str) -> bytes:
    """Return the position of a record's lock: a byte far beyond the end of any database, chosen by its name."""
    assert fcntl is not None
    place = int.from_bytes(hashlib.sha256(record.encode()).digest()[:6], "big")
    return struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, (1 << 60) + place, 1, 0)


def _put(connection: sqlite3.Connection, writes: Sequence[Write]) -> None:
    rows: list[Written] = []
    progress: list[tuple[object, ...]] = []
    for write in writes:
        # The most frequent writes are done in bulk. No other write depends on entries, and only these two on progress.
        if type(write) is Entries:
            rows += packed(write)
            continue
        if type(write) is Progress:
            progress.append(progress_values(write))
            continue
        if type(write) is RecordHead or type(write) is Finished:
            _advance(connection, progress)
            progress = []
        for sql, values, otherwise in statements(write):
            if not connection.execute(sql, values).rowcount and otherwise:
                raise ConflictError(otherwise)
    _advance(connection, progress)
    try:
        connection.executemany(_ENTRIES, rows)
    except sqlite3.IntegrityError:
        raise ConflictError(f"{_which(row[0] for row in rows)}: an entry with that number exists already") from None


def _advance(connection: sqlite3.Connection, progress: Sequence[tuple[object, ...]]) -> None:
    if progress and connection.executemany(PROGRESS, progress).rowcount < len(progress):
        raise ConflictError(f"{_which(values[-1] for values in progress)} is not known")


def _which(records: Iterable[object]) -> str:
    """Return the record at fault, if only one is possible: SQLite does not report the row."""
    names = set(records)
    return f"record {names.pop()}" if len(names) == 1 else "a record"


def _connect(database: str, *prepared: str) -> sqlite3.Connection:
    # Used by one thread at a time: the writer's, or the one that borrowed it.
    connection = sqlite3.connect(
        database, timeout=10.0, isolation_level=None, check_same_thread=False, uri=database.startswith("file:")
    )
    for statement in prepared:
        connection.execute(statement)
    return connection


def _connect_to_read(path: str) -> sqlite3.Connection:
    """Return a connection that changes nothing, not even an empty file."""
    if not Path(path).exists():
        raise StoreError(f"{path}: there is no such store")
    # Without a write-ahead log nobody writes now, and with immutable SQLite needs no file of its own beside the store.
    how = "mode=ro" if Path(f"{path}-wal").exists() else "mode=ro&immutable=1"
    return _connect(f"{Path(path).absolute().as_uri()}?{how}")


def _refuse_foreign(connection: sqlite3.Connection, path: str) -> int:
    """Return the version; raise StoreError, before any change, for a newer one or another program's database."""
    version = _version(connection)
    if version > VERSION:
        raise StoreError(f"{path}: written by a newer version of Parlour: schema {version}, expected {VERSION}")
    names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if (not version and names - set(TABLES)) or (version and "record" not in names):
        raise StoreError(f"{path}: a database of another program, not a store of Parlour")
    return version


def _migrate(connection: sqlite3.Connection) -> None:
    """Create the tables in a new file, or migrate those of an older version, in one transaction."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        # The version is read again: another program may have migrated the file meanwhile.
        for number, statements in steps(SQLITE, _version(connection)).items():
            # Not executescript, which would commit before it begins.
            for statement in (*statements, f"PRAGMA user_version = {number}"):
                connection.execute(statement)
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


@contextlib.contextmanager
def _closed_on_error(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    try:
        yield connection
    except BaseException:  # also after Ctrl-C, because a connection without an owner must be closed
        connection.close()
        raise


@contextlib.contextmanager
def _explained(path: str) -> Iterator[None]:
    try:
        yield
    except sqlite3.IntegrityError as error:
        raise ConflictError(f"{path}: {error}") from error
    except sqlite3.Error as error:
        raise StoreError(f"{path}: {error}") from error
