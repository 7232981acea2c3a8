"""What can be kept and asked for: the writes, the heads of records, and the Store that every back end is."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Protocol, TypeAlias

import msgspec

MAX_BODY = 1 << 20
"""The largest entry in bytes; far above any event, so that a bug cannot fill the disk in one go."""


class RecordKind(StrEnum):
    """What a record tells of."""

    MATCH = "match"
    TOURNAMENT = "tournament"


class RecordHead(msgspec.Struct, frozen=True):
    """A write: there is a record. Its entries follow."""

    id: str
    kind: RecordKind
    game: str
    parent: str = ""
    """The tournament a match belongs to."""
    opened: float = 0.0


class Entries(msgspec.Struct, frozen=True):
    """A write: entries of a record, the first of them with the given number."""

    record: str
    first: int
    bodies: tuple[bytes, ...]


class SignUp(msgspec.Struct, frozen=True):
    """A write: somebody signed up; digest is of the token with which the seat can be taken again."""

    tournament: str
    name: str
    arrival: int
    digest: bytes = b""
    age: int | None = None


class Finished(msgspec.Struct, frozen=True):
    """A write: the record is complete, with its result as JSON."""

    record: str
    result: bytes


Write: TypeAlias = RecordHead | Entries | SignUp | Finished


class Store(Protocol):
    """Where records are kept. All writes of one call are kept together or not at all."""

    def write(self, *writes: Write) -> None:
        """Keep them; returns when they are durable. Blocks while too much is waiting."""
        ...

    async def keep(self, *writes: Write) -> None:
        """The same for a coroutine, which waits without blocking the loop."""
        ...

    def head(self, record: str) -> RecordHead | None:
        """The head of a record, if there is one."""
        ...

    def heads(self, kind: RecordKind, *, unfinished: bool = False, limit: int = 1000) -> list[RecordHead]:
        """The newest records of a kind, oldest of them first."""
        ...

    def children(self, parent: str) -> list[RecordHead]:
        """The records of one tournament in the order in which they were opened."""
        ...

    def entries(self, record: str, start: int = 0) -> Iterator[bytes]:
        """The entries of a record from a number on, in order."""
        ...

    def result(self, record: str) -> bytes | None:
        """The result of a finished record."""
        ...

    def sign_ups(self, tournament: str) -> list[SignUp]:
        """Who signed up for a tournament, by arrival."""
        ...

    def close(self) -> None:
        """Keep what is waiting, then let go of the files."""
        ...
