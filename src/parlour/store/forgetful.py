"""A store that stores nothing, for a server with --no-store: everything is in memory and ends with the program."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ParamSpec, TypeVar

from parlour.errors import StoreError
from parlour.store.contract import EVERYTHING
from parlour.store.entries import Filter, Write
from parlour.store.sql import SQLStore

Given = ParamSpec("Given")
Found = TypeVar("Found")


class ForgetfulStore(SQLStore[Any]):
    """Accepts every write, and finds nothing: its queries return no rows. It has no threads."""

    url = "nowhere"
    found_version = 0
    _count_of_a_row = "0"

    def __init__(self) -> None:
        pass

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

    def count(self, wanted: Filter = EVERYTHING) -> int:
        return 0

    def length(self, record: str) -> int:
        return 0

    def close(self) -> None:
        """Do nothing: no resource is held open."""

    def _connect_to_read(self) -> Any:
        return None

    def _rows(self, sql: str, values: tuple[object, ...]) -> list[Any]:
        return []

    def _commit(self, group: Sequence[tuple[Write, ...]]) -> Mapping[int, StoreError]:
        return {}
