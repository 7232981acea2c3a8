"""What every store can do, whatever keeps it: the contract that the tests put to each back end."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Iterator
from types import TracebackType
from typing import ParamSpec, Protocol, Self, TypeVar

from parlour.store.values import (
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
    """Where everything is kept that outlives the program.

    Whatever write and keep return from is durable. All writes of one call are kept together or not at all, and one
    call that fails hurts no other. ConflictError says that a write contradicts what is kept: a key that exists, an
    entry with that number, a record that is finished or unknown; any other StoreError that nothing could be kept.

    Reads can be called from any thread; a coroutine hands them to fetch, which does not block its loop.
    """

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None: ...

    @property
    def url(self) -> str:
        """Where it is, without a password."""
        ...

    @property
    def found_version(self) -> int:
        """Of which version its tables were when it was opened; 0 if there were none."""
        ...

    def claim(self, record: str = "") -> None:
        """Be the only program that goes on with what is unfinished here; StoreError if another one is.

        With a record, only with that one: a tournament claims itself, beside the server that claims all else.
        """
        ...

    def write(self, *writes: Write) -> None:
        """Keep them; returns when they are durable. Blocks while too much is waiting."""
        ...

    def keep(self, *writes: Write) -> Awaitable[None]:
        """The same without blocking the loop: done when they are durable."""
        ...

    async def fetch(self, read: Callable[Given, Found], *given: Given.args, **named: Given.kwargs) -> Found:
        """What a read gives, read in another thread: `await store.fetch(store.head, "m1")`."""
        ...

    def head(self, record: str) -> RecordHead | None:
        """The head of a record, if there is one."""
        ...

    def heads(self, wanted: Filter = EVERYTHING, *, newest_first: bool = False) -> Iterator[RecordHead]:
        """All heads that are wanted, in the order in which the records were opened; read page by page."""
        ...

    def page(
        self, wanted: Filter = EVERYTHING, *, limit: int = 100, after: int | None = None, newest_first: bool = True
    ) -> Page:
        """So many heads of that list, after the place that the page before gave as more."""
        ...

    def count(self, wanted: Filter = EVERYTHING) -> int:
        """How many heads are wanted."""
        ...

    def dues(self, limit: int, before: float = math.inf) -> list[tuple[float, str]]:
        """The unfinished records in which something is due before that, the earliest first."""
        ...

    def entries(self, record: str, start: int = 0) -> Iterator[bytes]:
        """The entries of a record from a number on, in order; read page by page. RecordError where one is missing."""
        ...

    def length(self, record: str) -> int:
        """How many entries a record has."""
        ...

    def result(self, record: str) -> bytes | None:
        """The result of a finished record."""
        ...

    def snapshot(self, record: str) -> Snapshot | None:
        """The longest snapshot of a record."""
        ...

    def seating(self, record: str) -> list[Seating]:
        """Who sits where, by seat; a seat that was left is there with nobody on it."""
        ...

    def sign_ups(self, tournament: str) -> list[SignUp]:
        """Who signed up for a tournament, by arrival."""
        ...

    def account(self, name: str) -> Account | None:
        """An account, if there is one."""
        ...

    def accounts(self) -> Iterator[Account]:
        """Every account, by name; read page by page."""
        ...

    def token(self, digest: bytes) -> Token | None:
        """A token, also one that has expired."""
        ...

    def tokens(self, account: str) -> list[Token]:
        """The tokens of an account, oldest first."""
        ...

    def permissions(self, record: str) -> list[Permission]:
        """What accounts may do with a record, by account."""
        ...

    def setting(self, key: str) -> bytes | None:
        """The value of a setting, if it was ever set."""
        ...

    def settings(self) -> list[Setting]:
        """All settings, by key."""
        ...

    def faults(self) -> list[str]:
        """What is wrong with the tables themselves: entries of no record, pages that do not fit together."""
        ...

    def close(self) -> None:
        """Keep what is waiting, then let go of the files."""
        ...
