"""Pages of records: what a viewer may see, from any number on, at the cost of what is on the page."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from parlour.core import events as ev
from parlour.core.events import Event
from parlour.core.game import Seat
from parlour.core.terms import PressMode, PressTerms, Terms
from parlour.core.viewers import MODERATOR, SPECTATOR, Viewer, seated_on
from parlour.games.diplomacy import GAME
from parlour.net import record_pages
from parlour.net.record_pages import STRIDE, RecordPages, SeenEvent
from parlour.referee.conduct import DIPLOMACY
from parlour.referee.history import Past
from parlour.store import Journal, RecordHead, RecordKind, SQLiteStore
from parlour.store.sql import FIRST_ROWS, PAGE

POWERS = [Seat(power) for power in ("AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY")]
VIEWERS = [SPECTATOR, MODERATOR, seated_on(POWERS[2])]


class CountingStore(SQLiteStore):
    """A store that counts how many entries were read of it."""

    read = 0

    def entries(self, record: str, start: int = 0) -> Iterator[bytes]:
        for body in super().entries(record, start):
            self.read += 1
            yield body


def chatter(count: int, length: int = 10) -> list[Event]:
    """Return a record in which much is said, most of it to few."""
    chance = random.Random(count)
    terms = Terms(DIPLOMACY, press=PressTerms(PressMode.ANYTIME, level=8000))
    events: list[Event] = [ev.Opened(0.0, "diplomacy", {}, terms, 7, "m")]
    for number in range(1, count):
        speaker, other = chance.sample(POWERS, 2)
        to = () if chance.random() < 0.2 else (other,)
        events.append(ev.Said(float(number), speaker, to, "x" * length, 0))
    return events


def kept(store: SQLiteStore, events: list[Event]) -> None:
    journal: Journal[Event] = Journal(store, RecordHead("m", RecordKind.MATCH, "diplomacy"))
    for first in range(0, len(events), 50):
        journal.write(events[first : first + 50])


def read(pages: RecordPages, viewer: Viewer, since: int, limit: int, until: float = 1e9) -> list[SeenEvent]:
    return asyncio.run(pages.page("m", GAME, viewer, since, limit=limit, until=until))


@pytest.mark.parametrize("at_once", [record_pages.MOST_READ, 7])
@pytest.mark.parametrize("viewer", VIEWERS)
def test_a_page_has_what_the_whole_view_has_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, viewer: Viewer, at_once: int
) -> None:
    monkeypatch.setattr(record_pages, "MOST_READ", at_once)
    events = chatter(1500)
    whole = [(told.k, told.number, told.event) for told in Past(GAME, events).told(viewer)]
    chance = random.Random(1)
    with SQLiteStore(tmp_path / "r.db") as store:
        kept(store, events)
        pages = RecordPages(store)
        for _ in range(60):
            since, limit = chance.randrange(len(whole) + 1), chance.randrange(1, 300)
            assert read(pages, viewer, since, limit) == whole[since : since + limit]


def test_a_page_costs_what_it_holds_however_long_the_record_is(tmp_path: Path) -> None:
    costs: list[tuple[int, int, int]] = []
    for count in (1000, 4000):
        with CountingStore(tmp_path / f"{count}.db") as store:
            kept(store, chatter(count))
            pages = RecordPages(store)
            found = []
            last = len(read(pages, MODERATOR, 0, 10**6)) - 1
            for since in (0, last // 2, last):
                store.read = 0
                assert len(read(pages, MODERATOR, since, 1)) == 1
                found.append(store.read)
            costs.append((found[0], found[1], found[2]))
    for first, middle, end in costs:
        assert first == 1
        assert middle <= STRIDE + 1
        assert end <= STRIDE + 1


def secret(count: int) -> list[Event]:
    """Return a record of which strangers may see the two ends."""
    first, *between = chatter(count)
    said = [ev.Said(event.at, POWERS[0], (POWERS[1],), "x", 0) for event in between]
    return [first, *said, ev.Said(float(count), POWERS[0], (), "the end", 0)]


def test_a_page_costs_nothing_for_what_lies_between_its_events_and_is_hidden(tmp_path: Path) -> None:
    with CountingStore(tmp_path / "r.db") as store:
        kept(store, secret(5000))
        pages = RecordPages(store)
        once = read(pages, SPECTATOR, 0, 10)
        assert [told.number for told in once] == [0, 5000]
        store.read = 0
        assert read(pages, SPECTATOR, 0, 10) == once
        assert store.read <= 2 * STRIDE + 2


def test_owners_take_turns_if_much_lies_between_the_events_of_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_pages, "MOST_READ", 50)
    steps: list[str] = []

    async def all_pages(store: SQLiteStore) -> None:
        pages = RecordPages(store)

        async def page(owner: str, seat: Seat) -> None:
            await pages.page("m", GAME, seated_on(seat), 0, limit=10, owner=owner)
            steps.append(owner)

        async with asyncio.TaskGroup() as group:
            for owner, seat in (
                ("mallory", POWERS[2]),
                ("mallory", POWERS[3]),
                ("mallory", POWERS[4]),
                ("ann", POWERS[5]),
            ):
                group.create_task(page(owner, seat))

    with SQLiteStore(tmp_path / "r.db") as store:
        kept(store, secret(2000))
        asyncio.run(all_pages(store))
    assert steps == ["ann", "mallory", "mallory", "mallory"]


def test_a_store_fetches_few_rows_for_who_reads_few_and_few_bytes_at_a_time(tmp_path: Path) -> None:
    fetched: list[tuple[int, int]] = []

    class Watched(SQLiteStore):
        def _rows(self, sql: str, values: tuple[object, ...]) -> list[tuple[object, ...]]:
            rows: list[tuple[object, ...]] = super()._rows(sql, values)
            if "FROM entry" in sql:
                fetched.append((len(rows), sum(len(row[-1]) for row in rows if isinstance(row[-1], bytes))))
            return rows

    with Watched(tmp_path / "r.db") as store:
        kept(store, chatter(2000, length=50_000))
        assert next(store.entries("m"))
        assert fetched == [(FIRST_ROWS, fetched[0][1])]
        fetched.clear()
        assert sum(1 for _ in store.entries("m")) == 2000
        assert max(size for _, size in fetched) < 2 << 20
    with Watched(tmp_path / "small.db") as store:
        kept(store, chatter(60_000))
        fetched.clear()
        assert sum(1 for _ in store.entries("m")) == 60_000
        assert max(rows for rows, _ in fetched) == PAGE, "and many rows if they are small"


def test_a_page_of_large_events_is_shorter_than_was_asked_for(tmp_path: Path) -> None:
    with SQLiteStore(tmp_path / "r.db") as store:
        kept(store, chatter(100, length=300_000))
        pages = RecordPages(store)
        seen = read(pages, MODERATOR, 1, 1000)
        assert len(seen) == 4
        assert len(read(pages, MODERATOR, 99, 1000)) == 1


def test_what_happened_after_some_time_is_not_on_a_page(tmp_path: Path) -> None:
    with SQLiteStore(tmp_path / "r.db") as store:
        kept(store, chatter(1000))
        seen = read(RecordPages(store), MODERATOR, 500, 1000, until=700.0)
        assert [one.event.at for one in seen] == [float(number) for number in range(500, 701)]


def test_marks_are_bounded_in_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_pages, "STRIDE", 2)
    monkeypatch.setattr(record_pages, "MOST_MARKS", 8)
    monkeypatch.setattr(record_pages, "MOST_VIEWS", 2)
    with SQLiteStore(tmp_path / "r.db") as store:
        kept(store, chatter(1000))
        pages = RecordPages(store)
        for _ in range(2):
            for viewer in VIEWERS:
                for since in range(0, 1000, 7):
                    page = read(pages, viewer, since, 5)
                    assert [one.k for one in page] == list(range(since, since + len(page)))
        assert len(pages._views) == 2
        assert all(len(marks._marks) <= 8 for marks in pages._views.values())


def test_those_who_ask_for_the_same_at_once_read_what_they_may_not_see_once(tmp_path: Path) -> None:
    events = chatter(4000)
    whole = sum(1 for _ in Past(GAME, events).told(SPECTATOR))
    with CountingStore(tmp_path / "r.db") as store:
        kept(store, events)
        pages = RecordPages(store)

        async def all_at_once() -> None:
            asked = (pages.page("m", GAME, SPECTATOR, whole - 1, limit=1) for _ in range(20))
            assert {len(found) for found in await asyncio.gather(*asked)} == {1}

        asyncio.run(all_at_once())
        assert store.read < 2 * len(events)


def test_a_long_record_is_read_in_pieces_between_which_others_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_pages, "MOST_READ", 100)
    with CountingStore(tmp_path / "r.db") as store:
        kept(store, chatter(1000))
        pieces, fetch = list[int](), store.fetch

        async def counted(*given: Any) -> Any:
            before, store.read = store.read, 0
            found = await fetch(*given)
            pieces.append(store.read)
            store.read += before
            return found

        monkeypatch.setattr(store, "fetch", counted)
        assert read(RecordPages(store), SPECTATOR, 10_000, 1) == []
        assert sum(pieces) >= 1000
        assert max(pieces) <= 101
