"""Appends events to a record and reads them back: numbers them and encodes them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Generic, TypeVar

import msgspec

from parlour.core.decoding import UNREADABLE
from parlour.core.events import Event
from parlour.errors import RecordError, StoreError
from parlour.store.contract import Store
from parlour.store.entries import Entries, RecordHead, Write

Entry = TypeVar("Entry")

_encoder = msgspec.json.Encoder()
_events: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)


class Journal(Generic[Entry]):
    """Appends to one record. There is one journal per record, so the numbers have no gaps."""

    def __init__(self, store: Store, head: RecordHead, *, length: int = 0) -> None:
        self.store = store
        self.head = head
        self.length = length
        """Number of entries of the record; 0 before the record is opened."""
        self._broken = False

    def write(self, entries: Sequence[Entry], *besides: Write) -> None:
        """Append entries, with other writes, and return when all are durable."""
        if entries or besides:
            writes = self._writes([_encoder.encode(entry) for entry in entries])
            try:
                self.store.write(*writes, *besides)
            except StoreError:
                self._broken = True
                raise

    def keep(self, entries: Sequence[Entry], *besides: Write) -> asyncio.Future[None]:
        """Append entries, with other writes; the result is done when all are durable."""
        return self.append([_encoder.encode(entry) for entry in entries], *besides)

    def append(self, bodies: Sequence[bytes], *besides: Write) -> asyncio.Future[None]:
        """Append encoded entries, with other writes; the result is done when all are durable."""
        if not (bodies or besides):
            nothing = asyncio.get_running_loop().create_future()
            nothing.set_result(None)
            return nothing
        kept = asyncio.ensure_future(self.store.keep(*self._writes(bodies), *besides))
        kept.add_done_callback(self._kept)
        return kept

    def _kept(self, done: asyncio.Future[None]) -> None:
        if not done.cancelled() and isinstance(done.exception(), StoreError):
            self._broken = True

    def _writes(self, bodies: Sequence[bytes]) -> list[Write]:
        if self._broken:
            # Later entries cannot be placed: an entry before them is missing.
            raise StoreError(f"record {self.head.id}: an earlier write failed; read the record again")
        writes: list[Write] = [] if self.length else [self.head]
        if bodies:
            writes.append(Entries(self.head.id, self.length, tuple(bodies)))
        self.length += len(bodies)
        return writes


def read_events(store: Store, match: str) -> list[Event]:
    """Return the events of a stored match; raise RecordError with the number of the first that cannot be read."""
    return read_entries(store, match, _events)


def read_entries(store: Store, record: str, decoder: msgspec.json.Decoder[Entry]) -> list[Entry]:
    """Return the decoded entries of a stored record; raise RecordError with the number of the first that is bad."""
    found: list[Entry] = []
    for number, body in enumerate(store.entries(record)):
        try:
            found.append(decoder.decode(body))
        except UNREADABLE as error:
            raise RecordError(f"record {record}: {error}", number=number) from None
    return found
