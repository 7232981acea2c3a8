"""The journal: numbers events, opens its record, and leaves no gap behind a write that failed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from parlour.core.events import Removed
from parlour.core.game import Seat
from parlour.errors import ConflictError, RecordError, StoreError
from parlour.store import Entries, Journal, RecordHead, RecordKind, Setting, Store, Write, read_events

HEAD = RecordHead("m1", RecordKind.MATCH, "fish")
EVENTS = [Removed(at=float(at), seat=Seat("red"), reason="late") for at in range(5)]


async def kept(journal: Journal[Removed], entries: Sequence[Removed], *besides: Write) -> None:
    await journal.keep(entries, *besides)


def test_a_journal_numbers_events_and_opens_its_record(store: Store) -> None:
    journal: Journal[Removed] = Journal(store, HEAD)
    journal.write([])
    assert store.head("m1") is None
    journal.write(EVENTS[:2])
    asyncio.run(kept(journal, EVENTS[2:4]))
    Journal[Removed](store, HEAD, length=journal.length).write(EVENTS[4:])
    assert read_events(store, "m1") == EVENTS


def test_what_belongs_to_the_events_is_kept_with_them(store: Store) -> None:
    journal: Journal[Removed] = Journal(store, HEAD)
    journal.write(EVENTS[:1], Setting("s", b"1"))
    asyncio.run(kept(journal, EVENTS[1:2], Setting("s", b"2")))
    assert store.setting("s") == b"2"
    journal.write([], Setting("s", b"3"))
    asyncio.run(kept(journal, [], Setting("t", b"4")))
    assert (store.setting("s"), store.setting("t")) == (b"3", b"4")
    assert read_events(store, "m1") == EVENTS[:2]


@pytest.mark.parametrize("first_fails", ["write", "keep"])
def test_nothing_follows_on_a_write_that_failed(store: Store, first_fails: str) -> None:
    journal: Journal[Removed] = Journal(store, HEAD)
    store.write(HEAD, Entries("m1", 0, (b"somebody else's",)))
    with pytest.raises(ConflictError):
        journal.write(EVENTS[:1]) if first_fails == "write" else asyncio.run(kept(journal, EVENTS[:1]))
    with pytest.raises(StoreError, match="record m1: an earlier write failed"):
        journal.write(EVENTS[1:2])
    with pytest.raises(StoreError, match="record m1: an earlier write failed"):
        asyncio.run(kept(journal, EVENTS[1:2]))
    assert store.length("m1") == 1


def test_an_event_that_cannot_be_read_is_named(store: Store) -> None:
    store.write(HEAD, Entries("m1", 0, (b'{"event":"removed","at":1,"seat":"red","reason":""}', b'{"event":"?"}')))
    with pytest.raises(RecordError, match=r"event 1: record m1"):
        read_events(store, "m1")
