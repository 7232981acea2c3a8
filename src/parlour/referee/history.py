"""The past of a match as a viewer may see it, computed from its record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from typing import overload

from parlour.core.events import Event, seen_by
from parlour.core.game import Game
from parlour.core.player import ObservedEvent
from parlour.core.table_view import TableView
from parlour.core.viewers import Viewer
from parlour.referee.record import copied
from parlour.referee.state import MatchState


class Past:
    """The events of a record as viewers may see them; the table after each is computed on demand."""

    def __init__(self, game: Game, events: Sequence[Event]) -> None:
        self._game = game
        self._events = events
        self._state = MatchState(game)

    def told(self, viewer: Viewer, since: int = 0) -> Iterator[ObservedEvent]:
        """Yield all events that the viewer may see, from number `since` of its view."""
        k = 0
        for number, event in enumerate(self._events):
            if (seen := seen_by(event, viewer, self._game)) is not None:
                if k >= since:
                    yield ObservedEvent(k, number, copied(seen), partial(self.view, number, viewer))
                k += 1

    def view(self, number: int, viewer: Viewer) -> TableView:
        """Return the table after an event as that viewer may see it."""
        if self._state.count > number + 1:  # the event is earlier than that of the previous call
            self._state = MatchState(self._game)
        while self._state.count <= number:
            self._state.fold(self._events[self._state.count])
        return self._state.view().seen(viewer.at(self._events[number].at))


class PastEvents(Sequence[ObservedEvent]):
    """All events that a viewer may see, computed at the first use, on the thread that uses them."""

    def __init__(self, past: Past, viewer: Viewer) -> None:
        self._past, self._viewer = past, viewer

    @cached_property
    def _events(self) -> tuple[ObservedEvent, ...]:
        return tuple(self._past.told(self._viewer))

    def __len__(self) -> int:
        return len(self._events)

    @overload
    def __getitem__(self, place: int) -> ObservedEvent: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[ObservedEvent]: ...

    def __getitem__(self, place: int | slice) -> ObservedEvent | Sequence[ObservedEvent]:
        return self._events[place]
