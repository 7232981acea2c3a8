"""The store in a PostgreSQL database: the same tables, one writer with group commit, and retries.

A broken connection is made again, and the interrupted group is sent again. Each group leaves a receipt in its own
transaction, so that a group whose commit succeeded without an answer is not stored twice.
"""

from __future__ import annotations

import contextlib
import hashlib
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from parlour.errors import ConfigError, ConflictError, MissingExtra, StoreError

try:
    import psycopg
    from psycopg import conninfo
except ImportError:
    raise MissingExtra("postgres", "a store in PostgreSQL") from None

from parlour.store.entries import Setting, Write, askable
from parlour.store.postgres_group import put_each, put_one, put_together
from parlour.store.schema import POSTGRES, VERSION, steps
from parlour.store.sql import Conditions, SQLStore, in_use
from parlour.store.writer import CAPACITY

Link: TypeAlias = psycopg.Connection[tuple[Any, ...]]
Found = TypeVar("Found")

PATIENCE = 30.0
"""Seconds that a write waits for a server without an answer."""
READ_PATIENCE = 5.0
CLOSING_PATIENCE = 3.0
CLAIM_PATIENCE = 3.0
"""Seconds that a claim waits for another to end: the server may not have noticed yet that a program was killed."""


class PostgresStore(SQLStore[Link]):
    """A Store in the tables of one schema: one program writes at a time, any number read."""

    _count_of_a_row = "1"
    _words = Conditions("position(?::bytea in about) = 0", "id IN (SELECT json_array_elements_text(?::json))")

    def __init__(
        self,
        url: str,
        *,
        capacity: int = CAPACITY,
        rest: float = 0.0,
        read_only: bool = False,
        create: bool = True,
        patience: float = PATIENCE,
    ) -> None:
        self._where = _parsed(url)
        self._read_only = read_only
        self._patience = patience
        self._closing = threading.Event()
        self._claimed: list[str] = []
        # The writer's connection is used by its thread, and to claim the store.
        self._using = threading.Lock()
        self._receipt = f"writer/{secrets.token_hex(16)}"
        """The key of the setting that holds the number of the last group."""
        self._groups = 0
        with _explained(self.url):
            self._connection = self._connect_to_write()
            try:
                self._prepare(create and not read_only)
                super().__init__(capacity=capacity, rest=rest)
            except BaseException:  # also after Ctrl-C, because a connection without an owner must be closed
                self._connection.close()
                raise

    @property
    def url(self) -> str:
        shown = {key: value for key, value in self._where.items() if key in ("user", "host", "port", "dbname")}
        user, port = (f"{shown['user']}@" if "user" in shown else ""), (f":{shown['port']}" if "port" in shown else "")
        return f"postgresql://{user}{shown.get('host', '')}{port}/{shown.get('dbname', '')}"

    def claim(self, record: str = "") -> None:
        """Become the only program that continues unfinished records here, or that record; raise StoreInUse otherwise.

        The claim ends with the connection, and is renewed with it.
        """
        with self._using:
            if record not in self._claimed:
                self._patiently(lambda: self._take_claim(self._healthy(), record), self._patience)
                self._claimed.append(record)

    def close(self) -> None:
        """Commit waiting writes, then close the connections."""
        self._closing.set()
        super().close()
        with contextlib.suppress(psycopg.Error), self._connection as connection:
            if not self._read_only:
                connection.execute("DELETE FROM setting WHERE key = %s", (self._receipt,))

    # Connections

    def _connect(self, mode: str) -> Link:
        # Prepared at the first use: the statements are few and often repeated.
        connection: Link = psycopg.connect(**self._where, autocommit=True, prepare_threshold=0)
        try:
            connection.execute(
                f"SET default_transaction_read_only = {mode}; SET synchronous_commit = on", prepare=False
            )
        except BaseException:  # also after Ctrl-C, because a connection without an owner must be closed
            connection.close()
            raise
        return connection

    def _connect_to_read(self) -> Link:
        return self._connect("on")

    def _connect_to_write(self) -> Link:
        return self._connect("on" if self._read_only else "off")

    def _prepare(self, create: bool) -> None:
        """Check that the server is durable and the tables are Parlour's; create or migrate them."""
        connection = self._connection
        durable = connection.execute("SELECT current_setting('fsync')").fetchone()
        if durable != ("on",):
            raise StoreError(f"{self.url}: the server does not write to disk (fsync is off), so nothing would be safe")
        with connection.transaction():
            if not self._read_only:
                connection.execute("SELECT pg_advisory_xact_lock(%s)", (_lock(connection, "migration"),))
            self.found_version = _version(connection, self.url)
            if self.found_version > VERSION:
                newer = f"schema {self.found_version}, expected {VERSION}"
                raise StoreError(f"{self.url}: written by a newer version of Parlour: {newer}")
            if not (self.found_version or create):
                raise StoreError(f"{self.url}: empty, not a store of Parlour")
            if not (self._read_only and self.found_version):  # tables of version 2 can be read without migration
                self._migrate(connection)
            if not self._read_only:
                # The receipt exists before the first commit, so that its row can be waited for if the answer is lost.
                put_one(connection, [Setting(self._receipt, b"0")])

    def _migrate(self, connection: Link) -> None:
        if not self.found_version:
            connection.execute("CREATE TABLE parlour_version (version BIGINT NOT NULL)")
        for number, statements in steps(POSTGRES, self.found_version).items():
            for statement in statements:
                connection.execute(statement)
            connection.execute("DELETE FROM parlour_version")
            connection.execute("INSERT INTO parlour_version VALUES (%s)", (number,))

    def _take_claim(self, connection: Link, record: str) -> None:
        sql = "SELECT pg_try_advisory_lock(%s)"
        lock = _lock(connection, f"claim {record}".strip())
        end = time.monotonic() + min(CLAIM_PATIENCE, self._patience)
        while connection.execute(sql, (lock,)).fetchone() != (True,):
            if time.monotonic() > end:
                raise in_use(self.url, record)
            time.sleep(0.05)
        beside = (_lock(connection, "beside"),)
        if record:
            connection.execute("SELECT pg_advisory_lock_shared(%s)", beside)
        elif connection.execute(sql, beside).fetchone() == (True,):
            # No other program writes now: the other receipts are left from earlier programs.
            connection.execute("DELETE FROM setting WHERE key LIKE 'writer/%%' AND key <> %s", (self._receipt,))
            connection.execute("SELECT pg_advisory_unlock(%s)", beside)

    # Reading

    def _rows(self, sql: str, values: tuple[object, ...]) -> list[Any]:
        def read() -> list[Any]:
            with self._readers.lend() as connection:
                return connection.execute(sql.replace("?", "%s"), askable(values)).fetchall()

        return self._patiently(read, min(READ_PATIENCE, self._patience))

    def _patiently(self, attempt: Callable[[], Found], patience: float) -> Found:
        """Return the result of the attempt, retried while the server is away, until `patience` seconds have passed."""
        end = time.monotonic() + patience
        pause = 0.02
        while True:
            try:
                with _explained(self.url):
                    return attempt()
            except StoreError as error:
                if not _is_away(error.__cause__):
                    raise
                if self._closing.is_set():
                    end = min(end, time.monotonic() + CLOSING_PATIENCE)
                if time.monotonic() + pause > end:
                    raise
            time.sleep(pause)
            pause = min(2 * pause, 1.0)

    # Writing, in the writer's thread

    def _commit(self, group: Sequence[tuple[Write, ...]]) -> Mapping[int, StoreError]:
        self._groups += 1
        with self._using:
            delivery = _Delivery(group, Setting(self._receipt, str(self._groups).encode()))
            try:
                self._patiently(lambda: delivery.attempt(self._healthy()), self._patience)
            except StoreError as error:
                raise StoreError(f"{error}; it may have been stored") if delivery.unheard else error from None
            return delivery.failures

    def _healthy(self) -> Link:
        """Return the writer's connection, made again if it broke, with its claims; raise if a claim is lost."""
        if self._connection.closed:
            self._connection = self._connect_to_write()
            try:
                for record in self._claimed:
                    self._take_claim(self._connection, record)
            except StoreError:
                self._connection.close()
                raise
        return self._connection


class _Delivery:
    """A group that is being written: sent again until it is known to be stored or refused."""

    def __init__(self, group: Sequence[tuple[Write, ...]], receipt: Setting) -> None:
        self.failures: Mapping[int, StoreError] = {}
        self.unheard = False
        """True while a commit was sent and not answered."""
        self._group = group
        self._receipt = receipt
        self._together = True

    def attempt(self, connection: Link) -> None:
        """Store the group; raise an error of psycopg if it was not stored, or if that is not known."""
        if self.unheard and self._is_kept(connection):
            return
        self.unheard = False
        if self._together:
            try:
                self._transact(connection, self._put_together)
                return
            except (ConflictError, psycopg.IntegrityError):
                # Some call contradicts the store. Try again, each call alone, in the same transaction.
                self._together = False
        self._transact(connection, self._put_each)

    def _put_together(self, connection: Link) -> None:
        put_together(connection, self._receipt, self._group)

    def _put_each(self, connection: Link) -> None:
        self.failures = put_each(connection, self._receipt, self._group)

    def _transact(self, connection: Link, put: Callable[[Link], None]) -> None:
        try:
            put(connection)
            self.unheard = True
            connection.execute("COMMIT", prepare=False)
            self.unheard = False
        except BaseException as error:  # any error is raised again; the transaction may not stay open
            if _is_away(error):
                connection.close()
            elif not connection.closed:
                connection.execute("ROLLBACK", prepare=False)
            raise

    def _is_kept(self, connection: Link) -> bool:
        """Return True if the receipt was stored. If the commit is still running, wait for its end."""
        sql = "SELECT value FROM setting WHERE key = %s FOR UPDATE"
        return connection.execute(sql, (self._receipt.key,)).fetchone() == (self._receipt.value,)


def _parsed(url: str) -> dict[str, Any]:
    try:
        return {"connect_timeout": "10", **conninfo.conninfo_to_dict(url)}
    except psycopg.Error as error:
        raise ConfigError(f"store: expected an address of PostgreSQL: {_first_line(error)}", field="store") from None


def _lock(connection: Link, purpose: str) -> int:
    """Return the number of the advisory lock for a purpose in this schema."""
    row = connection.execute("SELECT current_schema()").fetchone()
    return int.from_bytes(hashlib.sha256(f"parlour {purpose} {row}".encode()).digest()[:8], "big", signed=True)


def _version(connection: Link, url: str) -> int:
    """Return the version of the tables, 0 if there are none; raise StoreError for another program's database.

    Raise StoreError too if the address names a schema that does not exist.
    """
    if connection.execute("SELECT current_schema()").fetchone() == (None,):
        path = connection.execute("SHOW search_path").fetchone()
        raise StoreError(f"{url}: there is no schema {path[0] if path else ''!s:.60}: CREATE SCHEMA makes it")
    sql = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
    names = {name for (name,) in connection.execute(sql)}
    if "parlour_version" in names:
        row = connection.execute("SELECT version FROM parlour_version").fetchone()
        return int(row[0]) if row else 0
    if names:
        raise StoreError(f"{url}: a database of another program, not a store of Parlour")
    return 0


def _is_away(error: BaseException | None) -> bool:
    """Return True if a retry may help: the server does not answer, is restarting, or had a conflict of transactions."""
    if isinstance(error, psycopg.InterfaceError):
        return True
    if not isinstance(error, psycopg.OperationalError):
        return False
    # No code means no answer. Class 08 is the connection, 57 a server that stops or starts, 40 a rollback.
    return error.sqlstate is None or error.sqlstate[:2] in ("08", "57", "40")


def _first_line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0]


@contextlib.contextmanager
def _explained(url: str) -> Iterator[None]:
    try:
        yield
    except psycopg.Error as error:
        raise StoreError(f"{url}: {_first_line(error)}") from error
