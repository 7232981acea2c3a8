"""Reads a viewer's part of a stored record page by page: a page costs as much as it holds, wherever it begins.

Numbers in a view differ from those of the record, for the view leaves events out. Their relation is noted at intervals
while a record is read, so that a later page does not read everything before it again.
"""

from __future__ import annotations

import asyncio
import math
from collections import OrderedDict
from typing import NamedTuple

import msgspec

from parlour.core.decoding import UNREADABLE
from parlour.core.events import Event, seen_by
from parlour.core.game import Game
from parlour.core.viewers import Viewer
from parlour.errors import RecordError
from parlour.store import Store

MOST_BYTES = 1 << 20
"""Bytes of stored events after which a page ends, though fewer events are on it than were asked for."""
MOST_READ = 2000
"""Maximum number of events per read: a store has few threads for all readers."""
STRIDE = 200
"""Events of a record between two marks, at first."""
MOST_MARKS = 500
"""Marks for one view of one match; beyond that every other one goes."""
MOST_VIEWS = 1000
"""Views of matches for which marks are kept: those asked for last."""

_events: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)


class SeenEvent(NamedTuple):
    """An event as a viewer may see it, its number in that view and in the record."""

    k: int
    number: int
    event: Event


class _Mark(NamedTuple):
    """A place in a record, and how many events before it the viewer may see."""

    number: int
    k: int


class _Marks:
    """The places of one view of one record that are known."""

    def __init__(self) -> None:
        self.reading = asyncio.Lock()
        """Held by the reader that continues, so that two callers do not read the same hidden entries."""
        self.stride = STRIDE
        self._marks = [_Mark(0, 0)]

    def before(self, k: int) -> _Mark:
        """Return the last known place before which the viewer has seen at most k events."""
        return next(mark for mark in reversed(self._marks) if mark.k <= k)

    def add(self, found: list[_Mark]) -> None:
        """Take note of places that were found by reading on from one that was known."""
        last = self._marks[-1].number
        self._marks += [mark for mark in found if mark.number > last]
        while len(self._marks) > MOST_MARKS:
            self._marks = self._marks[::2]
            self.stride *= 2


class RecordPages:
    """The pages of all records of a store, for any viewer."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._views: OrderedDict[tuple[str, Viewer], _Marks] = OrderedDict()

    async def page(
        self, match: str, game: Game, viewer: Viewer, since: int, *, limit: int, until: float = math.inf
    ) -> list[SeenEvent]:
        """Return the viewer's events from number since of its view on that happened before a given time.

        At most limit events, and fewer if they are large, but one if there is one.
        """
        marks = self._views.setdefault((match, viewer), _Marks())
        self._views.move_to_end((match, viewer))
        if len(self._views) > MOST_VIEWS:
            self._views.popitem(last=False)
        async with marks.reading:  # the next reader continues where this one stopped
            read = _Reading(match, game, viewer, since, limit, until, marks.stride)
            here: _Mark | None = marks.before(since)
            while here is not None:
                here = await self._store.fetch(read.run, self._store, here)
                marks.add(read.marks)
        return read.found


class _Reading:
    """A page of a record while it is read, in a thread of the store."""

    def __init__(
        self, match: str, game: Game, viewer: Viewer, since: int, limit: int, until: float, stride: int
    ) -> None:
        self._match, self._game, self._viewer = match, game, viewer
        self._since, self._limit, self._until = since, limit, until
        self._stride = stride
        self._size = 0
        self.found: list[SeenEvent] = []
        self.marks: list[_Mark] = []

    def run(self, store: Store, begin: _Mark) -> _Mark | None:
        """Read from a known place on until the page is full, or so much is read that others have their turn.

        Return the place to read on from; None if the page is done.
        """
        k, read = begin.k, 0
        for number, body in enumerate(store.entries(self._match, begin.number), begin.number):
            if number - begin.number >= MOST_READ or read >= MOST_BYTES:
                return _Mark(number, k)
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
