"""Reads a viewer's part of a stored record page by page: the cost of a page does not depend on where it begins.

Numbers in a view differ from those of the record, because the view leaves events out. Marks that relate the two are
made at intervals while a record is read, so that a later page need not read everything before it again.
"""

from __future__ import annotations

import asyncio
import math
from collections import OrderedDict
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import NamedTuple

import msgspec

from parlour.core.decoding import UNREADABLE
from parlour.core.events import Event, seen_by
from parlour.core.game import Game
from parlour.core.viewers import Viewer
from parlour.errors import RecordError
from parlour.net.fair_pool import FairPlaces, Requester
from parlour.store import Store

MOST_BYTES = 1 << 20
"""Number of bytes of stored events after which a page ends early."""
PATIENCE = 60.0
"""Seconds that a read waits for its turn."""
MOST_READ = 2000
"""Maximum number of events per read, because a store has few threads for all readers."""
STRIDE = 200
"""Initial number of events of a record between two marks."""
MOST_MARKS = 500
"""Maximum number of marks per view of a match; beyond that every second one is dropped."""
MOST_VIEWS = 1000
"""Maximum number of views with marks; the least recently used is dropped first."""

_events: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)


class SeenEvent(NamedTuple):
    """An event as a viewer may see it, its number in that view and in the record."""

    k: int
    number: int
    event: Event


class _Mark(NamedTuple):
    """A place in a record, and the number of events before it that the viewer may see."""

    number: int
    k: int


class _Marks:
    """The marks of one view of one record."""

    def __init__(self) -> None:
        self.reading = asyncio.Lock()
        """Held by the present reader, so that two callers do not read the same entries."""
        self.stride = STRIDE
        self._marks = [_Mark(0, 0)]
        self.jumps: dict[int, int] = {}
        """By number of a mark, the number of a later one, if the viewer may see nothing in between."""

    def before(self, k: int) -> _Mark:
        """Return the last mark before which the viewer may see at most k events."""
        return next(mark for mark in reversed(self._marks) if mark.k <= k)

    def add(self, found: list[_Mark]) -> None:
        """Add marks that were found by reading on from a known one."""
        last = self._marks[-1].number
        self._marks += [mark for mark in found if mark.number > last]
        while len(self._marks) > MOST_MARKS:
            self._marks = self._marks[::2]
            self.stride *= 2
        last_of = {mark.k: mark.number for mark in self._marks}
        self.jumps = {mark.number: last_of[mark.k] for mark in self._marks if last_of[mark.k] > mark.number}


class RecordPages:
    """The pages of all records of a store, for any viewer."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._turns = FairPlaces(1, patience=PATIENCE)
        """The turn of a read that one step does not complete, by the owner of the match."""
        self._views: OrderedDict[tuple[str, Viewer], _Marks] = OrderedDict()

    async def page(
        self,
        match: str,
        game: Game,
        viewer: Viewer,
        since: int,
        *,
        limit: int,
        until: float = math.inf,
        owner: str = "",
    ) -> list[SeenEvent]:
        """Return the viewer's events from number `since` of its view, up to a time.

        At most `limit` events are returned, and fewer if they are large, but at least one if there is one. Owners of
        matches take turns if much lies between the events.
        """
        marks = self._views.setdefault((match, viewer), _Marks())
        self._views.move_to_end((match, viewer))
        if len(self._views) > MOST_VIEWS:
            self._views.popitem(last=False)
        async with marks.reading:  # the next reader continues where this one stopped
            read = _Reading(match, game, viewer, since, limit, until, marks)
            here: _Mark | None = marks.before(since)
            turn: AbstractAsyncContextManager[None] = nullcontext()
            while here is not None:
                async with turn:
                    here = await self._store.fetch(read.run, self._store, here)
                marks.add(read.marks)
                turn = self._turns.place(Requester(owner))
        return read.found


class _Reading:
    """A page of a record while it is read, in the store's threads."""

    def __init__(
        self, match: str, game: Game, viewer: Viewer, since: int, limit: int, until: float, known: _Marks
    ) -> None:
        self._match, self._game, self._viewer = match, game, viewer
        self._since, self._limit, self._until = since, limit, until
        self._stride, self._known = known.stride, known
        self._size = 0
        self.found: list[SeenEvent] = []
        self.marks: list[_Mark] = []

    def run(self, store: Store, begin: _Mark) -> _Mark | None:
        """Read from a mark on until the page is full, or until the limit of one read is reached.

        Return the place to continue from; None if the page is done.
        """
        k, read, jumps = begin.k, 0, self._known.jumps
        for number, body in enumerate(store.entries(self._match, begin.number), begin.number):
            if number - begin.number >= MOST_READ or read >= MOST_BYTES:
                return _Mark(number, k)
            if (later := jumps.get(number)) is not None:
                return _Mark(later, k)
            read += len(body)
            if not number % self._stride:
                self.marks.append(_Mark(number, k))
            event = self._decoded(body, number)
            if event.at > self._until and number:
                return None
            if (seen := seen_by(event, self._viewer, self._game)) is None:
                continue
            if k >= self._since:
                self.found.append(SeenEvent(k, number, seen))
                self._size += len(body)
            k += 1
            if len(self.found) >= self._limit or self._size >= MOST_BYTES:
                return None
        return None

    def _decoded(self, body: bytes, number: int) -> Event:
        try:
            return _events.decode(body)
        except UNREADABLE as error:
            raise RecordError(f"record {self._match}: {error}", number=number) from None
