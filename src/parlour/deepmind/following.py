"""Follows a match by its events and keeps what a network must know of it: each phase as it was seen and played."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from parlour.core.events import Event, PositionSet, Removed, Started, TurnEnded
from parlour.core.game import Seat
from parlour.deepmind.conversions import actions_of_turn
from parlour.deepmind.legal import legal_lists
from parlour.deepmind.observation import observe
from parlour.deepmind.options import DEFAULT
from parlour.deepmind.transformer import Carried, NetworkInput, ObservationTransformer
from parlour.errors import ConfigError, NotationError
from parlour.games.diplomacy.game import GAME
from parlour.games.diplomacy.map import standard
from parlour.games.diplomacy.position import Position


class Follower:
    """Where a match stands, and what is carried from the phases before; to be told every event in order."""

    def __init__(self, *, temperature: float) -> None:
        self._temperature = temperature
        self._transformer = ObservationTransformer()
        self._position: Position | None = None
        self._carried: Carried | None = None
        self._last: list[int] = []
        self._seen: NetworkInput | None = None
        """The input of this phase; None until it was asked for."""

    def told(self, event: Event) -> None:
        """Take in what happened."""
        match event:
            case Started() | PositionSet():
                self._begin(GAME.decode(event.position))
            case TurnEnded() if self._position is not None:
                self._look()
                actions, after = _played(self._position, _frozen(event.actions))
                self._position, self._last, self._seen = after, list(actions), None
            case Removed() if self._position is not None:
                self._position = self._position.without(event.seat)
            case _:
                pass

    def input_at(self, position: Position) -> NetworkInput:
        """What the network reads in a position: with all that came before if it is the one that was followed here."""
        if self._position is None or position.state != self._position.state:
            self._begin(position)
        return self._look()

    def _begin(self, position: object) -> None:
        """Start anew: of the past nothing is known."""
        if not isinstance(position, Position) or position.board != standard():
            raise ConfigError("network: it plays only Diplomacy on the standard map", field="agent")
        self._position, self._carried, self._last, self._seen = position, None, [], None

    def _look(self) -> NetworkInput:
        """Look at this phase, once."""
        assert self._position is not None
        if self._seen is None:
            try:
                self._seen, self._carried = self._transformed(self._last, self._carried)
            except NotationError:
                # Phases of removed powers are played without being told of; then the past does not fit any more.
                self._seen, self._carried = self._transformed([], None)
        return self._seen

    def _transformed(self, last: list[int], carried: Carried | None) -> tuple[NetworkInput, Carried]:
        assert self._position is not None
        lists = legal_lists(self._position.row, DEFAULT)
        return self._transformer.transform(
            observe(self._position.state, last), lists, carried=carried, temperature=self._temperature
        )


_Orders = tuple[tuple[str, tuple[str, ...]], ...]


def _frozen(actions: Mapping[str, Sequence[str]]) -> _Orders:
    return tuple((seat, tuple(orders or ())) for seat, orders in actions.items())


@lru_cache(maxsize=64)
def _played(position: Position, orders: _Orders) -> tuple[tuple[int, ...], Position]:
    """The actions that a turn came to, and where it led; seats of one match ask the same."""
    after = position.following({Seat(seat): own for seat, own in orders})
    assert after.turn is not None
    return tuple(action for own in actions_of_turn(after.turn) for action in own), after
