"""The contract of a store; the tests check it for each back end."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Iterator
from types import TracebackType
from typing import ParamSpec, Protocol, Self, TypeVar

from parlour.store.entries import (
    Account,
    Filter,
    Page,
    Permission,
    RecordHead,
    Seating,
    Setting,
    SignUp,
    Snapshot,
    Token,
    Write,
)

Given = ParamSpec("Given")
Found = TypeVar("Found")

EVERYTHING = Filter()


class Store(Protocol):
    """Storage for everything that outlives the program.

    A write is durable when `write` returns, or the result of `keep` is done. All writes of one call are stored, or
    none. A call that fails affects no other. ConflictError: a write contradicts the store (a key that exists, an entry
    with that number, a record that is finished or unknown). Any other StoreError: nothing could be stored.

    Reads can be called from any thread; a coroutine passes them to `fetch`, which does not block its loop.
    """

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None: ...

    @property
    def url(self) -> str:
        """The store's address, without a password."""

    @property
    def found_version(self) -> int:
        """Version of the tables when the store was opened; 0 if there were none."""

    def claim(self, record: str = "") -> None:
        """Become the only program that continues unfinished records here; raise StoreInUse if there is another.

        With a record, claim only that one: a tournament claims its own beside the server that claims all others.
        """

    def write(self, *writes: Write) -> None:
        """Store the writes and return when they are durable. Blocks while too many writes wait."""

    def keep(self, *writes: Write) -> Awaitable[None]:
        """Store the writes without blocking the loop; the result is done when they are durable."""

    async def fetch(self, read: Callable[Given, Found], *given: Given.args, **named: Given.kwargs) -> Found:
        """Return the result of a read that runs in another thread: `await store.fetch(store.head, "m1")`."""

    def head(self, record: str) -> RecordHead | None:
        """Return the head of a record, if there is one."""

    def heads(self, wanted: Filter = EVERYTHING, *, newest_first: bool = False) -> Iterator[RecordHead]:
        """Yield all heads that pass the filter, in the order in which the records were stored; read page by page."""

    def page(
        self, wanted: Filter = EVERYTHING, *, limit: int = 100, after: int | None = None, newest_first: bool = True
    ) -> Page:
        """Return at most `limit` heads that pass the filter, after the place `more` of the previous page."""

    def count(self, wanted: Filter = EVERYTHING) -> int:
        """Return the number of heads that pass the filter."""

    def dues(self, limit: int, before: float = math.inf) -> list[tuple[float, str]]:
        """Return the unfinished records that are due before a time, with their due times, the earliest first."""

    def entries(self, record: str, start: int = 0) -> Iterator[bytes]:
        """Yield the entries of a record from a number on, in order; read page by page.

        Raise RecordError where one is missing or stored twice.
        """

    def length(self, record: str) -> int:
        """Return the number of entries of a record."""

    def result(self, record: str) -> bytes | None:
        """Return the result of a finished record."""

    def snapshot(self, record: str) -> Snapshot | None:
        """Return the longest snapshot of a record."""

    def seating(self, record: str) -> list[Seating]:
        """Return the account and player of each seat; a seat that was left is listed without a player."""

    def sign_ups(self, tournament: str) -> list[SignUp]:
        """Return the sign-ups for a tournament, by arrival."""

    def account(self, name: str) -> Account | None:
        """Return an account, if there is one."""

    def accounts(self) -> Iterator[Account]:
        """Yield every account, by name; read page by page."""

    def token(self, digest: bytes) -> Token | None:
        """Return a token, also one that has expired."""

    def tokens(self, account: str) -> list[Token]:
        """Return the tokens of an account, oldest first."""

    def permissions(self, record: str) -> list[Permission]:
        """Return the permissions of accounts on a record, by account."""

    def setting(self, key: str) -> bytes | None:
        """Return the value of a setting, if it was ever set."""

    def settings(self) -> list[Setting]:
        """Return all settings, by key."""

    def probe(self) -> None:
        """Raise StoreError if nothing can be read or written now, as far as that is known."""

    def faults(self) -> list[str]:
        """Return the faults of the tables themselves: entries without a record, a damaged file."""

    def close(self) -> None:
        """Commit waiting writes, then close the files."""
