"""The common part of the SQL stores: every read, and the grouping of calls for the one writer."""

from __future__ import annotations

import abc
import math
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Generic, NamedTuple, ParamSpec, Self, TypeVar

import msgspec

from parlour.errors import RecordError, StoreError, StoreInUse
from parlour.store.contract import EVERYTHING
from parlour.store.entries import (
    Account,
    Filter,
    Page,
    Permission,
    RecordHead,
    RecordKind,
    Seating,
    Setting,
    SignUp,
    Snapshot,
    Token,
    Write,
    checked,
)
from parlour.store.packing import PackedRow, unpacked
from parlour.store.readers import Link, Readers
from parlour.store.writer import GroupWriter

PAGE = 500
"""Number of rows fetched at once in a long read."""

FIRST_ROWS = 16
"""Number of rows of entries in the first read, while their size is unknown."""

AT_ONCE = 1 << 20
"""Maximum bytes of entries per read; a larger row is read alone."""

READERS = 4
"""Number of concurrent readers."""

_HEAD = (
    "SELECT number, id, kind, game, parent, opened, owner, title, password, about,"
    " status, turn, phase, due, updated, result FROM record"
)

UNLISTED = b'"listed":false'
"""Bytes in the `about` of an unlisted match."""
ANONYMOUS = b'"anonymous":true'
"""Bytes in the `about` of an anonymous match."""
_CONCERNS = (
    "owner = ? OR id IN (SELECT record FROM seat WHERE account <> '' AND account = ?)"
    " OR id IN (SELECT record FROM permission WHERE account = ? AND role <> '')"
)

Given = ParamSpec("Given")
Found = TypeVar("Found")


class Conditions(NamedTuple):
    """Conditions that back ends spell in different ways, each with one value."""

    lacks: str
    """The `about` of a record does not contain some bytes."""
    among: str
    """The id of a record is in a JSON list."""


class SQLStore(abc.ABC, Generic[Link]):
    """A Store in tables: a back end defines how to connect, query and commit. Queries have ? for values."""

    found_version: int
    _count_of_a_row: str
    """SQL for the number of entries in a row; the row has the number of the last of them."""
    _words: Conditions = Conditions("instr(about, ?) = 0", "id IN (SELECT value FROM json_each(?))")

    def __init__(self, *, capacity: int, rest: float = 0.0) -> None:
        self._readers: Readers[Link] = Readers(self._connect_to_read, READERS)
        self._writer: GroupWriter[tuple[Write, ...]] = GroupWriter(self._commit, capacity=capacity, rest=rest)

    @property
    @abc.abstractmethod
    def url(self) -> str:
        """The store's address, without a password."""

    @abc.abstractmethod
    def claim(self, record: str = "") -> None:
        """Become the only program that continues unfinished records here; raise StoreInUse if there is another."""

    @abc.abstractmethod
    def _connect_to_read(self) -> Link: ...

    @abc.abstractmethod
    def _rows(self, sql: str, values: tuple[object, ...]) -> list[Any]: ...

    @abc.abstractmethod
    def _commit(self, group: Sequence[tuple[Write, ...]]) -> Mapping[int, StoreError]:
        """Commit a group, in the writer's thread; return the failed calls, by their place in it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def write(self, *writes: Write) -> None:
        """Store the writes together; return when they are durable."""
        self._writer.write(checked(writes))

    def keep(self, *writes: Write) -> Awaitable[None]:
        """Store the writes together; the result is done when they are durable."""
        return self._writer.keep(checked(writes))

    async def fetch(self, read: Callable[Given, Found], *given: Given.args, **named: Given.kwargs) -> Found:
        """Return the result of a read that runs in another thread."""
        return await self._readers.fetch(read, *given, **named)

    def close(self) -> None:
        """Commit waiting writes, then close everything."""
        self._writer.close()
        self._readers.close()

    # Heads

    def head(self, record: str) -> RecordHead | None:
        """Return the head of a record, if there is one."""
        found = self._heads(self._rows(f"{_HEAD} WHERE id = ?", (record,)))
        return found[0] if found else None

    def heads(self, wanted: Filter = EVERYTHING, *, newest_first: bool = False) -> Iterator[RecordHead]:
        """Yield all heads that pass the filter, in the order in which the records were stored."""
        page = self.page(wanted, limit=PAGE, newest_first=newest_first)
        yield from page.heads
        while page.more is not None:
            page = self.page(wanted, limit=PAGE, after=page.more, newest_first=newest_first)
            yield from page.heads

    def page(
        self, wanted: Filter = EVERYTHING, *, limit: int = 100, after: int | None = None, newest_first: bool = True
    ) -> Page:
        """Return at most `limit` heads that pass the filter, after the place `more` of the previous page."""
        where, values = _where(wanted, self._words)
        if after is not None:
            where.append("number < ?" if newest_first else "number > ?")
            values.append(after)
        order = "DESC" if newest_first else "ASC"
        # One row more than asked for shows if the list continues.
        rows = self._rows(f"{_HEAD}{_clause(where)} ORDER BY number {order} LIMIT ?", (*values, limit + 1))
        more = rows[limit - 1][0] if len(rows) > limit else None
        return Page(tuple(self._heads(rows[:limit])), more)

    def count(self, wanted: Filter = EVERYTHING) -> int:
        """Return the number of heads that pass the filter."""
        where, values = _where(wanted, self._words)
        ((count,),) = self._rows(f"SELECT count(*) FROM record{_clause(where)}", tuple(values))
        return int(count)

    def dues(self, limit: int, before: float = math.inf) -> list[tuple[float, str]]:
        """Return the unfinished records that are due before a time, with their due times, the earliest first."""
        sql = "SELECT due, id FROM record WHERE due IS NOT NULL AND due < ? ORDER BY due, number LIMIT ?"
        return [(due, record) for due, record in self._rows(sql, (before, limit))]

    # Records

    def entries(self, record: str, start: int = 0) -> Iterator[bytes]:
        """Yield the entries of a record from a number on; raise RecordError where one is missing, or stored twice.

        They are fetched in portions of a bounded number of bytes, so that reading few entries costs little.
        """
        columns = f"record, number, {self._count_of_a_row}, body"
        sql = f"SELECT {columns} FROM entry WHERE record = ? AND number >= ? ORDER BY number LIMIT ?"
        wanted, rows = start, FIRST_ROWS
        while page := self._rows(sql, (record, start, rows)):
            more, rows = len(page) == rows, _rows_at_once(page)
            for row in map(PackedRow._make, page):
                bodies = unpacked(row)
                first = row.number - row.length + 1
                if first > start:
                    raise RecordError(f"record {record}: missing, although there are later ones", number=start)
                if first < start > wanted:  # only the first wanted entry may lie in the middle of a row
                    raise RecordError(f"record {record}: stored twice", number=first)
                yield from bodies[start - first :]
                start = row.number + 1
            if not more:
                return

    def length(self, record: str) -> int:
        """Return the number of entries of a record."""
        ((last,),) = self._rows("SELECT max(number) FROM entry WHERE record = ?", (record,))
        return 0 if last is None else int(last) + 1

    def result(self, record: str) -> bytes | None:
        """Return the result of a finished record."""
        rows = self._rows("SELECT result FROM record WHERE id = ?", (record,))
        kept: bytes | None = rows[0][0] if rows else None
        return kept

    def snapshot(self, record: str) -> Snapshot | None:
        """Return the longest snapshot of a record."""
        rows = self._rows("SELECT record, length, body FROM snapshot WHERE record = ?", (record,))
        return Snapshot(*rows[0]) if rows else None

    def seating(self, record: str) -> list[Seating]:
        """Return the account and player of each seat."""
        sql = "SELECT record, seat, player, account, agent FROM seat WHERE record = ? ORDER BY seat"
        return [Seating(*row) for row in self._rows(sql, (record,))]

    def sign_ups(self, tournament: str) -> list[SignUp]:
        """Return the sign-ups for a tournament, by arrival."""
        sql = "SELECT tournament, name, arrival, digest, age FROM sign_up WHERE tournament = ? ORDER BY arrival"
        return [SignUp(*row) for row in self._rows(sql, (tournament,))]

    # Accounts and settings

    def account(self, name: str) -> Account | None:
        """Return an account, if there is one."""
        rows = self._rows("SELECT name, password, role, created, locked FROM account WHERE name = ?", (name,))
        return _account(rows[0]) if rows else None

    def accounts(self) -> Iterator[Account]:
        """Yield every account, by name."""
        sql = "SELECT name, password, role, created, locked FROM account WHERE name > ? ORDER BY name LIMIT ?"
        last = ""
        while page := self._rows(sql, (last, PAGE)):
            yield from map(_account, page)
            last = page[-1][0]

    def token(self, digest: bytes) -> Token | None:
        """Return a token, also one that has expired."""
        rows = self._rows("SELECT digest, account, purpose, created, expires FROM token WHERE digest = ?", (digest,))
        return Token(*rows[0]) if rows else None

    def tokens(self, account: str) -> list[Token]:
        """Return the tokens of an account, oldest first."""
        sql = "SELECT digest, account, purpose, created, expires FROM token WHERE account = ? ORDER BY created, digest"
        return [Token(*row) for row in self._rows(sql, (account,))]

    def permissions(self, record: str) -> list[Permission]:
        """Return the permissions of accounts on a record, by account."""
        sql = "SELECT record, account, role FROM permission WHERE record = ? ORDER BY account"
        return [Permission(*row) for row in self._rows(sql, (record,))]

    def setting(self, key: str) -> bytes | None:
        """Return the value of a setting, if it was ever set."""
        rows = self._rows("SELECT value FROM setting WHERE key = ?", (key,))
        kept: bytes | None = rows[0][0] if rows else None
        return kept

    def settings(self) -> list[Setting]:
        """Return all settings, by key."""
        return [Setting(*row) for row in self._rows("SELECT key, value FROM setting ORDER BY key", ())]

    def probe(self) -> None:
        """Raise StoreError if the database does not answer."""
        self.setting("")

    def faults(self) -> list[str]:
        """Return the faults of the tables themselves."""
        return [
            f"record {record}: has rows of {table} and no head"
            for table in ("entry", "snapshot", "seat", "permission")
            for (record,) in self._rows(
                f"SELECT DISTINCT record FROM {table} WHERE record NOT IN (SELECT id FROM record) ORDER BY record", ()
            )
        ]

    def _heads(self, rows: Sequence[Any]) -> list[RecordHead]:
        if not rows:
            return []
        players: dict[str, dict[str, str]] = {row[1]: {} for row in rows}
        where = f"player <> '' AND record IN ({_marks(players)})"
        sql = f"SELECT record, seat, player FROM seat WHERE {where} ORDER BY record, seat"
        for record, seat, player in self._rows(sql, tuple(players)):
            players[record][seat] = player
        return [_head(row, players[row[1]]) for row in rows]


def _where(wanted: Filter, words: Conditions) -> tuple[list[str], list[object]]:
    """Return SQL conditions and their values; they repeat the conditions of partial indexes, so that these are used."""
    found: list[tuple[str, tuple[object, ...]]] = []
    if wanted.kind is not None:
        found.append(("kind = ?", (wanted.kind.value,)))
    if wanted.parent is not None:
        found.append(("parent = ?", (wanted.parent,)))
    if wanted.game:
        found.append(("game = ?", (wanted.game,)))
    if wanted.owner:
        found.append(("owner <> '' AND owner = ?", (wanted.owner,)))
    if wanted.player:
        found.append(("id IN (SELECT record FROM seat WHERE player <> '' AND player = ?)", (wanted.player,)))
    if wanted.account:
        found.append(("id IN (SELECT record FROM seat WHERE account <> '' AND account = ?)", (wanted.account,)))
    if wanted.due_by is not None:
        found.append(("due <= ?", (wanted.due_by,)))
    if wanted.changed_after is not None:
        found.append(("updated > ?", (wanted.changed_after,)))
    concerned = (wanted.visible_to,) * 3 if wanted.visible_to else ()
    veiled, hidden = _veiled(wanted, words, concerned)
    if wanted.status:
        status = f"CASE WHEN {veiled} THEN 'running' ELSE status END" if veiled else "status"
        found.append((f"{status} IN ({_marks(wanted.status)})", (*hidden, *wanted.status)))
    if wanted.unfinished:
        found.append((f"(result IS NULL OR {veiled})", hidden) if veiled else ("result IS NULL", ()))
    if wanted.named:
        over = f"(result IS NOT NULL AND NOT {veiled})" if veiled else "result IS NOT NULL"
        found.append((f"({over} OR {words.lacks})", (*hidden, ANONYMOUS)))
    if wanted.visible_to is not None:
        concerns = f" OR {_CONCERNS}" if concerned else ""
        found.append((f"({words.lacks}{concerns})", (UNLISTED, *concerned)))
    return [condition for condition, _ in found], [value for _, values in found for value in values]


def _veiled(wanted: Filter, words: Conditions, concerned: tuple[object, ...]) -> tuple[str, tuple[object, ...]]:
    """Return the SQL condition that a record counts as running, with its values; empty if none does."""
    if not wanted.veiled:
        return "", ()
    condition = f"({words.among} AND NOT ({_CONCERNS}))" if concerned else words.among
    return condition, (msgspec.json.encode(wanted.veiled).decode(), *concerned)


def _rows_at_once(page: Sequence[Any]) -> int:
    """Return the number of rows of entries to fetch next, given the last ones."""
    size = sum(len(body) for *_, body in page if isinstance(body, bytes))
    return max(1, min(PAGE, AT_ONCE * len(page) // max(size, 1)))


def _clause(where: Sequence[str]) -> str:
    return f" WHERE {' AND '.join(where)}" if where else ""


def _marks(values: Sequence[object] | Mapping[str, object]) -> str:
    return ", ".join("?" * len(values))


def _head(row: tuple[Any, ...], players: dict[str, str]) -> RecordHead:
    _, id, kind, game, parent, opened, owner, title, password, about, *progress = row
    told = (parent, opened, owner, title, password, about, players)
    status, turn, phase, due, updated, result = progress
    return RecordHead(id, RecordKind(kind), game, *told, status, turn, phase, due, updated, result)


def _account(row: tuple[str, str, str, float, int]) -> Account:
    name, password, role, created, locked = row
    return Account(name, password, role, created, bool(locked))


def in_use(url: str, record: str) -> StoreInUse:
    """Return the error for a store or a record that another program has claimed."""
    if record:
        return StoreInUse(f"{url}: another program continues {record}")
    return StoreInUse(f"{url}: in use by another server; give each its own store, or start this one with --standby")
