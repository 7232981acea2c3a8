"""A store that stores nothing, for a server with --no-store: everything is in memory and ends with the program."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import ParamSpec, Self, TypeVar

from parlour.store.contract import EVERYTHING
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


class ForgetfulStore:
    """Accepts every write, and finds nothing."""

    url = "nowhere"
    found_version = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def claim(self, record: str = "") -> None:
        """Do nothing: no other program can use this store."""

    def write(self, *writes: Write) -> None:
        """Drop the writes."""

    def keep(self, *writes: Write) -> asyncio.Future[None]:
        """Drop the writes; the result is done at once."""
        kept = asyncio.get_running_loop().create_future()
        kept.set_result(None)
        return kept

    async def fetch(self, read: Callable[Given, Found], *given: Given.args, **named: Given.kwargs) -> Found:
        """Read at once, in the caller's thread: no read takes any time."""
        return read(*given, **named)

    def head(self, record: str) -> RecordHead | None:
        return None

    def heads(self, wanted: Filter = EVERYTHING, *, newest_first: bool = False) -> Iterator[RecordHead]:
        return iter(())

    def page(
        self, wanted: Filter = EVERYTHING, *, limit: int = 100, after: int | None = None, newest_first: bool = True
    ) -> Page:
        return Page((), None)

    def count(self, wanted: Filter = EVERYTHING) -> int:
        return 0

    def dues(self, limit: int, before: float = math.inf) -> list[tuple[float, str]]:
        return []

    def entries(self, record: str, start: int = 0) -> Iterator[bytes]:
        return iter(())

    def length(self, record: str) -> int:
        return 0

    def result(self, record: str) -> bytes | None:
        return None

    def snapshot(self, record: str) -> Snapshot | None:
        return None

    def seating(self, record: str) -> list[Seating]:
        return []

    def sign_ups(self, tournament: str) -> list[SignUp]:
        return []

    def account(self, name: str) -> Account | None:
        return None

    def accounts(self) -> Iterator[Account]:
        return iter(())

    def token(self, digest: bytes) -> Token | None:
        return None

    def tokens(self, account: str) -> list[Token]:
        return []

    def permissions(self, record: str) -> list[Permission]:
        return []

    def setting(self, key: str) -> bytes | None:
        return None

    def settings(self) -> list[Setting]:
        return []

    def probe(self) -> None:
        """Do nothing: nothing can fail."""

    def faults(self) -> list[str]:
        return []

    def close(self) -> None:
        """Do nothing: no resource is held open."""
