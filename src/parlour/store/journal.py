"""The events of one record as they are appended and read back: numbers them and turns them into bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

import msgspec

from parlour.core.events import Event
from parlour.errors import RecordError
from parlour.store.values import Entries, RecordHead, Store

Entry = TypeVar("Entry")

_encoder = msgspec.json.Encoder()
_events: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)


class Journal(Generic[Entry]):
    """Appends to one record. There is one journal per record, so the numbers have no gaps."""

    def __init__(self, store: Store, head: RecordHead, *, length: int = 0) -> None:
        self.store = store
        self.head = head
        self.length = length
        """How many entries the record has; 0 for a record that is yet to be opened."""

    def write(self, entries: Sequence[Entry]) -> None:
        """Append and return when the entries are durable."""
        if entries:
            self.store.write(*self._writes(entries))

    async def keep(self, entries: Sequence[Entry]) -> None:
        """Append and resume when the entries are durable."""
        if entries:
            await self.store.keep(*self._writes(entries))

    def _writes(self, entries: Sequence[Entry]) -> list[RecordHead | Entries]:
        bodies = tuple(_encoder.encode(entry) for entry in entries)
        writes: list[RecordHead | Entries] = [] if self.length else [self.head]
        writes.append(Entries(self.head.id, self.length, bodies))
        self.length += len(bodies)
        return writes


def read_events(store: Store, match: str) -> list[Event]:
    """The events of a stored match; RecordError names the first that cannot be read."""
    return read_entries(store, match, _events)


def read_entries(store: Store, record: str, decoder: msgspec.json.Decoder[Entry]) -> list[Entry]:
    """The entries of any stored record, decoded."""
    found: list[Entry] = []
    for number, body in enumerate(store.entries(record)):
        try:
            found.append(decoder.decode(body))
        except msgspec.DecodeError as error:
            raise RecordError(f"record {record}: {error}", number=number) from None
    return found
