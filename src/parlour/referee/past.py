"""What happened in a match so far, as a viewer may see it, worked out from its record."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from parlour.core.events import Event, seen_by
from parlour.core.game import Game, Position
from parlour.core.player import Told
from parlour.core.viewers import Viewer
from parlour.referee.record import copied
from parlour.referee.state import MatchState


class Past:
    """The events of a record, shown again; positions are worked out as far as somebody asks for them, and once."""

    def __init__(self, game: Game, events: Sequence[Event]) -> None:
        self._game = game
        self._events = events
        self._state = MatchState(game)

    def told(self, viewer: Viewer, since: int = 0) -> Iterator[Told]:
        """All that the viewer was shown, from number since of its view on."""
        k = 0
        for number, event in enumerate(self._events):
            if (seen := seen_by(event, viewer, self._game)) is not None:
                if k >= since:
                    yield Told(k, number, copied(seen), self._position(number, viewer))
                k += 1

    def _position(self, number: int, viewer: Viewer) -> Callable[[], Position | None]:
        def found() -> Position | None:
            if self._state.count > number + 1:  # somebody looks back
                self._state = MatchState(self._game)
            while self._state.count <= number:
                self._state.fold(self._events[self._state.count])
            position = self._state.position
            return None if position is None else position.view(viewer)

        return found
